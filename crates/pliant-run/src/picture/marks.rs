//! Dots and lines over a picture, seen through whatever is in front of them.

use super::overlays::{Mark, Overlay};
use super::projection::Projection;
use super::{Image, Theme, letters};

/// What is left of a picture under overlays; the rest is paper.
const LEFT: f64 = 0.42;

/// Paper of light and of dark pages, sRGB.
const PAPER: [[u8; 3]; 2] = [[255, 255, 255], [24, 28, 34]];

/// Ink on them, sRGB.
const INK: [[u8; 3]; 2] = [[40, 46, 56], [215, 220, 228]];

/// A dot of radius 1 has this many pixels per pixel of the picture's shorter side.
const DOT: f64 = 1.0 / 110.0;

/// The width of a line over the radius of a dot.
const LINE: f64 = 0.45;

/// From the edges of the picture to the names of overlays, pixels.
const MARGIN: usize = 14;

/// Draws all overlays over a faded picture, and their names in its upper left corner.
pub fn draw(image: &mut Image, projection: &Projection, overlays: &[Overlay], theme: Theme) {
    if overlays.is_empty() {
        return;
    }
    let paper = PAPER[theme as usize];
    image.pixels.iter_mut().for_each(|pixel| *pixel = mixed(paper, *pixel, LEFT));
    let shorter = f64::from(image.size[0].min(image.size[1]));
    let radius = (DOT * shorter).max(1.5);
    let at = |point| {
        let ahead = projection.distance(point) > projection.near;
        ahead.then(|| projection.project(point).at)
    };
    for mark in overlays.iter().flat_map(|overlay| &overlay.marks) {
        match *mark {
            Mark::Dot { point, size, colour } => {
                let Some(at) = at(point) else { continue };
                capsule(image, [at, at], size * radius, colour);
            }
            Mark::Line { ends, colour } => {
                let [Some(a), Some(b)] = ends.map(at) else { continue };
                capsule(image, [a, b], LINE * radius, colour);
            }
        }
    }
    let scale = if image.size[1] >= 400 { 2 } else { 1 };
    let mut row = MARGIN;
    for Overlay { name, colour, .. } in overlays {
        let middle = (row + scale * letters::HEIGHT / 2) as f64;
        let x = (MARGIN + 4) as f64;
        capsule(image, [[x, middle], [x, middle]], 2.5 * scale as f64, *colour);
        image.write([MARGIN + 8 * scale, row], name, scale, INK[theme as usize]);
        row += scale * (letters::HEIGHT + 4);
    }
}

/// Fills all that is nearer than `radius` to a line, pixels, with a soft edge.
fn capsule(image: &mut Image, [a, b]: [[f64; 2]; 2], radius: f64, colour: [u8; 3]) {
    let [width, height] = image.size.map(|side| side as usize);
    let range = |axis: usize, most: usize| {
        let (low, high) = (a[axis].min(b[axis]) - radius, a[axis].max(b[axis]) + radius);
        // Out of the picture, or not finite: saturating casts make an empty range or a whole one.
        (low - 1.0).max(0.0) as usize..((high + 2.0).max(0.0) as usize).min(most)
    };
    let along = [b[0] - a[0], b[1] - a[1]];
    let length_sq = along[0] * along[0] + along[1] * along[1];
    for y in range(1, height) {
        for x in range(0, width) {
            let arm = [x as f64 + 0.5 - a[0], y as f64 + 0.5 - a[1]];
            let share = (arm[0] * along[0] + arm[1] * along[1]) / length_sq;
            let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
            let away = [arm[0] - share * along[0], arm[1] - share * along[1]];
            let cover = radius + 0.5 - (away[0] * away[0] + away[1] * away[1]).sqrt();
            let pixel = &mut image.pixels[y * width + x];
            *pixel = mixed(*pixel, colour, cover.clamp(0.0, 1.0));
        }
    }
}

/// `share` of `b`, the rest of `a`.
fn mixed(a: [u8; 3], b: [u8; 3], share: f64) -> [u8; 3] {
    [0, 1, 2].map(|k| (f64::from(a[k]) + share * (f64::from(b[k]) - f64::from(a[k]))).round() as u8)
}

#[cfg(test)]
mod tests {
    use super::super::Camera;
    use super::*;
    use pliant::math::Vec3;

    const GREY: [u8; 3] = [100; 3];
    const RED: [u8; 3] = [200, 0, 0];

    fn blank(size: [u32; 2]) -> Image {
        let pixels = vec![GREY; (size[0] * size[1]) as usize];
        Image { size, pixels, notices: vec![] }
    }

    #[test]
    fn a_line_covers_what_is_near_it_and_nothing_else() {
        let mut image = blank([20, 10]);
        capsule(&mut image, [[3.0, 5.0], [15.0, 5.0]], 1.0, RED);
        let at = |x: usize, y: usize| image.pixels[20 * y + x];
        // Rows 4 and 5 have their middles half a pixel from the line; row 3 one and a half.
        assert_eq!([at(9, 4), at(9, 5), at(9, 3), at(9, 2)], [RED, RED, GREY, GREY]);
        assert_eq!([at(0, 4), at(18, 5)], [GREY; 2]);
    }

    #[test]
    fn what_is_outside_or_not_finite_does_no_harm() {
        let mut image = blank([8, 8]);
        for end in [[-1e9, 4.0], [f64::NAN, 0.0], [f64::INFINITY, 0.0]] {
            capsule(&mut image, [[4.0, 4.0], end], 1.0, RED);
        }
        assert_eq!(image.pixels.len(), 64);
    }

    #[test]
    fn marks_lie_where_their_points_are_projected_and_without_any_nothing_changes() {
        let points = [Vec3::ZERO, Vec3::ONE];
        let projection = Projection::new(&points, Camera::default(), [300, 200]);
        let mut image = blank([300, 200]);
        draw(&mut image, &projection, &[], Theme::Light);
        assert_eq!(image, blank([300, 200]));
        let marks = vec![Mark::Dot { point: points[1], size: 1.0, colour: RED }];
        let overlay = Overlay { name: "border points", colour: RED, marks };
        draw(&mut image, &projection, &[overlay], Theme::Light);
        let [x, y] = projection.project(points[1]).at;
        assert_eq!(image.pixels[300 * y as usize + x as usize], RED);
        assert_eq!(image.pixels[300 * 100 + 299], mixed([255; 3], GREY, LEFT));
    }
}
