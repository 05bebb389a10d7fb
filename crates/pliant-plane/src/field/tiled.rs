//! The exact field: in every tile only the segments that can be nearest there.
//!
//! A rectangle of tiles keeps two kinds of segments: not farther from its middle than the
//! nearest by more than its diagonal, and with a part of the rectangle beside them or in
//! the wedge before their first point, which is where the parts of a distance mesh
//! [Hoff01 §2.2.2] are lowest. The rectangle is cut until it is one tile.

use std::ops::Range;

use pliant::math::Vec2;
use pliant::par;

use super::super::exact::nearest::Pending;
use super::super::exact::tree::View;
use super::super::outline::Outlines;
use super::super::raster::rows::Fill;
use super::super::rect::Rect;
use super::edge::{Edge, Lanes, Sites};
use super::{Field, NO_SITE, Window};

/// Side of a tile, pixels.
pub const TILE: usize = 8;

/// Tiles above each other in a band, which one thread draws.
const BAND: usize = 16;

/// Slack of the tests of rectangles, relative to the largest coordinate: far above rounding.
const SLACK: f64 = 1e-13;

/// A rectangle of tiles.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// Columns and rows of tiles: from and up to.
    x: [usize; 2],
    /// Rows of tiles.
    y: [usize; 2],
}

/// Lists of segments that can be nearest, from the whole band to the current tile.
#[derive(Clone, Debug, Default)]
struct Scratch {
    /// The lists, the innermost last: positions in the edges.
    stack: Vec<u32>,
    /// Squares of the least distances of the candidates from one rectangle, m².
    least: Vec<f64>,
}

/// Draws exact fields, and keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct Tiled {
    /// Segments of the current outline.
    edges: Vec<Edge>,
    /// Those that can be nearest in the current window: positions, ascending.
    candidates: Vec<u32>,
    /// What is inside it.
    fill: Fill,
    /// Nodes of the boxes still to be visited.
    pending: Pending,
    /// One for each band.
    scratch: Vec<Scratch>,
    /// Largest coordinate, m.
    size: f64,
    /// Most threads; 0 and 1 are the same.
    threads: usize,
}

/// Which tiles of a window are to be drawn.
#[derive(Clone, Debug, Default)]
pub struct Tiles {
    /// Tiles side by side.
    columns: usize,
    /// For each tile, rows from below, whether it is wanted.
    wanted: Vec<bool>,
}

impl Tiles {
    /// Marks no tile of a window as wanted.
    pub fn clear(&mut self, window: &Window) {
        self.columns = (window.width as usize).div_ceil(TILE);
        self.wanted.clear();
        self.wanted.resize(self.columns * (window.height as usize).div_ceil(TILE), false);
    }

    /// Marks the tiles of a rectangle of pixels as wanted, corners included.
    pub fn want(&mut self, [x0, y0]: [u32; 2], [x1, y1]: [u32; 2]) {
        for row in y0 as usize / TILE..=y1 as usize / TILE {
            let row = row * self.columns;
            self.wanted[row + x0 as usize / TILE..=row + x1 as usize / TILE].fill(true);
        }
    }

    fn any(&self, node: Node) -> bool {
        (node.y[0]..node.y[1])
            .any(|row| self.wanted[row * self.columns..][node.x[0]..node.x[1]].contains(&true))
    }
}

/// What all bands of one drawing share.
#[derive(Clone, Copy)]
struct Job<'a> {
    /// Segments of the outline.
    edges: &'a [Edge],
    /// Those that can be nearest somewhere: positions, ascending.
    candidates: &'a [u32],
    /// What is inside it.
    fill: &'a Fill,
    /// Where the pixels are.
    window: Window,
    /// Largest distance that is drawn, m.
    reach: f64,
    /// Which tiles of the window are wanted; all without.
    tiles: Option<&'a Tiles>,
    /// Slack of the tests of rectangles, m.
    slack: f64,
}

