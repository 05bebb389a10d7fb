//! How large the drawing of a file is.

use pliant::math::Vec2;

use super::assemble::{Wanted, assemble};
use super::{OutlineFileError, Picked};

/// Bound for measuring the boxes of curves, relative to the box of their control points.
const BOX_ERROR: f64 = 1e-4;

/// Boxes smaller than this, file unit, leave no room for squares.
pub const SMALLEST: f64 = 1e-100;

/// Diagonal of the box around what a file draws, file unit.
pub fn extent(file: &Picked, thickness: Option<f64>) -> Result<f64, OutlineFileError> {
    let paths = file.drawing.features.iter().flat_map(|feature| &feature.paths);
    let ends = paths.flat_map(|path| {
        std::iter::once(path.start).chain(path.pieces.iter().map(|piece| piece.end()))
    });
    let rough = diagonal(ends).max(thickness.unwrap_or(0.0)).clamp(f64::MIN_POSITIVE, f64::MAX);
    let wanted = Wanted { bound: BOX_ERROR * rough, thickness };
    let extent = diagonal(assemble(file, wanted)?.rings.into_iter().flatten());
    Ok(extent.max(SMALLEST))
}

/// Diagonal of the box around points, file unit; zero without any.
pub fn diagonal(points: impl Iterator<Item = Vec2>) -> f64 {
    let boxed = points.fold(None, |boxed: Option<[Vec2; 2]>, point| {
        Some(boxed.map_or([point; 2], |[low, high]| [low.min(point), high.max(point)]))
    });
    boxed.map_or(0.0, |[low, high]| low.distance(high))
}
