//! Depths read off images: the fields around penetrating points, interpolated.
//!
//! The window is the box around the points of one side that are inside the other, as in
//! the paper's first figure; pixels are √2 times what the bound leaves after rounding, and
//! the signed field is interpolated. A distance changes by no more than the way gone, so a
//! depth is within the bound.
//!
//! - Implements: [Hoff01 §2.2.4], penetration depth and direction.
//! - Deviates: the direction is the way to the nearest segment of the nearest pixel; a
//!   gradient does not exist on the medial axis, and interpolated it is too short near it.

use pliant::math::Vec2;
use pliant_plane::field::{Field, Window};
use pliant_plane::outline::Outlines;
use pliant_plane::{Pair, ProximityResult, Side};

use crate::GpuError;
use crate::field::{FieldRequest, FieldSettings, rounding};

use super::Gpu;
use super::gather::measured;

/// Most pixels along a side of a window; points in a wider one keep their depths.
const MOST_PIXELS: f64 = 4096.0;

/// Most pixels of all windows in one submission.
const MOST_TOGETHER: usize = 1 << 26;

/// Measures all penetrations of the results again, by images, within `error`, m.
pub fn measure(
    gpu: &mut Gpu,
    outlines: &Outlines,
    pairs: &[Pair],
    error: f64,
    answers: &mut [ProximityResult],
) -> Result<(), GpuError> {
    let mut requests = Vec::new();
    let mut owners: Vec<(usize, Side)> = Vec::new();
    let mut pixels = 0;
    let mut fields = Vec::new();
    for (at, pair) in pairs.iter().enumerate() {
        for (side, other) in [(Side::A, pair.b), (Side::B, pair.a)] {
            let Some(window) = around(gpu, &answers[at], side, other, error) else { continue };
            pixels += window.pixels();
            requests.push(FieldRequest { outline: other, window, reach: f64::INFINITY });
            owners.push((at, side));
            if pixels > MOST_TOGETHER {
                read(gpu, outlines, &requests, &owners, &mut fields, answers)?;
                requests.clear();
                owners.clear();
                pixels = 0;
            }
        }
    }
    read(gpu, outlines, &requests, &owners, &mut fields, answers)
}

/// The window around the points of one side that are inside the other outline.
fn around(
    gpu: &Gpu,
    answer: &ProximityResult,
    side: Side,
    other: u32,
    error: f64,
) -> Option<Window> {
    let shape = gpu.plan.chunks.shapes[other as usize];
    // Points inside are within the other's box, and the corner is three errors outside at most.
    let extent = (shape.high - shape.low).length() + 3.0 * error;
    let pixel = 2.0_f64.sqrt() * (error - 2.0 * rounding(extent));
    let points = answer.penetration.iter().filter(|p| p.of == side).map(|p| p.position);
    let boxes = points.map(|p| [p, p]);
    let [low, high] = boxes.reduce(|[low, high], [p, _]| [low.min(p), high.max(p)])?;
    let size = ((high - low) / pixel).ceil() + 3.0;
    (pixel > 0.0 && size.max_element() <= MOST_PIXELS).then(|| Window {
        corner: low - 1.5 * pixel,
        pixel,
        width: size.x as u32,
        height: size.y as u32,
    })
}

/// Makes the fields and interpolates them.
fn read(
    gpu: &mut Gpu,
    outlines: &Outlines,
    requests: &[FieldRequest],
    owners: &[(usize, Side)],
    fields: &mut Vec<Field>,
    answers: &mut [ProximityResult],
) -> Result<(), GpuError> {
    gpu.fields(outlines, requests, &FieldSettings::default(), fields)?;
    for (&(at, side), field) in owners.iter().zip(fields.iter()) {
        for found in answers[at].penetration.iter_mut().filter(|p| p.of == side) {
            let (distance, site) = between(field, found.position);
            let Some(way) = measured(outlines, *found, site) else { continue };
            // On the boundary within rounding: still inside, by the exact test.
            *found = way;
            found.depth = (-distance).max(f64::MIN_POSITIVE);
        }
    }
    Ok(())
}

/// Bilinear interpolation of the signed distance, m, and the nearest pixel's site.
fn between(field: &Field, point: Vec2) -> (f64, u32) {
    let window = field.window;
    let at = (point - window.corner) / window.pixel - 0.5;
    let most = Vec2::new(f64::from(window.width - 2), f64::from(window.height - 2));
    let low = at.floor().clamp(Vec2::ZERO, most);
    let share = at - low;
    let index =
        |x: f64, y: f64| (low.y + y) as usize * window.width as usize + (low.x + x) as usize;
    let row = |y: f64| {
        let [from, to] = [0.0, 1.0].map(|x| field.distance[index(x, y)]);
        from + share.x * (to - from)
    };
    let distance = row(0.0) + share.y * (row(1.0) - row(0.0));
    (distance, field.site[index(share.x.round().clamp(0.0, 1.0), share.y.round().clamp(0.0, 1.0))])
}
