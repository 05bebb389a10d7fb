//! The command line: `fuzz [TARGET] [--seconds N] [--inputs N] [--seed S] [--input FILE]`.

use std::path::PathBuf;

/// Time per target unless another is given, s.
const SECONDS: u64 = 120;

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arguments {
    /// One target; all when `None`.
    pub target: Option<String>,
    /// Time per target, s.
    pub seconds: u64,
    /// Inputs per target instead of a time.
    pub inputs: Option<usize>,
    /// Number from which all inputs follow.
    pub seed: u64,
    /// A single input.
    pub input: Option<PathBuf>,
}

impl Arguments {
    /// From words; an error is a sentence.
    pub fn parse(words: impl IntoIterator<Item = String>) -> Result<Arguments, String> {
        let mut found =
            Arguments { target: None, seconds: SECONDS, inputs: None, seed: 1, input: None };
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "--seconds" => found.seconds = number(&value()?)?,
                "--inputs" => found.inputs = Some(number(&value()?)? as usize),
                "--seed" => found.seed = number(&value()?)?,
                "--input" => found.input = Some(value()?.into()),
                _ if word.starts_with('-') || found.target.is_some() => {
                    return Err(format!("`{word}` is not understood"));
                }
                _ => found.target = Some(word),
            }
        }
        if found.input.is_some() && found.target.is_none() {
            return Err("--input needs a target before it".to_string());
        }
        Ok(found)
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is not a whole number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, String> {
        Arguments::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn options_may_stand_anywhere() {
        let target = Some("vtk".into());
        let expected = Arguments { target, seconds: 5, inputs: Some(9), seed: 7, input: None };
        assert_eq!(parse("--seed 7 vtk --seconds 5 --inputs 9"), Ok(expected));
        assert_eq!(parse("").map(|found| found.seconds), Ok(SECONDS));
    }

    #[test]
    fn mistakes_are_named() {
        for (line, expected) in [
            ("vtk obj", "`obj` is not understood"),
            ("--seconds", "--seconds needs a value"),
            ("--seed x", "`x` is not a whole number"),
            ("--input a", "--input needs a target before it"),
        ] {
            assert_eq!(parse(line), Err(expected.to_string()));
        }
    }
}
