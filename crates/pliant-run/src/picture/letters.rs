//! Letters of all pictures, five pixels wide and seven high.

/// Height of a letter, in its own pixels.
pub const HEIGHT: usize = 7;

/// From the beginning of a letter to that of the next, in its own pixels.
const STEP: usize = 6;

/// Letters with their rows from the top; a bit each, the highest of five to the left.
const LETTERS: [(char, [u8; HEIGHT]); 44] = [
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
    ('a', [0, 0, 14, 1, 15, 17, 15]),
    ('b', [16, 16, 30, 17, 17, 17, 30]),
    ('c', [0, 0, 14, 16, 16, 17, 14]),
    ('d', [1, 1, 13, 19, 17, 17, 15]),
    ('e', [0, 0, 14, 17, 31, 16, 14]),
    ('f', [6, 9, 8, 28, 8, 8, 8]),
    ('g', [0, 0, 15, 17, 15, 1, 14]),
    ('h', [16, 16, 22, 25, 17, 17, 17]),
    ('i', [4, 0, 12, 4, 4, 4, 14]),
    ('j', [2, 0, 6, 2, 2, 18, 12]),
    ('k', [16, 16, 18, 20, 24, 20, 18]),
    ('l', [12, 4, 4, 4, 4, 4, 14]),
    ('m', [0, 0, 26, 21, 21, 21, 21]),
    ('n', [0, 0, 22, 25, 17, 17, 17]),
    ('o', [0, 0, 14, 17, 17, 17, 14]),
    ('p', [0, 0, 30, 17, 30, 16, 16]),
    ('q', [0, 0, 13, 19, 15, 1, 1]),
    ('r', [0, 0, 22, 25, 16, 16, 16]),
    ('s', [0, 0, 15, 16, 14, 1, 30]),
    ('t', [8, 8, 28, 8, 8, 9, 6]),
    ('u', [0, 0, 17, 17, 17, 19, 13]),
    ('v', [0, 0, 17, 17, 17, 10, 4]),
    ('w', [0, 0, 17, 17, 21, 21, 10]),
    ('x', [0, 0, 17, 10, 4, 10, 17]),
    ('y', [0, 0, 17, 17, 15, 1, 14]),
    ('z', [0, 0, 31, 2, 4, 8, 31]),
    ('.', [0, 0, 0, 0, 0, 12, 12]),
    (',', [0, 0, 0, 0, 12, 4, 8]),
    ('-', [0, 0, 0, 14, 0, 0, 0]),
    ('_', [0, 0, 0, 0, 0, 0, 31]),
    ('+', [0, 4, 4, 31, 4, 4, 0]),
    ('=', [0, 0, 31, 0, 31, 0, 0]),
    ('×', [0, 0, 17, 10, 4, 10, 17]),
    (' ', [0; HEIGHT]),
];

/// How wide a text is, pixels, where a pixel of a letter has `scale` of the picture.
pub fn width(text: &str, scale: usize) -> usize {
    scale * STEP * text.chars().count()
}

/// The pixels of a text's letters as squares of `scale` pixels: their upper left corners.
///
/// Counted from the text's own upper left corner. Capitals become small letters; letters that
/// are not known stay empty.
pub fn squares(text: &str, scale: usize) -> impl Iterator<Item = [usize; 2]> + '_ {
    text.chars().enumerate().flat_map(move |(number, letter)| {
        let letter = letter.to_ascii_lowercase();
        let rows = LETTERS.iter().find(|(known, _)| *known == letter).map(|(_, rows)| rows);
        let dots = rows.into_iter().flatten().enumerate().flat_map(|(y, row)| {
            (0..5).filter(move |x| row >> (4 - x) & 1 == 1).map(move |x| [x, y])
        });
        dots.map(move |[x, y]| [scale * (STEP * number + x), scale * y])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_differ_and_stay_within_their_height() {
        for (k, (letter, rows)) in LETTERS.iter().enumerate() {
            assert!(rows.iter().all(|row| *row < 32), "{letter}");
            // The cross of dimensions is the letter x, raised by nothing.
            let alike = LETTERS[..k].iter().filter(|(_, others)| others == rows);
            assert!(
                alike.into_iter().all(|(other, _)| (*other, *letter) == ('x', '×')),
                "{letter}"
            );
        }
    }

    #[test]
    fn squares_are_scaled_and_capitals_are_small() {
        let dot: Vec<_> = squares("1.", 2).filter(|[x, _]| *x >= 12).collect();
        // Two by two in the lowest rows of the second letter: columns 1 and 2, rows 5 and 6.
        assert_eq!(dot, [[14, 10], [16, 10], [14, 12], [16, 12]]);
        assert_eq!(squares("A", 1).collect::<Vec<_>>(), squares("a", 1).collect::<Vec<_>>());
        assert_eq!(squares("ß", 1).count(), 0);
        assert_eq!(width("abc", 2), 36);
    }
}
