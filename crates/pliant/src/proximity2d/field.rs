//! A picture of distances: a window of square pixels, sampled at their centres.

use crate::math::Vec2;

/// A rectangle of square pixels in the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Lower left corner of the lower left pixel, m.
    pub corner: Vec2,
    /// Side of a pixel, m, above zero; √2 times the error bound (P10).
    pub pixel: f64,
    /// Pixels side by side, count.
    pub width: u32,
    /// Pixels above each other, count.
    pub height: u32,
}

impl Window {
    /// Centre of a pixel, m.
    #[inline]
    pub fn centre(&self, x: u32, y: u32) -> Vec2 {
        self.corner + self.pixel * Vec2::new(f64::from(x) + 0.5, f64::from(y) + 0.5)
    }

    /// All its pixels, count.
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
