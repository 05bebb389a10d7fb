//! A thin strip bent far by a weight at its tip, against the elastica.
//!
//! | here      | usual | meaning                                                     |
//! |-----------|-------|-------------------------------------------------------------|
//! | `load`    | α     | P L² / (E I): dimensionless load at the tip                 |
//! | `modulus` | k     | of the elliptic integrals; 2 k² = 1 + sin θ at the tip      |
//! | `start`   | φ₁    | sin φ₁ = 1 / (k √2), the amplitude at the clamp             |

use std::error::Error;

use pliant::force::elastic::ElasticSettings;
use pliant::integrate::StepReport;
use pliant::math::Vec3;

use super::solids::{Block, Element, factors};

/// Length along x, then both edges of the cross-section, m.
const SIZE: Vec3 = Vec3::new(20.0, 1.0, 1.0);
/// Without Poisson's effect a strip is a beam.
const SETTINGS: ElasticSettings = ElasticSettings { young: 1e6, poisson: 0.0, damping: 0.0 };
/// kg/m³; has no effect here, as nothing moves in the end.
const DENSITY: f64 = 1.0;
/// Some thousand periods, s.
const SPAN: f64 = 1e3;
/// Intervals of Simpson's rule for smooth functions, even.
const INTERVALS: u32 = 200;

/// Loads P L² / (E I) of the tables.
pub const LOADS: [f64; 4] = [1.0, 2.0, 5.0, 10.0];

/// Cells of the meshes, coarse to fine.
pub const MESHES: [[u32; 3]; 3] = [[40, 2, 2], [80, 4, 4], [160, 8, 8]];

/// Where the tip is over the length: along the strip, and across.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tip {
    /// From the clamp; 1 for a straight strip.
    pub along: f64,
    /// Deflection.
    pub across: f64,
}

/// ∫ f from `start` to π/2, by Simpson's rule.
fn integral(start: f64, f: impl Fn(f64) -> f64) -> f64 {
    let step = (std::f64::consts::FRAC_PI_2 - start) / f64::from(INTERVALS);
    let weight = |k: u32| match k {
        0 | INTERVALS => 1.0,
        _ if k % 2 == 1 => 4.0,
        _ => 2.0,
    };
    let terms = (0..=INTERVALS).map(|k| weight(k) * f(start + f64::from(k) * step));
    terms.sum::<f64>() * step / 3.0
}

/// The tip of a strip that neither stretches nor shears.
pub fn elastica(load: f64) -> Tip {
    let start = |modulus: f64| libm::asin(std::f64::consts::FRAC_1_SQRT_2 / modulus);
    let root =
        |modulus: f64, phi: f64| (1.0 - pliant::math::powi(modulus * libm::sin(phi), 2)).sqrt();
    let first_kind = |modulus: f64| integral(start(modulus), |phi| root(modulus, phi).recip());
    // √α = K(k) − F(φ₁, k), which grows with k.
    let (mut low, mut high) = (std::f64::consts::FRAC_1_SQRT_2, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if first_kind(middle) < load.sqrt() { low = middle } else { high = middle }
    }
    let second_kind = integral(start(low), |phi| root(low, phi));
    let sine = 2.0 * low * low - 1.0;
    Tip { along: (2.0 * sine / load).sqrt(), across: 1.0 - 2.0 * second_kind / load.sqrt() }
}

/// The tip of a strip of finite elements, and the solver's report.
pub fn strip(
    element: &Element,
    cells: [u32; 3],
    load: f64,
) -> Result<(Tip, StepReport), Box<dyn Error>> {
    let block = Block { cells, size: SIZE, settings: SETTINGS, density: DENSITY };
    let mut strip = block.make(element)?;
    let tip = block.middle_of_end(&strip.state.positions)?;
    let inertia = SIZE.y * pliant::math::powi(SIZE.z, 3) / 12.0;
    let weight = load * SETTINGS.young * inertia / pliant::math::powi(SIZE.x, 2);
    strip.pull(&block, 1.0, -weight * Vec3::Z)?;
    strip.clamp(&block)?;
    let report = strip.settle(SPAN, factors())?;
    let place = strip.state.positions[tip] / SIZE.x;
    Ok((Tip { along: 0.5 + place.x, across: -place.z }, report))
}

/// Limit of two meshes, the second twice as fine, for an error of second order.
pub fn extrapolate([coarse, fine]: [Tip; 2]) -> Tip {
    let limit = |coarse: f64, fine: f64| fine + (fine - coarse) / 3.0;
    Tip { along: limit(coarse.along, fine.along), across: limit(coarse.across, fine.across) }
}
