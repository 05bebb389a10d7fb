//! Pixels that two drawings share, by each of four uses of a frame buffer.
//!
//! A buffer is cleared, b is drawn, a is drawn, and the value of a pixel shows whether both
//! covered it [Hoff01 §2.2.1]. What two outlines share is found for certain only with
//! circumscribed drawings, whose shared pixels are candidates for an exact test; pixels of
//! filled outlines are certain one by one and miss what is thinner than a pixel.
//!
//! - Implements: [Hoff01 tbl. 1].
//! - Erratum: [Hoff01 tbl. 1] counts a drawing that covers a pixel twice as two outlines:
//!   `as_printed_an_outline_shares_pixels_with_itself` (P3). Filled outlines miss overlaps up to
//!   a pixel thick: `a_thin_overlap_is_missed_by_centres_and_found_by_covering` (P1); a
//!   boundary against a volume misses as well: `a_shallow_edge_is_missed_as_printed` (P7).

use std::ops::Range;

use super::super::field::Window;
use super::super::outline::Outlines;
use super::draw::{Drawn, draw};

/// How shared pixels are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// b sets the stencil to one, a raises it where it is one.
    Stencil,
    /// Colours are added: b is red and a is green, and saturation does no harm.
    Blend,
    /// Colours are joined by OR: b has the lower bits and a the highest.
    Logic,
    /// b sets the depth to zero, a writes a colour where the depth is equal.
    ColourDepth,
}

impl Strategy {
    /// All of them.
    pub const ALL: [Strategy; 4] =
        [Strategy::Stencil, Strategy::Blend, Strategy::Logic, Strategy::ColourDepth];

    fn passes(self) -> Passes {
        match self {
            Strategy::Stencil => Passes {
                clear: [0, 0],
                b: |_| [1, 0],
                a: |p| [if p[0] == 1 { 2 } else { p[0] }, 0],
                shared: |p| p[0] == 2,
            },
            Strategy::Blend => Passes {
                clear: [0, 0],
                b: |p| [p[0].saturating_add(u8::MAX), p[1]],
                a: |p| [p[0], p[1].saturating_add(u8::MAX)],
                shared: |p| p == [u8::MAX; 2],
            },
            Strategy::Logic => Passes {
                clear: [0, 0],
                b: |p| [p[0] | 127, 0],
                a: |p| [p[0] | 128, 0],
                shared: |p| p[0] == u8::MAX,
            },
            Strategy::ColourDepth => Passes {
                clear: [0, 1],
                b: |p| [p[0], 0],
                a: |p| [if p[1] == 0 { u8::MAX } else { p[0] }, p[1]],
                shared: |p| p[0] == u8::MAX,
            },
        }
    }
}

/// What a pixel holds: two numbers of one byte, a colour and a depth or two colours.
type Pixel = [u8; 2];

/// The operations on the pixels.
#[derive(Clone, Copy)]
struct Passes {
    /// Initial value of the pixels.
    clear: Pixel,
    /// What drawing b does to a pixel.
    b: fn(Pixel) -> Pixel,
    /// What drawing a does to a pixel afterwards.
    a: fn(Pixel) -> Pixel,
    /// Whether the value of a pixel means that both covered it.
    shared: fn(Pixel) -> bool,
}

/// A frame buffer; kept, it allocates once.
#[derive(Clone, Debug, Default)]
pub struct Buffer {
    /// Pixels side by side.
    width: usize,
    /// Rows from below.
    pixels: Vec<Pixel>,
    /// Columns and rows that the last drawing reached, from and up to.
    touched: [Range<u32>; 2],
}

/// Two outlines in a window, and what of them is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Pictures<'a> {
    /// The set that both are of.
    pub outlines: &'a Outlines,
    /// The first, and what of it is drawn.
    pub a: (usize, Drawn),
    /// The second, and what of it is drawn.
    pub b: (usize, Drawn),
    /// Where both are drawn.
    pub window: Window,
}

