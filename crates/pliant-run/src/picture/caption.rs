//! Time and scale bar in the lower corners of a picture.

use super::letters::{self, HEIGHT};
use super::projection::Projection;
use super::{Image, Theme};
use crate::report::text::with_digits;

/// A picture with a shorter side than this has no room for a caption, pixels.
const ROOM: [u32; 2] = [240, 120];

/// From the edges of the picture, pixels.
const MARGIN: usize = 14;

/// Longest bar, relative to the width of the picture.
const LONGEST: f64 = 0.16;

/// Units of lengths, the largest first, m.
const UNITS: [(f64, &str); 5] = [(1e3, "km"), (1.0, "m"), (1e-2, "cm"), (1e-3, "mm"), (1e-6, "um")];

/// Ink on light and on dark, sRGB.
const INK: [[u8; 3]; 2] = [[60, 68, 80], [205, 212, 222]];

/// Digits of the time.
const DIGITS: usize = 4;

/// Writes the time, s, and a bar of a round length at the middle of what is framed.
pub fn write(image: &mut Image, projection: &Projection, time: f64, theme: Theme) {
    let [width, height] = image.size;
    if width < ROOM[0] || height < ROOM[1] {
        return;
    }
    let [width, height] = [width as usize, height as usize];
    let ink = INK[theme as usize];
    let scale = if height >= 400 { 2 } else { 1 };
    let row = height - MARGIN - scale * HEIGHT;
    let time = format!("t = {} s", with_digits(time, DIGITS).replace('−', "-"));
    image.write([MARGIN, row], &time, scale, ink);
    let pixel = projection.distance(projection.middle) / projection.focal;
    let Some((length, label)) = round_length(LONGEST * width as f64 * pixel) else { return };
    let bar = (length / pixel).round() as usize;
    let end = width - MARGIN;
    let start = end.saturating_sub(bar);
    for x in start..=end {
        image.dot([x, height - MARGIN], ink);
        image.dot([x, height - MARGIN - 1], ink);
    }
    for y in height - MARGIN - 5..height - MARGIN {
        image.dot([start, y], ink);
        image.dot([end, y], ink);
    }
    let begin = end.saturating_sub(bar / 2 + letters::width(&label, scale) / 2);
    image.write([begin.min(end), row - 8], &label, scale, ink);
}

/// The longest of 1, 2 and 5 times a power of ten up to a length, m, with its text.
fn round_length(most: f64) -> Option<(f64, String)> {
    let (unit, name) = UNITS.into_iter().find(|(unit, _)| most >= *unit)?;
    let mut power = 1.0;
    while 10.0 * power * unit <= most {
        power *= 10.0;
        if power > 1e6 {
            return None;
        }
    }
    let steps = [5.0, 2.0, 1.0].map(|k| k * power);
    let count = steps.into_iter().find(|count| count * unit <= most)?;
    Some((count * unit, format!("{count:.0} {name}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_round_in_a_fitting_unit() {
        let cases = [
            (3.0, 2.0, "2 m"),
            (0.7, 0.5, "50 cm"),
            (0.009, 0.005, "5 mm"),
            (4.2e5, 2e5, "200 km"),
        ];
        for (most, length, label) in cases {
            let found = round_length(most).unwrap();
            assert!((found.0 / length - 1.0).abs() < 1e-12 && found.1 == label, "{found:?}");
        }
        assert_eq!(round_length(1e-9), None);
        assert_eq!(round_length(f64::INFINITY), None);
        assert_eq!(round_length(f64::NAN), None);
    }
}
