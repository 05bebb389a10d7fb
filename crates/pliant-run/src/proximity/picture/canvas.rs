//! A picture that soft-edged marks are drawn on.

use pliant::math::Vec2;
use pliant_plane::segment::distance_sq;

/// Red, green, blue as sRGB, 0 to 1.
pub type Rgb = [f64; 3];

/// Length of an arrow's head, and half its width, pixels, for a line of one pixel.
const HEAD: [f64; 2] = [4.6, 2.3];

/// Pixels in rows from the top.
pub struct Canvas {
    /// Pixels side by side.
    pub width: usize,
    /// Rows.
    pub height: usize,
    pixels: Vec<Rgb>,
}

/// A colour between two.
pub fn mix(from: Rgb, to: Rgb, share: f64) -> Rgb {
    std::array::from_fn(|k| from[k] + share * (to[k] - from[k]))
}

impl Canvas {
    pub fn new(width: u32, height: u32) -> Canvas {
        let (width, height) = (width as usize, height as usize);
        Canvas { width, height, pixels: vec![[1.0; 3]; width * height] }
    }

    /// Lays a colour over a pixel.
    #[inline]
    pub fn blend(&mut self, pixel: usize, colour: Rgb, share: f64) {
        if share > 0.0 {
            self.pixels[pixel] = mix(self.pixels[pixel], colour, share);
        }
    }

    /// Lays a colour over every pixel of a box, as far as a shape covers it.
    ///
    /// `outside` gives the signed distance of a place to the shape, pixels, negative inside.
    fn cover(&mut self, bounds: [Vec2; 2], colour: Rgb, outside: impl Fn(Vec2) -> f64) {
        let size = Vec2::new(self.width as f64, self.height as f64);
        let [low, high] = [bounds[0] - 1.0, bounds[1] + 2.0].map(|at| at.clamp(Vec2::ZERO, size));
        for y in low.y as usize..high.y as usize {
            for x in low.x as usize..high.x as usize {
                let away = outside(Vec2::new(x as f64 + 0.5, y as f64 + 0.5));
                self.blend(y * self.width + x, colour, (0.5 - away).clamp(0.0, 1.0));
            }
        }
    }

    /// A straight line with round ends.
    pub fn line(&mut self, ends: [Vec2; 2], thick: f64, colour: Rgb) {
        let radius = 0.5 * thick;
        let [low, high] = [ends[0].min(ends[1]) - radius, ends[0].max(ends[1]) + radius];
        self.cover([low, high], colour, |at| distance_sq(ends, at).sqrt() - radius);
    }

    /// A disc with a white rim.
    pub fn dot(&mut self, at: Vec2, radius: f64, colour: Rgb) {
        let rim = radius + 1.3;
        self.cover([at - rim, at + rim], [1.0; 3], |place| place.distance(at) - rim);
        self.cover([at - radius, at + radius], colour, |place| place.distance(at) - radius);
    }

    /// A line that ends in a head, as large as its length allows, with a white rim.
    pub fn arrow(&mut self, [from, to]: [Vec2; 2], thick: f64, colour: Rgb) {
        let Some(way) = (to - from).try_normalize() else { return };
        let scale = thick.min(0.5 * from.distance(to) / HEAD[0]);
        let neck = to - HEAD[0] * scale * way;
        let side = HEAD[1] * scale * way.perp();
        let head = [to, neck + side, neck - side];
        self.line([from, neck], thick + 2.4, [1.0; 3]);
        self.triangle(head, 1.2, [1.0; 3]);
        self.line([from, neck], thick, colour);
        self.triangle(head, 0.0, colour);
    }

    /// A triangle, larger all around by a margin.
    fn triangle(&mut self, corners: [Vec2; 3], margin: f64, colour: Rgb) {
        let [a, b, c] = corners;
        let sign = (b - a).perp_dot(c - a).signum();
        let (low, high) = (a.min(b).min(c) - margin, a.max(b).max(c) + margin);
        self.cover([low, high], colour, |at| {
            let beyond = |p: Vec2, q: Vec2| {
                (q - p).try_normalize().map_or(0.0, |way| -sign * way.perp_dot(at - p))
            };
            beyond(a, b).max(beyond(b, c)).max(beyond(c, a)) - margin
        });
    }

    /// A light rectangle for text.
    pub fn panel(&mut self, [low, high]: [Vec2; 2]) {
        let (middle, half) = (low.midpoint(high), 0.5 * (high - low));
        let radius = 5.0;
        let round = move |at: Vec2| {
            let beyond = (at - middle).abs() - half + radius;
            beyond.max(Vec2::ZERO).length() + beyond.max_element().min(0.0) - radius
        };
        self.cover([low, high], mix([0.16, 0.17, 0.20], [1.0; 3], 0.72), round);
        self.cover([low, high], [1.0; 3], |at| round(at) + 1.0);
    }

    /// A filled square of whole pixels.
    pub fn square(&mut self, corner: [usize; 2], side: usize, colour: Rgb) {
        for y in corner[1]..(corner[1] + side).min(self.height) {
            for x in corner[0]..(corner[0] + side).min(self.width) {
                self.blend(y * self.width + x, colour, 1.0);
            }
        }
    }

    /// The pixels as bytes.
    pub fn bytes(&self) -> Vec<[u8; 3]> {
        self.pixels.iter().map(|pixel| pixel.map(|share| (255.0 * share + 0.5) as u8)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How much of the canvas is dark, pixels.
    fn ink(canvas: &Canvas) -> f64 {
        canvas.pixels.iter().map(|pixel| 1.0 - pixel[0]).sum()
    }

    #[test]
    fn marks_cover_their_area_and_stay_on_the_canvas() {
        let mut canvas = Canvas::new(60, 40);
        canvas.line([Vec2::new(10.2, 20.7), Vec2::new(50.2, 20.7)], 4.0, [0.0; 3]);
        // 40 × 4 pixels and a disc of radius 2.
        assert!(
            (ink(&canvas) - (160.0 + 4.0 * std::f64::consts::PI)).abs() < 2.0,
            "{}",
            ink(&canvas)
        );
        let mut canvas = Canvas::new(60, 40);
        canvas.triangle(
            [Vec2::new(10.0, 10.0), Vec2::new(10.0, 30.0), Vec2::new(40.0, 20.0)],
            0.0,
            [0.0; 3],
        );
        assert!((ink(&canvas) - 300.0).abs() < 6.0, "{}", ink(&canvas));
        for at in [Vec2::new(-1e9, 5.0), Vec2::new(70.0, 1e9), Vec2::new(59.5, -3.0)] {
            canvas.dot(at, 5.0, [0.0; 3]);
            canvas.arrow([Vec2::ZERO, at], 2.0, [0.0; 3]);
            canvas.arrow([at, at], 2.0, [0.0; 3]);
        }
        canvas.square([58, 39], 9, [0.0; 3]);
        assert_eq!(canvas.bytes().len(), 2400);
    }
}
