//! How near two outlines are that are in memory: closed rings of points.

use pliant::math::Vec2;
use pliant_io::outline::extent;
use pliant_plane::Backend;
use pliant_plane::outline::Outlines;
use pliant_plane::{Pair, ProximityQuery, QueryFlags};

use super::{BackendKind, POSITIVE, ProximityError, Report, USUAL_ERROR, backend, check_number};

/// The request; lengths are in the unit of the points.
#[derive(Clone, Copy, Debug, Default)]
pub struct RingSettings {
    /// Bound of every length; `None` for 1e-3 of the larger box diagonal.
    pub error: Option<f64>,
    /// Gap up to which boundaries touch; `None` for the error bound.
    pub contact_distance: Option<f64>,
    /// Backend.
    pub backend: BackendKind,
}

/// Measures how near two outlines are, each of closed rings; holes run the other way round.
///
/// ```
/// use pliant::math::Vec2;
/// use pliant_run::proximity::rings::{RingSettings, proximity_of_rings};
///
/// let square = |x: f64| vec![[x, 0.0], [x + 1.0, 0.0], [x + 1.0, 1.0], [x, 1.0]];
/// let ring = |x: f64| vec![square(x).into_iter().map(Vec2::from).collect::<Vec<_>>()];
/// let found = proximity_of_rings(&ring(0.0), &ring(1.5), RingSettings::default())?;
/// assert!(found.separation.is_some_and(|way| (way.distance - 0.5).abs() < 1e-9));
/// # Ok::<(), pliant_run::proximity::ProximityError>(())
/// ```
pub fn proximity_of_rings(
    a: &[Vec<Vec2>],
    b: &[Vec<Vec2>],
    settings: RingSettings,
) -> Result<Report, ProximityError> {
    check_number("error", settings.error, POSITIVE)?;
    check_number("contact_distance", settings.contact_distance, "finite and not negative")?;
    let diagonal = |rings: &[Vec<Vec2>]| extent::diagonal(rings.iter().flatten().copied());
    let mut outlines = Outlines::default();
    let mut notices = Vec::new();
    for (label, rings) in [("a", a), ("b", b)] {
        let (label, extent) = (label.to_owned(), diagonal(rings));
        if extent < extent::SMALLEST {
            return Err(ProximityError::TooSmall { label, extent });
        }
        let pushed = outlines.push(rings).map_err(|error| {
            let what = error.to_string();
            ProximityError::Outline { label: label.clone(), what }
        })?;
        notices.extend(pushed.into_iter().map(|notice| format!("{label}: {notice}")));
    }
    let error = settings.error.unwrap_or_else(|| USUAL_ERROR * diagonal(a).max(diagonal(b)));
    let contact_distance = settings.contact_distance.unwrap_or(error);
    let query = ProximityQuery { error, contact_distance, flags: QueryFlags::ALL };
    let mut backend: Box<dyn Backend> = backend(settings.backend, &mut notices);
    let mut found = Vec::new();
    backend.query(&outlines, &[Pair { a: 0, b: 1 }], &query, &mut found)?;
    let found = found.pop().unwrap_or_default();
    notices.extend(found.notices.iter().map(ToString::to_string));
    Ok(Report::new(error, backend.name(), &found, notices))
}
