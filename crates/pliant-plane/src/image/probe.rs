//! Points at which a field is wanted, and the windows drawn to read it there.
//!
//! Only tiles that some point needs are drawn. Points too far apart for one window of the
//! memory allowed are read window by window.

use pliant::math::Vec2;

use super::super::exact::tree::View;
use super::super::field::sample::{RIM, Reading};
use super::super::field::tiled::{Tiled, Tiles};
use super::super::field::{Field, Window};

/// Most pixels along a side of one window: 12 bytes each make 12 MiB.
pub const SIDE: f64 = 1024.0;

/// Points, and the values of a field at them.
#[derive(Clone, Debug)]
pub struct Probes {
    /// Where to read, m.
    pub points: Vec<Vec2>,
    /// What was read there; `None` where it is not known.
    pub readings: Vec<Option<Reading>>,
    /// The window of each point, and the point: sorted, the points of a window are together.
    order: Vec<([u32; 2], u32)>,
    /// Draws the windows.
    tiled: Tiled,
    /// Which tiles of the current window are needed.
    tiles: Tiles,
    /// The current window.
    field: Field,
}

impl Default for Probes {
    fn default() -> Probes {
        let window = Window { corner: Vec2::ZERO, pixel: 1.0, width: 0, height: 0 };
        Probes {
            points: Vec::new(),
            readings: Vec::new(),
            order: Vec::new(),
            tiled: Tiled::default(),
            tiles: Tiles::default(),
            field: Field::blank(window),
        }
    }
}

impl Probes {
    /// Sets the number of threads.
    pub fn set_threads(&mut self, threads: usize) {
        self.tiled.set_threads(threads);
    }

    /// Reads the field of an outline at all points, with an error of at most `error`, m.
    ///
    /// Where the distance is above `reach`, m, nothing is read.
    pub fn read(&mut self, view: View<'_>, outline: usize, error: f64, reach: f64) {
        self.readings.clear();
        self.readings.resize(self.points.len(), None);
        let low = self.points.iter().fold(Vec2::INFINITY, |low, point| low.min(*point));
        let side = SIDE * std::f64::consts::SQRT_2 * error;
        self.order.clear();
        self.order.extend(self.points.iter().enumerate().map(|(index, &point)| {
            let at = (point - low) / side;
            ([at.y as u32, at.x as u32], index as u32)
        }));
        self.order.sort_unstable();
        self.tiled.take(view.outlines, outline);
        let order = std::mem::take(&mut self.order);
        for group in order.chunk_by(|p, q| p.0 == q.0) {
            self.window(view, outline, [error, reach], group);
        }
        self.order = order;
    }

    /// Draws one window and reads its points.
    fn window(
        &mut self,
        view: View<'_>,
        outline: usize,
        [error, reach]: [f64; 2],
        group: &[([u32; 2], u32)],
    ) {
        let points = || group.iter().map(|&(_, index)| self.points[index as usize]);
        let low = points().fold(Vec2::INFINITY, Vec2::min);
        let high = points().fold(Vec2::NEG_INFINITY, Vec2::max);
        let window = Window::over([low, high], error, RIM + 1);
        self.field.window = window;
        self.tiles.clear(&window);
        for [x, y] in points().filter_map(|point| window.around(point)) {
            let far = [(x + 1 + RIM).min(window.width - 1), (y + 1 + RIM).min(window.height - 1)];
            self.tiles.want([x.saturating_sub(RIM), y.saturating_sub(RIM)], far);
        }
        self.tiled.draw_near(view, outline, reach, Some(&self.tiles), &mut self.field);
        for &(_, index) in group {
            let point = self.points[index as usize];
            self.readings[index as usize] = self.field.read(view.outlines, point);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::tree::Boxes;
    use crate::outline::Outlines;

    #[test]
    fn many_windows_read_what_one_reads() {
        let mut outlines = Outlines::default();
        let ring = (0..9).map(|k| Vec2::from_angle(f64::from(k) * 0.7) * f64::from(1 + k % 3));
        outlines.push(&[ring.collect()]).unwrap();
        let points = (0..500)
            .map(|k| Vec2::new((f64::from(k) * 0.7549).fract(), (f64::from(k) * 0.5698).fract()))
            .map(|share| 4.0 * (share - 0.5))
            .collect();
        let mut boxes = Boxes::default();
        boxes.build(&outlines);
        let view = View { outlines: &outlines, boxes: &boxes };
        let mut probes = Probes { points, ..Probes::default() };
        let mut values = Vec::new();
        // 4 m of pixels of √2 error: 283 and, in four by four windows, 2829 along a side.
        for error in [1e-2, 1e-3] {
            probes.read(view, 0, error, f64::INFINITY);
            assert_eq!(probes.order.last().unwrap().0 == [0, 0], error == 1e-2);
            values.push(probes.readings.clone());
        }
        for (coarse, fine) in values[0].iter().zip(&values[1]) {
            let off = coarse.unwrap().value - fine.unwrap().value;
            assert!(off.abs() <= 1e-2 + 1e-3, "{coarse:?} {fine:?}");
        }
    }
}