impl Buffer {
    /// Draws both and appends the pixels that they share, by row and column.
    ///
    /// The least and most column and row of a drawing are kept: a is not drawn where b left
    /// the window empty, and only what both reached is searched.
    pub fn shared(&mut self, pictures: &Pictures, strategy: Strategy, found: &mut Vec<[u32; 2]>) {
        self.run(pictures, strategy.passes(), found);
    }

    fn run(&mut self, pictures: &Pictures, passes: Passes, found: &mut Vec<[u32; 2]>) {
        let Pictures { outlines, a, b, window } = *pictures;
        self.width = window.width as usize;
        self.pixels.clear();
        self.pixels.resize(window.pixels(), passes.clear);
        self.draw(outlines, b.0, b.1, &window, passes.b);
        if self.touched[1].is_empty() {
            return;
        }
        let of_b = self.touched.clone();
        self.draw(outlines, a.0, a.1, &window, passes.a);
        let [columns, rows] = [0, 1].map(|axis| {
            let [p, q] = [&of_b[axis], &self.touched[axis]];
            p.start.max(q.start)..p.end.min(q.end)
        });
        for y in rows {
            let row = &self.pixels[y as usize * self.width..];
            let shared = columns.clone().filter(|&x| (passes.shared)(row[x as usize]));
            found.extend(shared.map(|x| [x, y]));
        }
    }

