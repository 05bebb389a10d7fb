//! The signed distance field of outlines, pixel by pixel.

use pliant::math::Vec2;
use pliant_plane::field::tiled::Tiled;
use pliant_plane::field::{Field, NO_SITE, Window};
use pliant_plane::outline::Outlines;
use serde::Serialize;

use crate::command::Refusal;
use crate::live::Live;
use crate::session::Output;

/// Pixels along a side at most.
const MOST_PIXELS: u32 = 1024;

/// A field in the arrays: distances, then both parts of gradients in the floats; the nearest
/// segment of each pixel in the indices.
#[derive(Clone, Debug, Serialize)]
pub struct Drawn {
    /// Pixels along x.
    pub width: u32,
    /// Pixels along y.
    pub height: u32,
    /// m.
    pub corner: [f64; 2],
    /// Side of a pixel, m.
    pub pixel: f64,
    /// Segments of all outlines drawn.
    pub segments: usize,
}

/// Draws the field of one outline, or at each pixel that of the outline whose distance is least.
pub fn draw(
    live: &Live,
    body: Option<usize>,
    ([low, high], pixels): ([[f64; 2]; 2], u32),
    out: &mut Output,
) -> Result<Drawn, Refusal> {
    let (low, high) = (Vec2::from(low), Vec2::from(high));
    let size = high - low;
    let pixels = pixels.clamp(1, MOST_PIXELS);
    let pixel = size.max_element() / f64::from(pixels);
    if !(size.min_element() > 0.0 && pixel.is_finite()) {
        return Err(Refusal::new("the window of the field has no area"));
    }
    let along = |length: f64| ((length / pixel).ceil() as u32).clamp(1, MOST_PIXELS);
    let window = Window { corner: low, pixel, width: along(size.x), height: along(size.y) };
    let outlines = outlines(live, body)?;
    let (mut tiled, mut field) = (Tiled::default(), Field::blank(window));
    let mut least = Field::blank(window);
    for outline in 0..outlines.len() {
        tiled.draw(&outlines, outline, f64::INFINITY, None, &mut field);
        for (k, distance) in field.distance.iter().enumerate() {
            if least.site[k] == NO_SITE || *distance < least.distance[k] {
                let (x, y) = (k as u32 % window.width, k as u32 / window.width);
                let site = region(&outlines, field.site[k], window.centre(x, y));
                (least.distance[k], least.site[k]) = (*distance, site);
            }
        }
    }
    let mut gradients = Vec::new();
    least.gradients(&mut gradients);
    out.floats.clear();
    out.floats.extend(least.distance.iter().map(|distance| *distance as f32));
    out.floats.extend(gradients.iter().flat_map(|g| [g.x as f32, g.y as f32]));
    out.indices.clear();
    out.indices.extend(&least.site);
    let Window { corner, width, height, .. } = window;
    let segments = outlines.points().len();
    Ok(Drawn { width, height, corner: corner.into(), pixel, segments })
}

/// The segment whose Voronoi region a point is in; the wedge before a vertex goes to the segment
/// that begins there, as two are as near.
fn region(outlines: &Outlines, site: u32, point: Vec2) -> u32 {
    if site == NO_SITE {
        return site;
    }
    let [a, b] = outlines.segment(site as usize);
    let is_beyond = (point - a).dot(b - a) >= (b - a).length_squared();
    if is_beyond { outlines.next()[site as usize] } else { site }
}

/// The outlines of all bodies, or of one, where they are now.
fn outlines(live: &Live, body: Option<usize>) -> Result<Outlines, Refusal> {
    let mut outlines = Outlines::default();
    let positions = live.positions();
    let all = live.scene.info.bodies.iter().enumerate();
    for (_, info) in
        all.filter(|(k, info)| info.kind == "outline" && body.is_none_or(|wanted| wanted == *k))
    {
        let point = |v: &u32| positions.get(*v as usize).map(|p| p.truncate());
        let rings: Vec<Vec<Vec2>> =
            info.rings.iter().map(|ring| ring.iter().filter_map(point).collect()).collect();
        outlines.push(&rings).map_err(Refusal::new)?;
    }
    if outlines.is_empty() {
        return Err(Refusal::new("the scene has no outlines"));
    }
    Ok(outlines)
}