impl Tiled {
    /// Sets the number of threads; the field stays bitwise the same.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads;
    }

    /// Draws the signed field of an outline, as far as it matters.
    ///
    /// Distances above `reach`, m, are left infinite. With `tiles` the others keep what
    /// they held. Exact up to rounding; of several nearest segments any may be the site.
    pub fn draw(
        &mut self,
        outlines: &Outlines,
        outline: usize,
        reach: f64,
        tiles: Option<&Tiles>,
        field: &mut Field,
    ) {
        self.take(outlines, outline);
        self.fill.draw(outlines, outline, &field.window);
        self.candidates.clear();
        self.candidates.extend(0..self.edges.len() as u32);
        self.draw_candidates(reach, tiles, field);
    }

    /// Draws the same field from the segments near the window alone.
    ///
    /// [`Tiled::take`] has taken the outline before.
    pub(in super::super) fn draw_near(
        &mut self,
        view: View<'_>,
        outline: usize,
        reach: f64,
        tiles: Option<&Tiles>,
        field: &mut Field,
    ) {
        let window = field.window;
        let size = window.pixel * Vec2::new(f64::from(window.width), f64::from(window.height));
        let rect = Rect { min: window.corner, max: window.corner + size };
        let first = view.outlines.range(outline).start;
        // No pixel is farther from a segment than the middle is, and half the diagonal.
        let middle = rect.min.midpoint(rect.max);
        let (_, nearest) = view.nearest(outline, middle, first as u32, &mut self.pending);
        let coordinate = rect.min.abs().max(rect.max.abs()).max_element().max(self.size);
        let most = reach.min(nearest + 0.5 * size.length()) + SLACK * coordinate;
        self.candidates.clear();
        view.segments_near(outline, &rect, most * most, &mut self.candidates);
        self.fill.draw_near(view, outline, &self.candidates, &window);
        self.candidates.iter_mut().for_each(|at| *at -= first as u32);
        self.draw_candidates(reach, tiles, field);
    }

    /// Draws what the candidates and the fill say.
    fn draw_candidates(&mut self, reach: f64, tiles: Option<&Tiles>, field: &mut Field) {
        let window = field.window;
        field.resize(window);
        let bands = (window.height as usize).div_ceil(BAND * TILE);
        if self.scratch.len() < bands {
            self.scratch.resize_with(bands, Scratch::default);
        }
        let far = window.corner
            + window.pixel * Vec2::new(f64::from(window.width), f64::from(window.height));
        let size = window.corner.abs().max(far.abs()).max_element().max(self.size);
        let (edges, fill, slack) = (&self.edges[..], &self.fill, SLACK * size);
        let candidates = &self.candidates[..];
        let job = Job { edges, candidates, fill, window, reach, tiles, slack };
        let share = Share {
            scratch: &mut self.scratch[..bands],
            distance: &mut field.distance,
            site: &mut field.site,
        };
        job.bands(share, 0..bands, self.threads);
    }

    /// Takes the segments of an outline.
    pub(in super::super) fn take(&mut self, outlines: &Outlines, outline: usize) {
        self.edges.clear();
        self.size = 0.0;
        for ring in outlines.rings(outline) {
            let [from, to] = outlines.segment(ring.end - 1);
            let mut before = (to - from).try_normalize().unwrap_or(Vec2::ZERO);
            for at in ring {
                let [from, to] = outlines.segment(at);
                let after = (to - from).try_normalize();
                let (way, length) = (after.unwrap_or(Vec2::X), from.distance(to));
                let site = at as u32;
                self.edges.push(Edge { from, way, length, before, site });
                self.size = self.size.max(from.abs().max_element());
                before = after.unwrap_or(Vec2::ZERO);
            }
        }
    }
}

/// The memory of some bands.
struct Share<'a> {
    /// One for each band.
    scratch: &'a mut [Scratch],
    /// Rows of the field, m.
    distance: &'a mut [f64],
    /// Rows of sites.
    site: &'a mut [u32],
}

