//! The few letters that a caption needs, five pixels wide and seven high.

use super::Image;

/// Height of a letter, in its own pixels.
pub const HEIGHT: usize = 7;

/// From the beginning of a letter to that of the next, in its own pixels.
const STEP: usize = 6;

/// Letters with their rows from the top; a bit each, the highest of five to the left.
const LETTERS: [(char, [u8; HEIGHT]); 21] = [
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
    ('=', [0, 0, 31, 0, 31, 0, 0]),
    ('×', [0, 0, 17, 10, 4, 10, 17]),
    ('t', [8, 8, 28, 8, 8, 9, 6]),
    ('s', [0, 0, 15, 16, 14, 1, 30]),
    ('m', [0, 0, 26, 21, 21, 21, 21]),
    ('c', [0, 0, 14, 16, 16, 17, 14]),
    ('k', [16, 16, 18, 20, 24, 20, 18]),
    ('u', [0, 0, 17, 17, 17, 19, 13]),
    (' ', [0; HEIGHT]),
];

/// How wide a text is, pixels, where a pixel of a letter has `scale` of the picture.
pub fn width(text: &str, scale: usize) -> usize {
    scale * STEP * text.chars().count()
}

/// Writes a text from its upper left corner; letters that are not known stay empty.
pub fn write(image: &mut Image, corner: [usize; 2], text: &str, scale: usize, ink: [u8; 3]) {
    for (number, letter) in text.chars().enumerate() {
        let Some((_, rows)) = LETTERS.iter().find(|(known, _)| *known == letter) else { continue };
        for (y, row) in rows.iter().enumerate() {
            for x in (0..5).filter(|x| row >> (4 - x) & 1 == 1) {
                let at = [corner[0] + scale * (STEP * number + x), corner[1] + scale * y];
                for k in 0..scale * scale {
                    image.dot([at[0] + k % scale, at[1] + k / scale], ink);
                }
            }
        }
    }
}
