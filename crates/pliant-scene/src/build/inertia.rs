//! Whether the mass of a body survives beside its stiffness.
//!
//! An implicit step solves (M + Δt² K) v = …. With h the size of an element, the second term is
//! larger than the first by the ratio Δt² E / (ρ h²), the square of how many elements a wave
//! crosses in a step. Near 10¹⁶ the mass is lost to rounding: the body neither falls nor keeps its
//! momentum, whatever the solver does.

use pliant::math::tet_volume;

use super::BuildError;
use super::shape::{Geometry, RestShape};
use crate::spec::{Body, Material};

/// Ratio above which rounding takes more than a tenth of the mass.
const LOST: f64 = 1e15;

/// Ratio above which solvers keep a few digits of the mass.
const POOR: f64 = 1e12;

/// Poisson's ratio above which the volume outweighs the shape a thousandfold.
const INCOMPRESSIBLE: f64 = 0.4995;

/// An error where the mass vanishes, a notice where little of it is left.
pub fn check(
    body: &Body,
    rest: &RestShape,
    dt: f64,
    path: &str,
    notices: &mut Vec<String>,
) -> Result<(), BuildError> {
    let (Material::Corotational { young, poisson, density, .. }
    | Material::NeoHookean { young, poisson, density, .. }) = body.material
    else {
        return Ok(());
    };
    let Geometry::Tets(mesh) = &rest.geometry else { return Ok(()) };
    // What is not positive is refused where it is used.
    if young <= 0.0 || density <= 0.0 {
        return Ok(());
    }
    let name = &body.name;
    if poisson > INCOMPRESSIBLE {
        notices.push(format!(
            "`poisson` of `{name}` is {poisson}: so near 0.5 elements lock and solvers converge \
             slowly; take 0.49 or less"
        ));
    }
    let volumes = mesh.tets().iter().map(|tet| tet_volume(tet.map(|v| rest.positions[v.index()])));
    let mean = volumes.map(f64::abs).sum::<f64>() / mesh.tets().len() as f64;
    let size = libm::cbrt(mean);
    let ratio = dt * dt * young / (density * size * size);
    let numbers = format!(
        "young {young:e} Pa, density {density:e} kg/m³, dt {dt:e} s and elements of {size:.1e} m"
    );
    if ratio > LOST {
        let message = format!("the mass of `{name}` is lost to rounding beside its stiffness");
        let help = format!("{numbers} are a ratio of {ratio:.1e}, at most {LOST:e}: raise density");
        return Err(BuildError::value(format!("{path}.material.density"), message).with_help(help));
    }
    if ratio > POOR {
        notices.push(format!(
            "the mass of `{name}` has few digits beside its stiffness: {numbers}; raise density or \
             lower young or dt"
        ));
    }
    Ok(())
}
