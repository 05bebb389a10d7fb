//! The few letters a picture needs, five pixels wide and seven high.

use pliant::math::Vec2;

use super::canvas::{Canvas, Rgb};

/// Pixels of the picture for one of a letter.
const SCALE: usize = 2;

/// From the beginning of a letter to that of the next, in its own pixels.
const STEP: usize = 6;

/// Letters with their rows from the top; a bit each, the highest of five to the left.
const LETTERS: [(char, [u8; 7]); 16] = [
    ('0', [14, 17, 19, 21, 25, 17, 14]),
    ('1', [4, 12, 4, 4, 4, 4, 14]),
    ('2', [14, 17, 1, 6, 8, 16, 31]),
    ('3', [14, 17, 1, 6, 1, 17, 14]),
    ('4', [2, 6, 10, 18, 31, 2, 2]),
    ('5', [31, 16, 30, 1, 1, 17, 14]),
    ('6', [6, 8, 16, 30, 17, 17, 14]),
    ('7', [31, 1, 2, 4, 8, 8, 8]),
    ('8', [14, 17, 17, 14, 17, 17, 14]),
    ('9', [14, 17, 17, 15, 1, 2, 12]),
    ('.', [0, 0, 0, 0, 0, 12, 12]),
    ('-', [0, 0, 0, 14, 0, 0, 0]),
    ('+', [0, 4, 4, 31, 4, 4, 0]),
    ('e', [0, 0, 14, 17, 31, 16, 14]),
    ('a', [0, 0, 14, 1, 15, 17, 15]),
    ('b', [16, 16, 30, 17, 17, 17, 30]),
];

/// How wide a text is, pixels.
pub fn width(text: &str) -> f64 {
    (SCALE * STEP * text.chars().count()) as f64
}

/// Writes a text from its upper left corner; letters that are not known stay empty.
pub fn write(canvas: &mut Canvas, corner: Vec2, text: &str, colour: Rgb) {
    for (number, letter) in text.chars().enumerate() {
        let Some((_, rows)) = LETTERS.iter().find(|(known, _)| *known == letter) else { continue };
        for (y, row) in rows.iter().enumerate() {
            for x in (0..5).filter(|x| row >> (4 - x) & 1 == 1) {
                let at = [
                    corner.x as usize + SCALE * (STEP * number + x),
                    corner.y as usize + SCALE * y,
                ];
                canvas.square(at, SCALE, colour);
            }
        }
    }
}