impl Job<'_> {
    /// Draws a range of bands, halves of it at the same time where threads are left.
    fn bands(&self, share: Share, bands: Range<usize>, threads: usize) {
        let rows = BAND * TILE * self.window.width as usize;
        if threads > 1 && bands.len() > 1 {
            let middle = bands.len() / 2;
            let (scratch, scratch_high) = share.scratch.split_at_mut(middle);
            let (distance, distance_high) = share.distance.split_at_mut(middle * rows);
            let (site, site_high) = share.site.split_at_mut(middle * rows);
            let low = Share { scratch, distance, site };
            let high = Share { scratch: scratch_high, distance: distance_high, site: site_high };
            let (at, end) = (bands.start + middle, bands.end);
            par::both(
                || self.bands(low, bands.start..at, threads / 2),
                || self.bands(high, at..end, threads - threads / 2),
            );
            return;
        }
        let mut memory = share.distance.chunks_mut(rows).zip(share.site.chunks_mut(rows));
        for (band, scratch) in bands.zip(share.scratch) {
            let Some((distance, site)) = memory.next() else { return };
            let [columns, tile_rows] =
                [self.window.width, self.window.height].map(|n| (n as usize).div_ceil(TILE));
            let y = [band * BAND, ((band + 1) * BAND).min(tile_rows)];
            let node = Node { x: [0, columns], y };
            scratch.stack.clear();
            scratch.stack.extend(self.candidates);
            self.node(node, scratch, 0, &mut Band { first: band * BAND * TILE, distance, site });
        }
    }

    /// Draws a rectangle of tiles from the candidates above `start` in the stack.
    fn node(&self, node: Node, scratch: &mut Scratch, start: usize, band: &mut Band) {
        if self.tiles.is_some_and(|tiles| !tiles.any(node)) {
            return;
        }
        let end = scratch.stack.len();
        self.keep(node, scratch, start);
        let [wide, high] = [node.x, node.y].map(|side| side[1] - side[0]);
        if wide == 1 && high == 1 {
            self.tile(node, &scratch.stack[end..], band);
        } else {
            // A side much shorter than the other stays whole.
            let halves = |side: [usize; 2], length: usize, other: usize| {
                let middle = if 2 * length > other { side[0] + length / 2 } else { side[0] };
                [[side[0], middle], [middle, side[1]]].into_iter().filter(|[a, b]| a < b)
            };
            for y in halves(node.y, high, wide) {
                for x in halves(node.x, wide, high) {
                    self.node(Node { x, y }, scratch, end, band);
                }
            }
        }
        scratch.stack.truncate(end);
    }

    /// Appends those candidates that can be nearest somewhere in a rectangle.
    fn keep(&self, node: Node, scratch: &mut Scratch, start: usize) {
        // The rectangle of the centres; nothing else is measured.
        let at = |tile: usize| (tile * TILE) as f64 + 0.5;
        let last = |side: [usize; 2], most: u32| at(side[1]).min(f64::from(most) + 0.5) - 1.0;
        let low = Vec2::new(at(node.x[0]), at(node.y[0]));
        let high = Vec2::new(last(node.x, self.window.width), last(node.y, self.window.height));
        let middle = self.window.corner + 0.5 * self.window.pixel * (low + high);
        let half = 0.5 * self.window.pixel * (high - low);
        let end = scratch.stack.len();
        let mut nearest = (self.reach + self.slack) * (self.reach + self.slack);
        scratch.least.resize(end - start, 0.0);
        for (slot, &candidate) in scratch.least.iter_mut().zip(&scratch.stack[start..]) {
            let edge = &self.edges[candidate as usize];
            let [least, most] = edge.bounds_sq(middle, half, self.slack);
            nearest = if most < nearest { most } else { nearest };
            *slot = least;
        }
        for (index, &least) in scratch.least.iter().enumerate() {
            if least <= nearest {
                let candidate = scratch.stack[start + index];
                scratch.stack.push(candidate);
            }
        }
    }

    /// Measures every pixel of a tile.
    fn tile(&self, node: Node, candidates: &[u32], band: &mut Band) {
        let [x0, y0] = [node.x[0], node.y[0]].map(|tile| tile * TILE);
        let wide = (self.window.width as usize - x0).min(TILE);
        let high = (self.window.height as usize - y0).min(TILE);
        let corner = self.window.centre(x0 as u32, y0 as u32);
        let mut nearest: Lanes = [f64::INFINITY; TILE * TILE];
        let mut which: Sites = [0; TILE * TILE];
        for &candidate in candidates {
            let edge = &self.edges[candidate as usize];
            edge.measure(corner, self.window.pixel, &mut nearest, &mut which);
        }
        let reach_sq = self.reach * self.reach;
        for row in 0..high {
            let at = (y0 - band.first + row) * self.window.width as usize + x0;
            let distance = &mut band.distance[at..at + wide];
            let site = &mut band.site[at..at + wide];
            if candidates.is_empty() {
                distance.fill(f64::INFINITY);
                site.fill(NO_SITE);
                continue;
            }
            for x in 0..wide {
                distance[x] = nearest[row * TILE + x].sqrt();
                site[x] = which[row * TILE + x] as u32;
            }
            self.sign(y0 + row, x0, distance);
            let row_sq = &nearest[row * TILE..][..wide];
            if reach_sq.is_finite() && row_sq.iter().any(|distance_sq| *distance_sq > reach_sq) {
                for x in (0..wide).filter(|&x| nearest[row * TILE + x] > reach_sq) {
                    (distance[x], site[x]) = (f64::INFINITY, NO_SITE);
                }
            }
        }
    }

    /// Makes distances from column `x0` of a row on negative where they are inside.
    fn sign(&self, row: usize, x0: usize, distance: &mut [f64]) {
        let turns = self.fill.turns(row);
        let (start, end) = (x0 as u32, (x0 + distance.len()) as u32);
        // Most rows of a tile have no turn within: one count decides them.
        let before = turns.partition_point(|turn| *turn <= start);
        let (mut odd, mut from) = (before % 2 == 1, 0);
        for &turn in turns[before..].iter().take_while(|turn| **turn < end) {
            let to = (turn - start) as usize;
            if odd {
                distance[from..to].iter_mut().for_each(|value| *value = -*value);
            }
            (odd, from) = (!odd, to);
        }
        if odd {
            distance[from..].iter_mut().for_each(|value| *value = -*value);
        }
    }
}

