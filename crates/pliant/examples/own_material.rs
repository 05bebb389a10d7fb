//! A material of one's own: the law of St. Venant and Kirchhoff, on the engine's tets.
//!
//! Energy ψ = μ E : E + λ/2 tr² E of Green's strain E = (Fᵀ F − 1)/2. Its derivatives follow by
//! hand; a test compares them with finite differences through `pliant::force::check`.

use std::error::Error;

use pliant::force::Forces;
use pliant::force::elastic::law::{Curvature, Law};
use pliant::force::elastic::{Elastic, Lame};
use pliant::math::{Mat3, outer_square};
use pliant::prelude::glam::Vec3Swizzles;
use pliant::prelude::*;
use pliant::world::{BodyMaterial, MaterialBody};

/// The law with its moduli.
#[derive(Clone, Copy, Debug)]
pub struct StVenantKirchhoff(Lame);

impl StVenantKirchhoff {
    /// Green's strain, and the stress 2 μ E + λ tr E of it, Pa.
    fn strain(&self, gradient: Mat3) -> (Mat3, Mat3) {
        let strain = 0.5 * (gradient.transpose() * gradient - Mat3::IDENTITY);
        let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
        (strain, 2.0 * self.0.mu * strain + self.0.lambda * trace * Mat3::IDENTITY)
    }
}

impl Law for StVenantKirchhoff {
    fn from_lame(lame: Lame) -> StVenantKirchhoff {
        StVenantKirchhoff(lame)
    }

    fn energy(&self, gradient: Mat3) -> f64 {
        let (strain, stress) = self.strain(gradient);
        let columns = [0, 1, 2].map(|k| strain.col(k).dot(stress.col(k)));
        0.5 * columns.iter().sum::<f64>()
    }

    fn stress(&self, gradient: Mat3) -> Mat3 {
        gradient * self.strain(gradient).1
    }

    fn curvature(&self, s: Vec3) -> Curvature {
        let Lame { lambda, mu } = self.0;
        let squares = s * s;
        let common = 0.5 * lambda * (squares.element_sum() - 3.0) - mu;
        let diagonal = Mat3::from_diagonal(3.0 * mu * squares + Vec3::splat(common));
        let stretch = lambda * outer_square(s) + diagonal;
        // Across from axis x are the shears of y and z.
        let (sums, products) = (squares.yzx() + squares.zxy(), s.yzx() * s.zxy());
        let flip = mu * (sums + products) + Vec3::splat(common);
        Curvature { stretch, flip, twist: flip - 2.0 * mu * products }
    }
}

/// The same as a world takes it: forces for every body that has it.
#[derive(Clone, Copy, Debug)]
pub struct Rubber(pub ElasticSettings);

impl BodyMaterial for Rubber {
    fn push_forces(
        &self,
        bodies: &[MaterialBody<'_>],
        forces: &mut Forces,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        for body in bodies {
            let elastic = Elastic::<StVenantKirchhoff>::new(body.rest, &body.tets(), |_| self.0)?;
            forces.push(elastic);
        }
        Ok(())
    }
}

/// How far the end of a bar sags, m: with this law, and with the engine's own.
pub fn run() -> Result<[f64; 2], WorldError> {
    let settings = ElasticSettings { young: 1e6, poisson: 0.3, damping: 0.02 };
    let bar = SoftBody::cuboid(vec3(0.4, 0.1, 0.1), [8, 2, 2]).density(500.0);
    let bar = bar.pin_beyond(vec3(-0.2, 0.0, 0.0), -Vec3::X);
    let mut world = World::new();
    let own = world.add(bar.clone().custom(Rubber(settings)))?;
    let usual = bar.material(SoftMaterial::Corotational(settings));
    let usual = world.add(usual.at(Vec3::Y))?;
    for _ in 0..120 {
        world.step()?;
    }
    let lowest = |all: &[Vec3]| all.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    Ok([-0.05 - lowest(world.positions(own)?), -0.05 - lowest(world.positions(usual)?)])
}

fn main() -> Result<(), WorldError> {
    let [own, usual] = run()?;
    println!("the bar sags by {own:.4} m; with corotational tets by {usual:.4} m");
    Ok(())
}