    /// Draws one outline and returns which columns and rows it reached.
    fn draw(
        &mut self,
        outlines: &Outlines,
        outline: usize,
        drawn: Drawn,
        window: &Window,
        pass: fn(Pixel) -> Pixel,
    ) {
        const NOTHING: Range<u32> = Range { start: u32::MAX, end: 0 };
        let mut touched = [NOTHING; 2];
        let (pixels, width) = (&mut self.pixels, self.width);
        draw(outlines, outline, window, drawn, |y, run| {
            for (range, [low, high]) in touched.iter_mut().zip([[run.start, run.end], [y, y + 1]]) {
                *range = range.start.min(low)..range.end.max(high);
            }
            let row = y as usize * width;
            let run = row + run.start as usize..row + run.end as usize;
            pixels[run].iter_mut().for_each(|pixel| *pixel = pass(*pixel));
        });
        self.touched = touched;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::math::Vec2;

    /// Bound of the paper, m: half a pixel's diagonal.
    const ERROR: f64 = 0.05;

    /// The table as it stands in the paper; the fourth row is right as it is.
    const PRINTED: [Passes; 3] = [
        Passes {
            clear: [0, 0],
            b: |p| [p[0].saturating_add(1), 0],
            a: |p| [if p[0] == 1 { 2 } else { p[0] }, 0],
            shared: |p| p[0] == 2,
        },
        Passes {
            clear: [0, 0],
            b: |_| [128, 0],
            a: |p| [p[0].saturating_add(127), 0],
            shared: |p| p[0] == 255,
        },
        Passes {
            // a logic operation not named; XOR for one
            clear: [0, 0],
            b: |_| [127, 0],
            a: |p| [p[0] ^ 128, 0],
            shared: |p| p[0] == 255,
        },
    ];

    fn pair(a: &[(f64, f64)], b: &[(f64, f64)]) -> Outlines {
        let mut outlines = Outlines::default();
        for ring in [a, b] {
            outlines.push(&[ring.iter().map(|&(x, y)| Vec2::new(x, y)).collect()]).unwrap();
        }
        outlines
    }

    fn shared(outlines: &Outlines, a: Drawn, b: Drawn, passes: Passes) -> Vec<[u32; 2]> {
        let window = Window::over([Vec2::splat(-0.2), Vec2::splat(2.2)], ERROR, 1);
        let mut found = Vec::new();
        let pictures = Pictures { outlines, a: (0, a), b: (1, b), window };
        Buffer::default().run(&pictures, passes, &mut found);
        found
    }

    /// Two zigzags that cross here and there.
    fn zigzags() -> Outlines {
        // The short fifth edge of a lies under three layers, within b's box and not near b.
        let a = [(0.0, 0.0), (2.0, 0.2), (1.0, 0.5), (1.9, 1.3), (0.45, 1.15), (0.4, 1.1)];
        let b = [(0.5, 0.9), (2.1, 0.4), (1.4, 2.0), (1.2, 1.2)];
        pair(&a, &b)
    }

    #[test]
    fn all_strategies_share_the_same_pixels() {
        let outlines = zigzags();
        for a in [Drawn::Boundary(ERROR), Drawn::Volume, Drawn::Covered] {
            for b in [Drawn::Boundary(2.0 * ERROR), Drawn::Volume, Drawn::Covered] {
                let [first, others @ ..] =
                    Strategy::ALL.map(|strategy| shared(&outlines, a, b, strategy.passes()));
                assert!(first.len() > 10, "{a:?} {b:?}");
                others.iter().for_each(|other| assert_eq!(other, &first, "{a:?} {b:?}"));
            }
        }
    }

    #[test]
    fn as_printed_an_outline_shares_pixels_with_itself() {
        let outlines = zigzags();
        let thick = Drawn::Boundary(0.15);
        let right = shared(&outlines, thick, thick, Strategy::ColourDepth.passes());
        let [stencil, blend, logic] = PRINTED.map(|passes| shared(&outlines, thick, thick, passes));
        assert!(stencil.iter().any(|pixel| !right.contains(pixel)));
        assert!(blend.iter().any(|pixel| !right.contains(pixel)));
        assert!(right.iter().any(|pixel| !logic.contains(pixel)));
    }

    #[test]
    fn a_thin_overlap_is_missed_by_centres_and_found_by_covering() {
        // One pixel is √2 · 0.05 = 0.0707 m: between two rows of centres, 0.07 m fit.
        let window = Window::over([Vec2::splat(-0.2), Vec2::splat(2.2)], ERROR, 1);
        let (low, high) = (window.centre(0, 9).y + 0.0003, window.centre(0, 10).y - 0.0003);
        assert!(high - low > 1.39 * ERROR);
        let a = [(0.0, 0.1), (2.0, 0.1), (2.0, high), (0.0, high)];
        let b = [(0.0, low), (2.0, low), (2.0, 2.0), (0.0, 2.0)];
        let outlines = pair(&a, &b);
        for strategy in Strategy::ALL {
            let by = |drawn| shared(&outlines, drawn, drawn, strategy.passes());
            assert!(by(Drawn::Volume).is_empty());
            assert!(by(Drawn::Covered).len() > 20);
        }
    }

    #[test]
    fn a_shallow_edge_is_missed_as_printed() {
        // The upper edge of a is 0.39 d above the lower of b, and no centre of the row that
        // lies within d of it is inside b.
        let window = Window::over([Vec2::splat(-0.2), Vec2::splat(2.2)], ERROR, 1);
        let low = window.centre(0, 9).y + 0.0001;
        let high = low + 0.39 * ERROR;
        let a = [(0.0, 0.1), (2.0, 0.1), (2.0, high), (0.0, high)];
        let b = [(-0.1, low), (2.1, low), (2.1, 2.0), (-0.1, 2.0)];
        let outlines = pair(&a, &b);
        let printed = Drawn::Boundary(ERROR);
        let passes = Strategy::ColourDepth.passes();
        assert!(shared(&outlines, printed, Drawn::Volume, passes).is_empty());
        assert!(!shared(&outlines, printed, Drawn::Covered, passes).is_empty());
    }

    #[test]
    fn nothing_drawn_ends_early() {
        let mut outlines = zigzags();
        outlines.points_mut()[6..].iter_mut().for_each(|point| point.x += 100.0);
        for strategy in Strategy::ALL {
            let found = shared(&outlines, Drawn::Covered, Drawn::Covered, strategy.passes());
            assert!(found.is_empty());
        }
    }
}
