//! Forces: materials, their sums and their matrix.

use pliant::force::drag::{Drag, DragLaw};
use pliant::force::elastic::law::Law;
use pliant::force::elastic::{Corotational, Elastic, ElasticSettings, Lame, NeoHookean};
use pliant::force::gravity::Gravity;
use pliant::force::harmonic_well::HarmonicWell;
use pliant::force::load::Load;
use pliant::force::nearby::Nearby;
use pliant::force::plasticity::Plasticity;
use pliant::force::solid::{Hold, Solid, SolidSettings};
use pliant::force::spring::{Spring, SpringLaw, SpringSettings, Springs};
use pliant::force::{Forces, Form, StateView, Store, Tangent};
use pliant::math::Vec3;
use proptest::prelude::*;

use crate::{Scene, cells, config, count, matrix, mild, number, vector, vectors, vertex};

/// Springs and gravity of a scene of 16 vertices.
pub fn forces(scene: &Scene) -> Forces {
    let mut forces = Forces::new();
    let edges: Vec<_> = scene.bodies.tets().iter().map(|tet| [tet[0], tet[1]]).collect();
    let settings = SpringSettings { law: SpringLaw::Absolute, stiffness: 100.0, damping: 0.1 };
    forces.push(Springs::along(&scene.rest, &edges, settings).unwrap());
    forces.push(Gravity::new(-9.81 * Vec3::Z, scene.masses.of()));
    forces
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn materials_refuse_what_they_cannot_be_made_of(
        rest in vectors(8),
        (tets, surface, edges) in (cells::<4>(3), cells::<3>(3), cells::<2>(4)),
        (a, b, c) in (number(), mild(), mild()),
        masses in prop::collection::vec(mild(), 0..6),
        (at, far) in (vector(), count()),
    ) {
        let plasticity = Plasticity { yield_strain: a, creep_rate: b, max_drift: c };
        for law in [SpringLaw::Absolute, SpringLaw::Relative] {
            let settings = SpringSettings { law, stiffness: a, damping: b };
            let made = Springs::along(&rest, &edges, settings).and_then(|springs| {
                let _ = springs.list();
                Springs::new(far, law, springs.list().to_vec())
            });
            let _ = made.map(|springs| springs.with_plasticity(plasticity));
            let list = edges.iter().map(|&ends| Spring { ends, stiffness: a, damping: b, rest_length: c });
            let _ = Springs::new(far, law, list.collect());
        }
        let settings = ElasticSettings { young: a, poisson: b, damping: c };
        let _ = Elastic::<Corotational>::new(&rest, &tets, |_| settings);
        let _ = Elastic::<NeoHookean>::new(&rest, &tets, |_| settings);
        let hold = |stiffness: f64| Hold { stiffness, damping: b };
        let (distance, area, volume) = (hold(a), hold(b), hold(c));
        let settings = SolidSettings { distance, area, volume, plasticity: Some(plasticity) };
        let mut forces = Forces::new();
        if let Ok(solid) = Solid::new(&rest, &tets, &surface, settings) {
            solid.push_to(&mut forces);
        }
        let _ = Drag::new(DragLaw::Quadratic, masses.clone(), at);
        let _ = HarmonicWell::new(at, Vec3::new(a, b, c), &masses);
        let _ = Gravity::new(at, &masses);
        let forces_on: Vec<_> = edges.iter().map(|[v, _]| (*v, at)).collect();
        let _ = Load::on_vertices(forces_on, far);
        let _ = (Load::on_body(at, 0..far, &masses), Load::on_body(at, far..3, &masses));
        let _ = forces.energy(StateView { positions: &rest, velocities: &rest, time: a });
    }

    #[test]
    fn laws_take_any_strain(by in matrix(), (mu, lambda) in (number(), number())) {
        let lame = Lame { mu, lambda };
        let hooke = Corotational::from_lame(lame);
        let _ = (hooke.energy(by), hooke.stress(by), hooke.curvature(by.x_axis));
        let _ = hooke.corotated(by);
        let neo = NeoHookean::from_lame(lame);
        let _ = (neo.energy(by), neo.stress(by), neo.curvature(by.x_axis));
    }

    #[test]
    fn sums_take_any_state(
        (positions, velocities) in (vectors(20), vectors(20)),
        (mut given, x) in (vectors(20), vectors(20)),
        list in prop::collection::vec(vertex(), 0..5),
        (threads, vertex_count, row) in (count(), count(), count()),
        (stiffness, damping, dt) in (number(), number(), number()),
    ) {
        let scene = Scene::new();
        let mut forces = forces(&scene);
        let motion = StateView { positions: &positions, velocities: &velocities, time: dt };
        let at_rest = StateView { positions: &scene.rest, velocities: &scene.rest, time: 0.0 };
        forces.set_threads(threads, vertex_count);
        for motion in [motion, at_rest] {
            let _ = forces.energy(motion);
            forces.sum(motion, &mut given);
            for form in [Form::Exact, Form::Definite] {
                let tangent = Tangent { stiffness, damping, form };
                forces.add_product(motion, tangent, &x, &mut given);
                if let Ok(matrix) = forces.assemble(motion, tangent) {
                    let _ = (matrix.len(), matrix.is_empty(), matrix.row(row), matrix.diagonal(row));
                    matrix.set_threads(threads);
                    matrix.add_to_diagonal(row, dt);
                    matrix.multiply(&x, &mut given);
                    let mut product = scene.rest.clone();
                    matrix.multiply(&scene.rest, &mut product);
                    let _ = matrix.blocks_mut();
                }
            }
            let mut nearby = Nearby::default();
            forces.find_nearby(&list, &mut nearby);
            forces.add_nearby(Store::Elastic, &nearby, motion, &mut given);
            let _ = forces.energy_nearby(&nearby, motion);
            let mut others = Forces::new();
            others.push(Gravity::new(Vec3::Z, &[1.0]));
            others.add_nearby(Store::Gravitational, &nearby, motion, &mut given);
            let _ = others.energy_nearby(&nearby, motion);
            forces.flow(motion, dt);
        }
    }
}
