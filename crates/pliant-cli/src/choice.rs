//! Options whose values are the names of an enum of the library.

use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use pliant::choice::UnknownName;

/// Accepts the names of all values; `about` is the line of help on one.
pub fn choice<T>(
    all: &[T],
    name: fn(T) -> &'static str,
    about: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = UnknownName> + Copy + Send + Sync + 'static,
{
    let values = all.iter().map(|&value| PossibleValue::new(name(value)).help(about(value)));
    PossibleValuesParser::new(values).try_map(|given| given.parse())
}
