//! A signed distance field: a window of square pixels, sampled at their centres.
//!
//! Two ways to draw it: [`tiled`] measures the few segments that can be nearest within a
//! tile, [`mesh`] draws the distance function of every segment into a depth buffer as
//! [Hoff01 §2.2.2] does. [`sample`] reads a drawn field between its pixels.

mod edge;

pub mod tiled;

pub mod mesh;

pub mod sample;

use std::f64::consts::SQRT_2;

use pliant::math::Vec2;

/// A rectangle of square pixels in the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Lower left corner of the lower left pixel, m.
    pub corner: Vec2,
    /// Side of a pixel, m, above zero; √2 times the error bound, which is half its diagonal.
    pub pixel: f64,
    /// Pixels side by side.
    pub width: u32,
    /// Pixels above each other.
    pub height: u32,
}

impl Window {
    /// The window over a box whose pixels' half diagonal is `error`, with a rim of pixels.
    ///
    /// Numbers of pixels saturate; [`Window::pixels_over`] returns them beforehand.
    pub fn over([min, max]: [Vec2; 2], error: f64, rim: u32) -> Window {
        let pixel = SQRT_2 * error;
        let count = |length: f64| ((length / pixel).ceil() as u32).max(1).saturating_add(2 * rim);
        let corner = min - f64::from(rim) * pixel;
        Window { corner, pixel, width: count(max.x - min.x), height: count(max.y - min.y) }
    }

    /// Number of pixels that a window over a box would have, however large.
    pub fn pixels_over([min, max]: [Vec2; 2], error: f64) -> f64 {
        let pixel = SQRT_2 * error;
        ((max.x - min.x) / pixel).ceil().max(1.0) * ((max.y - min.y) / pixel).ceil().max(1.0)
    }

    /// Centre of a pixel, m.
    #[inline]
    pub fn centre(&self, x: u32, y: u32) -> Vec2 {
        self.corner + self.pixel * Vec2::new(f64::from(x) + 0.5, f64::from(y) + 0.5)
    }

    /// Farthest that a point of a pixel is from its centre, m.
    pub fn half_diagonal(&self) -> f64 {
        self.pixel / SQRT_2
    }

    /// Number of all its pixels.
    pub fn pixels(&self) -> usize {
        self.width as usize * self.height as usize
    }
}

/// The site of a pixel farther from every segment than the field reaches.
pub const NO_SITE: u32 = u32::MAX;

/// Signed distance to one outline, and which segment is nearest, at every pixel's centre.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Where the pixels are.
    pub window: Window,
    /// Signed distance, m, negative inside, rows from below; infinite beyond its reach.
    pub distance: Vec<f64>,
    /// Nearest segment, by the point it begins at; [`NO_SITE`] beyond its reach.
    pub site: Vec<u32>,
}

impl Field {
    /// A field without any distance yet.
    pub fn blank(window: Window) -> Field {
        let distance = vec![f64::INFINITY; window.pixels()];
        Field { window, distance, site: vec![NO_SITE; window.pixels()] }
    }

    /// Takes another window and keeps the memory; pixels keep stale values.
    fn resize(&mut self, window: Window) {
        self.window = window;
        self.distance.resize(window.pixels(), f64::INFINITY);
        self.site.resize(window.pixels(), NO_SITE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_point_of_the_box_is_farther_than_the_error_from_a_centre() {
        let [min, max] = [Vec2::new(-1.0, 2.0), Vec2::new(0.5, 2.3)];
        let window = Window::over([min, max], 0.01, 1);
        assert!((window.half_diagonal() - 0.01).abs() < 1e-15);
        assert!(Window::pixels_over([min, max], 0.01) <= window.pixels() as f64);
        for corner in [min, max, Vec2::new(min.x, max.y)] {
            let pixel = ((corner - window.corner) / window.pixel).floor();
            let nearest = window.centre(pixel.x as u32, pixel.y as u32);
            assert!(nearest.distance(corner) <= 0.01 + 1e-15, "{corner}");
            assert!(pixel.x < f64::from(window.width) && pixel.y < f64::from(window.height));
        }
    }
}
