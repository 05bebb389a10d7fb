//! One segment against the pixels of a tile, and against a rectangle of tiles.
//!
//! | here     | meaning                                                    |
//! |----------|------------------------------------------------------------|
//! | `along`  | way along a segment from its beginning, m                  |
//! | `across` | signed distance from the line through it, m                |
//! | `beyond` | how far `along` is past an end, m; zero beside the segment |

use pliant::math::Vec2;

use super::tiled::TILE;

/// A segment, ready to be measured from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// Where it begins, m.
    pub(super) from: Vec2,
    /// Its direction, unit; any direction for a segment without length.
    pub(super) way: Vec2,
    /// Its length, m.
    pub(super) length: f64,
    /// Direction of the segment before, unit, or zero without length.
    pub(super) before: Vec2,
    /// The point it begins at.
    pub(super) site: u32,
}

/// A number for each pixel of a tile.
pub(super) type Lanes = [f64; TILE * TILE];

/// A site for each pixel of a tile, as wide as a distance.
pub(super) type Sites = [u64; TILE * TILE];

/// Column of each pixel of a tile.
const COLUMN: Lanes = lanes(1);

/// Row of each pixel of a tile.
const ROW: Lanes = lanes(TILE);

/// The position in a tile divided by a number, without what goes around after [`TILE`].
const fn lanes(divisor: usize) -> Lanes {
    let mut lanes = [0.0; TILE * TILE];
    let mut at = 0;
    while at < TILE * TILE {
        lanes[at] = (at / divisor % TILE) as f64;
        at += 1;
    }
    lanes
}

/// The larger, as one instruction; NaN counts as smaller.
#[inline]
fn larger(p: f64, q: f64) -> f64 {
    if p > q { p } else { q }
}

impl Edge {
    /// Squares of the least and the most distance from a rectangle, m²; bounds of both.
    ///
    /// The least is infinite when no part of the rectangle has its nearest point here: one
    /// within the segment has the part beside it; the first point has it ahead of the
    /// segment before and behind this one. The last point is the next segment's first.
    #[inline]
    pub(super) fn bounds_sq(&self, middle: Vec2, half: Vec2, slack: f64) -> [f64; 2] {
        let between = middle - self.from;
        let (along, across) = (self.way.dot(between), self.way.perp_dot(between).abs());
        let [x, y] = [self.way.x.abs(), self.way.y.abs()];
        let along_half = x * half.x + y * half.y + slack;
        let across_half = y * half.x + x * half.y + slack;
        let beyond = larger(-along, along - self.length);
        let square = |across: f64, beyond: f64| {
            let (across, beyond) = (larger(across, 0.0), larger(beyond, 0.0));
            across * across + beyond * beyond
        };
        let most = square(across + across_half, beyond + along_half);
        let ahead = || {
            let extent = self.before.abs().dot(half) + slack;
            self.before.dot(between) >= -extent
        };
        let faces = beyond <= along_half || (along <= along_half && ahead()) || self.length == 0.0;
        let least = square(across - across_half, beyond - along_half);
        [if faces { least } else { f64::INFINITY }, most]
    }

    /// Writes itself where it is nearer than what a tile holds.
    #[inline]
    pub(super) fn measure(&self, corner: Vec2, pixel: f64, nearest: &mut Lanes, which: &mut Sites) {
        let site = u64::from(self.site);
        let between = corner - self.from;
        let (along, across) = (self.way.dot(between), self.way.perp_dot(between));
        let [along_x, along_y] = [self.way.x * pixel, self.way.y * pixel];
        let [across_x, across_y] = [-self.way.y * pixel, self.way.x * pixel];
        // A loop without calls over two rows, and within it those two, four and six above: the
        // compiler makes lanes of two numbers, and what the rows share is computed once.
        for at in 0..2 * TILE {
            let along = along + (COLUMN[at] * along_x + ROW[at] * along_y);
            let across = across + (COLUMN[at] * across_x + ROW[at] * across_y);
            for above in (0..TILE).step_by(2) {
                let at = at + above * TILE;
                let along = along + above as f64 * along_y;
                let across = across + above as f64 * across_y;
                let beyond = larger(larger(-along, along - self.length), 0.0);
                let distance_sq = across * across + beyond * beyond;
                // A mask of bits, as wide as the numbers, chooses both without a branch.
                let nearer = if distance_sq < nearest[at] { u64::MAX } else { 0 };
                let choose = |new: u64, old: u64| (new & nearer) | (old & !nearer);
                nearest[at] = f64::from_bits(choose(distance_sq.to_bits(), nearest[at].to_bits()));
                which[at] = choose(site, which[at]);
            }
        }
    }
}
