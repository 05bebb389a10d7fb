//! Text that is safe to put into a page, and numbers that are easy to read.

use pliant_io::printable::{REPLACEMENT, is_hidden};

/// Superscripts, by digit.
const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

/// Sizes that are written without a power of ten, unit of the value.
const PLAIN: std::ops::Range<f64> = 1e-3..1e6;

/// Text as HTML, in elements and in attributes with quotes; what is hidden is replaced.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' => safe.push(letter),
            hidden if is_hidden(hidden) => safe.push(REPLACEMENT),
            other => safe.push(other),
        }
    }
    safe
}

/// A number with four significant digits.
///
/// Powers of ten are written out where they would make many zeros; NaN is
/// written as text.
pub fn number(value: f64) -> String {
    with_digits(value, 4)
}

/// A number with so many significant digits.
pub fn with_digits(value: f64, digits: usize) -> String {
    if value.is_nan() {
        return "not a number".to_string();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞" } else { "−∞" }.to_string();
    }
    if value == 0.0 {
        return "0".to_string();
    }
    let digits = digits.max(1);
    // Rounded first: 999.96 has four digits before the point once it is 1000.
    let rounded = format!("{:.*e}", digits - 1, value);
    let (mantissa, exponent) = rounded.split_once('e').unwrap_or((&rounded, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let text = if PLAIN.contains(&value.abs()) {
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        trimmed(&format!("{value:.decimals$}")).to_string()
    } else {
        format!("{}×10{}", trimmed(mantissa), raised(exponent))
    };
    text.replace('-', "−")
}

/// A count with thin spaces between thousands.
pub fn count(value: usize) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// A power as superscript.
pub fn raised(exponent: i32) -> String {
    let digits = exponent.unsigned_abs().to_string();
    let sign = if exponent < 0 { "⁻" } else { "" };
    let digits = digits.chars().filter_map(|d| RAISED.get(d.to_digit(10)? as usize));
    sign.chars().chain(digits.copied()).collect()
}

/// Without zeros at the end of decimals.
fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_can_leave_its_element() {
        assert_eq!(
            escaped("<b a=\"1\" c='2'>&\u{7}\u{9b}\u{202e}\n"),
            "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;\u{fffd}\u{fffd}\u{fffd}\n"
        );
        assert_eq!(escaped("μ = 0,3 – schön"), "μ = 0,3 – schön");
    }

    #[test]
    fn numbers_have_four_digits_and_no_needless_zeros() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (-2.5, "−2.5"),
            (0.016_666_7, "0.01667"),
            (999.96, "1000"),
            (123_456.7, "123457"),
            (1.5e9, "1.5×10⁹"),
            (-3.2e-12, "−3.2×10⁻¹²"),
            (9.9999e-4, "1×10⁻³"),
            (f64::NAN, "not a number"),
            (f64::NEG_INFINITY, "−∞"),
            (5e-324, "4.941×10⁻³²⁴"),
        ];
        for (value, expected) in cases {
            assert_eq!(number(value), expected);
        }
    }

    #[test]
    fn counts_are_grouped_by_thousands() {
        let texts = [0, 999, 1000, 1_234_567].map(count);
        assert_eq!(texts, ["0", "999", "1\u{202f}000", "1\u{202f}234\u{202f}567"]);
    }
}
