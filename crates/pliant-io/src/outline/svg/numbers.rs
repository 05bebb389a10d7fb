//! Numbers as SVG writes them: with commas, spaces, or nothing between.

use pliant::math::Vec2;

/// A text of numbers, read from its beginning.
pub struct Numbers<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Numbers<'a> {
    pub fn new(text: &'a str) -> Numbers<'a> {
        Numbers { bytes: text.as_bytes(), at: 0 }
    }

    /// Bytes read so far.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The next byte that is no space or comma.
    pub fn peek(&mut self) -> Option<u8> {
        let separates = |byte: u8| byte.is_ascii_whitespace() || byte == b',';
        while self.bytes.get(self.at).copied().is_some_and(separates) {
            self.at += 1;
        }
        self.bytes.get(self.at).copied()
    }

    /// Steps over one byte.
    pub fn step(&mut self) {
        self.at += 1;
    }

    /// The next number.
    pub fn number(&mut self) -> Result<f64, String> {
        self.peek();
        let start = self.at;
        let digits = |from: usize| {
            self.bytes[from.min(self.bytes.len())..]
                .iter()
                .take_while(|b| b.is_ascii_digit())
                .count()
        };
        let is = |at: usize, signs: &[u8]| self.bytes.get(at).is_some_and(|b| signs.contains(b));
        let mut end = start + usize::from(is(start, b"+-"));
        end += digits(end);
        if is(end, b".") {
            end += 1 + digits(end + 1);
        }
        if is(end, b"eE") {
            let exponent = end + 1 + usize::from(is(end + 1, b"+-"));
            // An `e` without digits begins a unit such as em.
            if digits(exponent) > 0 {
                end = exponent + digits(exponent);
            }
        }
        let number = std::str::from_utf8(&self.bytes[start..end]).ok().and_then(|n| n.parse().ok());
        match number.filter(|number: &f64| number.is_finite()) {
            Some(number) => {
                self.at = end;
                Ok(number)
            }
            None => Err(format!("byte {start} should begin a number")),
        }
    }

    /// Two numbers, counted from a place.
    pub fn point(&mut self, origin: Vec2) -> Result<Vec2, String> {
        Ok(origin + Vec2::new(self.number()?, self.number()?))
    }

    /// A single digit 0 or 1.
    pub fn flag(&mut self) -> Result<bool, String> {
        match self.peek() {
            Some(digit @ (b'0' | b'1')) => {
                self.at += 1;
                Ok(digit == b'1')
            }
            _ => Err(format!("byte {} should be a flag, 0 or 1", self.at)),
        }
    }

    /// What is left, without spaces around it.
    pub fn rest(&self) -> &'a str {
        std::str::from_utf8(&self.bytes[self.at.min(self.bytes.len())..]).unwrap_or("").trim()
    }
}

/// A length with its unit, in px.
pub fn length(text: &str) -> Result<f64, String> {
    let mut numbers = Numbers::new(text);
    let number = numbers.number().map_err(|_| format!("“{text}” is no length"))?;
    let scale = match numbers.rest() {
        "" | "px" => 1.0,
        "pt" => 96.0 / 72.0,
        "pc" => 16.0,
        "in" => 96.0,
        "cm" => 96.0 / 2.54,
        "mm" => 96.0 / 25.4,
        _ => return Err(format!("“{text}” has a unit that is not read; write px")),
    };
    Ok(scale * number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_px_whatever_absolute_unit_they_have() {
        for (text, expected) in [
            ("3", 3.0),
            (" 3px ", 3.0),
            ("1in", 96.0),
            ("72pt", 96.0),
            ("25.4mm", 96.0),
            ("-1e1", -10.0),
        ] {
            assert!((length(text).unwrap() - expected).abs() < 1e-12, "{text}");
        }
        for text in ["", "px", "3em", "50%", "1e999", "3 4"] {
            assert!(length(text).is_err(), "{text}");
        }
    }
}
