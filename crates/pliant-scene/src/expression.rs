//! Small arithmetic in scene files: `"=1 - overlap / 2"`.
//!
//! ```text
//! sum     = product { ("+" | "-" | "−") product }
//! product = signed { ("*" | "/") signed }
//! signed  = { "-" | "+" } power
//! power   = atom [ "^" signed ]
//! atom    = number | name | function "(" sum { "," sum } ")" | "(" sum ")"
//! ```
//!
//! `^` binds to the right and before a sign: `-2^2` is −4. Angles are in rad. `random(seed, k)` is
//! the k-th number of a seed, from −1 to below 1, the same every time.

use std::f64::consts::PI;
use std::ops::Range;

use super::random::Random;

/// Parentheses, signs and powers within each other at most: bounds the stack.
const MOST_NESTING: usize = 64;

/// Letters up to which a name with hyphens is looked for; each minus looks that far ahead.
const LONGEST_NAME: usize = 200;

/// Functions by name, with how many values each takes; `None` for one or more.
const FUNCTIONS: [(&str, Option<usize>); 9] = [
    ("sin", Some(1)),
    ("cos", Some(1)),
    ("tan", Some(1)),
    ("atan", Some(1)),
    ("sqrt", Some(1)),
    ("abs", Some(1)),
    ("min", None),
    ("max", None),
    ("random", Some(2)),
];

/// An error in an expression, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    /// Bytes of the expression that are meant.
    pub span: Range<usize>,
    /// One clause, lower case.
    pub message: String,
    /// The unknown name, if that is the error.
    pub unknown: Option<String>,
}

/// What a name stands for; the error is a clause.
pub type Lookup<'a> = &'a mut dyn FnMut(&str) -> Result<Option<f64>, String>;

/// Evaluates an expression; the leading `=` is not part of it.
pub fn evaluate(text: &str, lookup: Lookup<'_>) -> Result<f64, ExpressionError> {
    let mut parser = Parser { text, at: 0, nesting: 0, lookup };
    let value = parser.sum()?;
    parser.skip_space();
    if parser.at < text.len() {
        return Err(parser.error(parser.at..parser.at + parser.width(), "expected an operator"));
    }
    if !value.is_finite() {
        return Err(
            parser.error(0..text.len(), &format!("evaluates to {value}, which is not finite"))
        );
    }
    Ok(value)
}

/// The name, when an expression is nothing but one.
pub fn lone_name(text: &str) -> Option<&str> {
    let name = text.trim();
    let letters = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    (letters && name.chars().all(in_name)).then_some(name)
}

fn in_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

struct Parser<'a> {
    text: &'a str,
    /// Next byte.
    at: usize,
    nesting: usize,
    lookup: Lookup<'a>,
}