/// The rows of the field in one band.
struct Band<'a> {
    /// Row of the window that is the band's first.
    first: usize,
    /// Distances, m.
    distance: &'a mut [f64],
    /// Nearest segments.
    site: &'a mut [u32],
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brute::{PointLocation, nearest, spot};
    use crate::exact::shapes;
    use crate::exact::tree::Boxes;

    /// Coordinates are below ten: rounding of a distance stays near 1e-15.
    const TOLERANCE: f64 = 1e-12;

    fn comb() -> Outlines {
        let mut outlines = Outlines::default();
        let mut ring = vec![Vec2::new(0.0, -1.0), Vec2::new(7.0, -1.0)];
        for tooth in 0..10 {
            let x = 7.0 - 0.7 * f64::from(tooth);
            ring.extend([Vec2::new(x, 2.0), Vec2::new(x - 0.35, 0.1 * f64::from(tooth))]);
        }
        let hole = [(3.0, -0.5), (3.5, -0.9), (4.0, -0.5), (3.5, -0.1)];
        outlines.push(&[ring, hole.map(|(x, y)| Vec2::new(x, y)).to_vec()]).unwrap();
        outlines
    }

    fn draw(outlines: &Outlines, window: Window, reach: f64, threads: usize) -> Field {
        let (mut field, mut tiled) = (Field::blank(window), Tiled::default());
        tiled.set_threads(threads);
        tiled.draw(outlines, 0, reach, None, &mut field);
        field
    }

    const WINDOW: Window =
        Window { corner: Vec2::new(-1.5, -2.0), pixel: 0.043, width: 233, height: 141 };

    #[test]
    fn every_pixel_has_the_distance_of_the_nearest_segment() {
        let mut outlines = comb();
        outlines.points_mut()[5] = outlines.points()[4]; // a segment without length
        let field = draw(&outlines, WINDOW, f64::INFINITY, 1);
        for (at, &found) in field.distance.iter().enumerate() {
            let at = (at as u32 % WINDOW.width, at as u32 / WINDOW.width);
            let point = WINDOW.centre(at.0, at.1);
            let distance = nearest(&outlines, 0, point).unwrap().1;
            let inside = spot(&outlines, 0, point) == PointLocation::Inside;
            let exact = if inside { -distance } else { distance };
            assert!((found - exact).abs() < TOLERANCE, "{at:?}: {found} {exact}");
            let site = field.site[(at.0 + at.1 * WINDOW.width) as usize];
            let ends = outlines.segment(site as usize);
            let of_site = crate::segment::distance_sq(ends, point).sqrt();
            assert!((of_site - distance).abs() < TOLERANCE, "{at:?}");
        }
    }

    #[test]
    fn a_ring_shrunk_to_a_point_has_the_distance_of_the_point() {
        let mut outlines = comb();
        let point = Vec2::new(1.0, 0.5);
        outlines.points_mut().fill(point);
        let field = draw(&outlines, WINDOW, f64::INFINITY, 1);
        for (x, y) in [(0, 0), (232, 140), (100, 0), (7, 90)] {
            let distance = field.distance[(x + y * WINDOW.width) as usize];
            assert!((distance - WINDOW.centre(x, y).distance(point)).abs() < TOLERANCE);
        }
    }

    #[test]
    fn beyond_its_reach_the_field_is_infinite_and_within_the_same() {
        let outlines = comb();
        let all = draw(&outlines, WINDOW, f64::INFINITY, 1);
        let near = draw(&outlines, WINDOW, 0.2, 1);
        for at in 0..all.distance.len() {
            if all.distance[at].abs() <= 0.2 {
                assert_eq!(near.distance[at], all.distance[at]);
            } else {
                assert_eq!((near.distance[at], near.site[at]), (f64::INFINITY, NO_SITE));
            }
        }
    }

    #[test]
    fn threads_and_wanted_tiles_leave_the_bits_alone() {
        let outlines = comb();
        let one = draw(&outlines, WINDOW, f64::INFINITY, 1);
        assert_eq!(one, draw(&outlines, WINDOW, f64::INFINITY, 4));
        let mut tiles = Tiles::default();
        tiles.clear(&WINDOW);
        tiles.want([20, 30], [50, 100]);
        let mut field = Field::blank(WINDOW);
        Tiled::default().draw(&outlines, 0, f64::INFINITY, Some(&tiles), &mut field);
        for (x, y) in [(20, 30), (50, 100), (35, 64)] {
            let at = (x + y * WINDOW.width) as usize;
            assert_eq!((field.distance[at], field.site[at]), (one.distance[at], one.site[at]));
        }
        assert_eq!(field.site[0], NO_SITE);
    }

    #[test]
    fn segments_near_the_window_draw_the_bits_of_all() {
        for seed in 0..200_u32 {
            let outlines = shapes::pair(seed.into());
            let mut boxes = Boxes::default();
            boxes.build(&outlines);
            let view = View { outlines: &outlines, boxes: &boxes };
            let all = view.rect(0);
            let share = |k: u32| f64::from((seed * 7 + k) % 13) / 13.0;
            let corner = all.min + (all.max - all.min) * Vec2::new(share(0), share(5)) * 1.2;
            let pixel = 0.002 * (0.1 + share(3)) * all.size().max_element();
            let window = Window { corner, pixel, width: 40, height: 25 };
            for reach in [f64::INFINITY, 10.0 * pixel] {
                let [mut plain, mut near] = [Field::blank(window), Field::blank(window)];
                let mut tiled = Tiled::default();
                tiled.draw(&outlines, 0, reach, None, &mut plain);
                tiled.draw_near(view, 0, reach, None, &mut near);
                assert_eq!(plain, near, "{seed}");
            }
        }
    }
}