impl Parser<'_> {
    fn sum(&mut self) -> Result<f64, ExpressionError> {
        let mut value = self.product()?;
        loop {
            if self.take(&['+']) {
                value += self.product()?;
            } else if self.take(&['-', '−']) {
                value -= self.product()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self) -> Result<f64, ExpressionError> {
        let mut value = self.signed()?;
        loop {
            if self.take(&['*', '·']) {
                value *= self.signed()?;
            } else if self.take(&['/']) {
                value /= self.signed()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn signed(&mut self) -> Result<f64, ExpressionError> {
        let mut sign = 1.0;
        loop {
            if self.take(&['-', '−']) {
                sign = -sign;
            } else if !self.take(&['+']) {
                return Ok(sign * self.power()?);
            }
        }
    }

    fn power(&mut self) -> Result<f64, ExpressionError> {
        self.skip_space();
        self.nesting += 1;
        if self.nesting > MOST_NESTING {
            let message = format!("more than {MOST_NESTING} levels within each other");
            return Err(self.error(self.at..self.at + self.width(), &message));
        }
        let base = self.atom()?;
        let value = if self.take(&['^']) { libm::pow(base, self.signed()?) } else { base };
        self.nesting -= 1;
        Ok(value)
    }

    fn atom(&mut self) -> Result<f64, ExpressionError> {
        self.skip_space();
        let start = self.at;
        match self.text[start..].chars().next() {
            Some('(') => {
                self.at += 1;
                let value = self.sum()?;
                self.close(start)?;
                Ok(value)
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' => self.named(),
            Some(_) => Err(self.error(start..start + self.width(), "expected a number or a name")),
            None => Err(self.error(0..self.text.len(), "ends where a value is expected")),
        }
    }

    fn number(&mut self) -> Result<f64, ExpressionError> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            let sign = matches!(byte, b'+' | b'-') && matches!(bytes[self.at - 1], b'e' | b'E');
            if !(byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'_') || sign) {
                break;
            }
            self.at += 1;
        }
        let digits = self.text[start..self.at].replace('_', "");
        digits.parse().map_err(|_| self.error(start..self.at, "is not a number"))
    }

    /// A function with its values, π, or a name that the scene declares.
    fn named(&mut self) -> Result<f64, ExpressionError> {
        let start = self.at;
        let rest = &self.text[start..];
        // A hyphen is a minus here unless the longer name is known.
        let short = rest.find(|c| !in_name(c) || c == '-').unwrap_or(rest.len());
        let mut ahead = rest.char_indices().skip_while(|(_, c)| in_name(*c)).map(|(at, _)| at);
        let long = match rest.char_indices().nth(LONGEST_NAME) {
            Some((far, _)) if rest[..far].chars().all(in_name) => short,
            _ => ahead.next().unwrap_or(rest.len()),
        };
        for end in [long, short] {
            let name = &self.text[start..start + end];
            let span = start..start + end;
            if let Some(&(function, count)) = FUNCTIONS.iter().find(|(known, _)| *known == name) {
                self.at = span.end;
                return self.call(function, count, span);
            }
            let reported =
                (self.lookup)(name).map_err(|message| self.error(span.clone(), &message))?;
            if let Some(value) = reported.or(if name == "pi" { Some(PI) } else { None }) {
                self.at = span.end;
                return Ok(value);
            }
        }
        let name = self.text[start..start + short].to_owned();
        let mut diagnostic = self.error(start..start + short, &format!("unknown name `{name}`"));
        diagnostic.unknown = Some(name);
        Err(diagnostic)
    }

    fn call(
        &mut self,
        function: &str,
        count: Option<usize>,
        span: Range<usize>,
    ) -> Result<f64, ExpressionError> {
        let open = self.at;
        if !self.take(&['(']) {
            return Err(self.error(span, &format!("`{function}` needs its values in parentheses")));
        }
        let mut values = vec![self.sum()?];
        while self.take(&[',']) {
            values.push(self.sum()?);
        }
        self.close(open)?;
        if let Some(count) = count.filter(|count| *count != values.len()) {
            let plural = if count == 1 { "" } else { "s" };
            let message = format!("`{function}` takes {count} value{plural}, not {}", values.len());
            return Err(self.error(span, &message));
        }
        let first = values[0];
        Ok(match function {
            "sin" => libm::sin(first),
            "cos" => libm::cos(first),
            "tan" => libm::tan(first),
            "atan" => libm::atan(first),
            "sqrt" => first.sqrt(),
            "abs" => first.abs(),
            "min" => values.into_iter().fold(f64::INFINITY, f64::min),
            "random" => {
                let whole = values.iter().copied().map(count_of).collect::<Option<Vec<u32>>>();
                let Some([seed, k]) = whole.as_deref() else {
                    let message = "`random` takes integers from 0 to 4294967295";
                    return Err(self.error(span, message));
                };
                2.0 * Random::new(*seed, *k as usize).unit() - 1.0
            }
            _ => values.into_iter().fold(f64::NEG_INFINITY, f64::max),
        })
    }

    fn close(&mut self, open: usize) -> Result<(), ExpressionError> {
        if self.take(&[')']) {
            return Ok(());
        }
        self.skip_space();
        let span = if self.at < self.text.len() {
            self.at..self.at + self.width()
        } else {
            open..open + 1
        };
        Err(self.error(span, "expected `)`"))
    }

    fn take(&mut self, wanted: &[char]) -> bool {
        self.skip_space();
        let next = self.text[self.at..].chars().next();
        let found = next.filter(|c| wanted.contains(c));
        self.at += found.map_or(0, char::len_utf8);
        found.is_some()
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.text[self.at..].trim_start().len();
    }

    /// Bytes of the next character, 0 at the end.
    fn width(&self) -> usize {
        self.text[self.at..].chars().next().map_or(0, char::len_utf8)
    }

    fn error(&self, span: Range<usize>, message: &str) -> ExpressionError {
        ExpressionError { span, message: message.to_owned(), unknown: None }
    }
}

/// A number that counts something.
fn count_of(value: f64) -> Option<u32> {
    let whole = value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&value);
    whole.then_some(value as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(name: &str) -> Result<Option<f64>, String> {
        match name {
            "a" => Ok(Some(3.0)),
            "angle_ratio" => Ok(Some(0.5)),
            "wall-height" => Ok(Some(7.0)),
            "word" => Err("`word` is a string".into()),
            _ => Ok(None),
        }
    }

    #[track_caller]
    fn check(text: &str, expected: f64) {
        assert_eq!(evaluate(text, &mut names), Ok(expected), "{text}");
    }

    #[track_caller]
    fn refused(text: &str, span: Range<usize>, message: &str) {
        let error = evaluate(text, &mut names).unwrap_err();
        assert_eq!((error.span, error.message.as_str()), (span, message), "{text}");
    }

    #[test]
    fn a_long_chain_of_names_takes_no_longer_than_its_length() {
        let chain = format!("0{}", "-q".repeat(100_000));
        let value = evaluate(&chain, &mut |name| Ok((name == "q").then_some(0.5)));
        assert_eq!(value, Ok(-50_000.0));
        let name = "long-".repeat(30) + "name";
        assert_eq!(evaluate(&name, &mut |asked| Ok((asked == name).then_some(7.0))), Ok(7.0));
    }

    #[test]
    fn operators_bind_as_in_mathematics() {
        check("1 + 2 * 3", 7.0);
        check("(1 + 2) * 3", 9.0);
        check("8 / 4 / 2", 1.0);
        check("7 - 4 − 2", 1.0);
        check("2 ^ 3 ^ 2", 512.0);
        check("-2^2", -4.0);
        check("2^-1", 0.5);
        check("--1", 1.0);
    }

    #[test]
    fn numbers_names_and_functions_have_their_values() {
        check(" 1.5e-3 ", 1.5e-3);
        check("1_000", 1000.0);
        check("a*angle_ratio", 1.5);
        check("wall-height", 7.0);
        check("a-1", 2.0);
        check("pi", PI);
        check("max(1, a, 2) + min(4, 5)", 7.0);
        check("sqrt(16) + abs(-2) + sin(0) + cos(0) + tan(0) + atan(0)", 7.0);
    }

    #[test]
    fn random_numbers_repeat_and_lie_around_zero() {
        let draw =
            |seed: u32, k: u32| evaluate(&format!("random({seed}, {k})"), &mut names).unwrap();
        let drawn: Vec<f64> = (0..500).flat_map(|k| [draw(0, k), draw(k + 1, 0)]).collect();
        assert!(drawn.iter().all(|x| (-1.0..1.0).contains(x)));
        // The mean of 1000 has a deviation of 0.58 / √1000 = 0.018.
        let mean = drawn.iter().sum::<f64>() / 1000.0;
        assert!(mean.abs() < 0.08, "{mean}");
        assert_eq!(draw(3, 4), draw(3, 4));
        assert!(draw(3, 4) != draw(4, 3) && draw(3, 4) != draw(3, 5));
        let reported = "`random` takes integers from 0 to 4294967295";
        for bad in ["random(-1, 0)", "random(0.5, 0)", "random(0, 1e10)"] {
            refused(bad, 0..6, reported);
        }
        refused("random(1)", 0..6, "`random` takes 2 values, not 1");
    }

    #[test]
    fn faults_point_at_their_place() {
        refused("", 0..0, "ends where a value is expected");
        refused("1 +", 0..3, "ends where a value is expected");
        refused("1 2", 2..3, "expected an operator");
        refused("(1", 0..1, "expected `)`");
        refused("1 + b", 4..5, "unknown name `b`");
        refused("sin 1", 0..3, "`sin` needs its values in parentheses");
        refused("sin(1, 2)", 0..3, "`sin` takes 1 value, not 2");
        refused("1.2.3", 0..5, "is not a number");
        refused("2 * word", 4..8, "`word` is a string");
        refused("1 + µ§", 4..6, "unknown name `µ`");
        refused("1/0", 0..3, "evaluates to inf, which is not finite");
        refused("sqrt(-1)", 0..8, "evaluates to NaN, which is not finite");
        refused("1 $", 2..3, "expected an operator");
    }

    #[test]
    fn nesting_without_end_is_refused() {
        let deep = format!("{}1{}", "(".repeat(1000), ")".repeat(1000));
        assert!(evaluate(&deep, &mut names).unwrap_err().message.contains("more than 64"));
        assert!(evaluate(&"1^".repeat(1000), &mut names).is_err());
        check(&format!("{}1", "-".repeat(10_000)), 1.0);
    }

    #[test]
    fn a_lone_name_is_told_from_arithmetic() {
        assert_eq!(lone_name(" kind "), Some("kind"));
        assert_eq!(lone_name("a + b"), None);
        assert_eq!(lone_name("2"), None);
    }
}
