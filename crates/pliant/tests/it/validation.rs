//! Finite elements against closed forms, as measured by the example `validation`.

#[path = "../../examples/validation/bar.rs"]
mod bar;
#[path = "../../examples/validation/cantilever.rs"]
mod cantilever;
#[path = "../../examples/validation/elastica.rs"]
mod elastica;
#[path = "../../examples/validation/flight.rs"]
mod flight;
#[path = "../../examples/validation/scales.rs"]
mod scales;
#[path = "../../examples/validation/solids.rs"]
mod solids;

use crate::integrators::methods;
use methods::METHODS;
use pliant::body::Bodies;
use pliant::body::pins::Pins;
use pliant::body::soft::{Masses, State};
use pliant::force::elastic::{Corotational, Elastic, ElasticSettings};
use pliant::id::VertexId;
use pliant::integrate::euler::{Euler, EulerKind};
use pliant::integrate::{Integrator, System};
use pliant::math::Vec3;
use solids::{Block, ELEMENTS};
use std::sync::Arc;

/// Of Timoshenko's deflection: what the theory omits at the clamp, and meshes.
const TIMOSHENKO_TOLERANCE: f64 = 0.02;
/// Of the elastica's tip, over the length: what is left after two meshes.
const ELASTICA_TOLERANCE: f64 = 0.01;
/// Printed digits of tables of the elastica.
const TABLE_TOLERANCE: f64 = 5e-6;
/// Momenta, relative to what the vertices have.
const MOMENTUM_TOLERANCE: f64 = 1e-12;
/// Rounding of a solved shape, over the measured strain.
const STRAIN_ROUNDING: f64 = 1e-13;
/// Between scales, over the size of the body.
const SCALE_TOLERANCE: f64 = 1e-12;

#[track_caller]
fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found}, not {expected} ± {tolerance}");
}

#[test]
fn a_cantilever_sinks_as_timoshenko_says() {
    let expected: f64 = cantilever::timoshenko(cantilever::POISSON).iter().sum();
    for element in &ELEMENTS {
        let meshes = [0, 1, 2].map(|k| cantilever::MESHES[k]);
        let found = meshes
            .map(|cells| cantilever::deflection(element, cells, cantilever::POISSON).unwrap());
        // Linear tets are too stiff in bending, less and less on finer meshes.
        for (deflection, error) in found.iter().zip([-0.668, -0.3435, -0.124]) {
            close(deflection / expected - 1.0, error, 5e-4);
        }
        let limit = cantilever::extrapolate(found);
        close(limit.order, 2.0, 0.1);
        close(limit.deflection / expected, 1.0, TIMOSHENKO_TOLERANCE);
    }
}

#[test]
fn the_closed_form_of_the_elastica_is_that_of_printed_tables() {
    for (load, along, across) in
        [(1.0, 0.94357, 0.30172), (2.0, 0.83936, 0.49346), (10.0, 0.44500, 0.81061)]
    {
        let tip = elastica::elastica(load);
        close(tip.along, along, TABLE_TOLERANCE);
        close(tip.across, across, TABLE_TOLERANCE);
    }
    // A light load: P L³ / (3 E I).
    close(elastica::elastica(1e-3).across, 1e-3 / 3.0, 1e-9);
}

#[test]
fn a_strip_bends_far_as_the_elastica_says() {
    for element in &ELEMENTS {
        for load in [elastica::LOADS[0], elastica::LOADS[2]] {
            let [coarse, fine] = [0, 1].map(|k| {
                let (tip, report) = elastica::strip(element, elastica::MESHES[k], load).unwrap();
                assert!(report.newton <= 25, "{}: {report:?}", element.name);
                tip
            });
            let found = elastica::extrapolate([coarse, fine]);
            let expected = elastica::elastica(load);
            close(found.along, expected.along, ELASTICA_TOLERANCE);
            close(found.across, expected.across, ELASTICA_TOLERANCE);
        }
    }
}

// The bar is settled several times: at rest its forces cancel, and rounding is all that is left
// to solve for.
#[test]
fn a_pulled_bar_gives_young_and_poisson_back() {
    let [corotational, neo_hookean] = &ELEMENTS;
    for poisson in bar::RATIOS {
        for pull in bar::PULLS {
            let found = bar::stretch(corotational, poisson, pull).unwrap();
            close(found.along, pull, STRAIN_ROUNDING);
            found.ratios.iter().for_each(|ratio| close(*ratio, poisson, STRAIN_ROUNDING / pull));
        }
        // Off by the order of the strain.
        let found = bar::stretch(neo_hookean, poisson, bar::PULLS[0]).unwrap();
        close(found.along / bar::PULLS[0], 1.0, 1e-3);
        found.ratios.iter().for_each(|ratio| close(*ratio, poisson, 1e-3));
    }
}

#[test]
fn a_thrown_block_keeps_its_momenta() {
    for method in METHODS {
        for element in &ELEMENTS {
            let lost = flight::fly(method, element).unwrap();
            let name = method.name;
            assert!(lost.momentum < MOMENTUM_TOLERANCE, "{name}: {}", lost.momentum);
            let kept = lost.spin < MOMENTUM_TOLERANCE;
            assert_eq!(kept, method.keeps_spin, "{name}: {}", lost.spin);
            assert!(lost.wobble > 0.01, "{name}: nothing bends: {}", lost.wobble);
        }
    }
}

#[test]
fn size_and_stiffness_do_not_matter() {
    for run in &scales::RUNS {
        for element in &ELEMENTS {
            let positions = |size, young| {
                scales::run(element, &mut *(run.make)(), [size, young], run.dt).unwrap()
            };
            let first = positions(scales::SIZES[0], scales::MODULI[0]);
            let sunk = first.iter().map(|p| p.z).fold(0.0, f64::min);
            assert!(sunk < -0.2, "{sunk}: nothing bends");
            for [size, young] in [[1e-3, 1e3], [1e-3, 1e9], [100.0, 1e3], [100.0, 1e9]] {
                let apart = scales::apart(&first, &positions(size, young));
                assert!(apart < SCALE_TOLERANCE, "{}, {size} m, {young} Pa: {apart}", run.name);
            }
        }
    }
}

/// A unit cube of rubber in 5 tets.
const CUBE: Block = Block {
    cells: [1, 1, 1],
    size: Vec3::ONE,
    settings: ElasticSettings { young: 1e6, poisson: 0.3, damping: 0.0 },
    density: 1e3,
};

#[test]
fn bad_numbers_are_named() {
    let refused = |block: Block| {
        ELEMENTS.each_ref().map(|element| match block.make(element) {
            Ok(_) => "accepted".to_owned(),
            Err(error) => error.to_string(),
        })
    };
    let check = |block: Block, expected: &str| assert_eq!(refused(block), [expected; 2]);
    let of = |settings| Block { settings, ..CUBE };
    let rubber = CUBE.settings;
    for density in [0.0, -1.0] {
        let expected =
            format!("tet 0 has density {density} kg/m³: densities must be positive and finite");
        check(Block { density, ..CUBE }, &expected);
    }
    for young in [0.0, -1.0] {
        let expected =
            format!("tet 0 has Young's modulus {young} Pa: it must be positive and finite");
        check(of(ElasticSettings { young, ..rubber }), &expected);
    }
    for poisson in [0.5, 0.7] {
        let expected =
            format!("tet 0 has Poisson's ratio {poisson}: it must be above -1 and below 0.5");
        check(of(ElasticSettings { poisson, ..rubber }), &expected);
    }
    for mass in [0.0, -1.0] {
        let found = Masses::new(vec![1.0, mass]).unwrap_err().to_string();
        let expected = format!("vertex 1 has mass {mass} kg: masses must be positive and finite");
        assert_eq!(found, expected);
    }
}

#[test]
fn bad_steps_are_named() {
    for method in METHODS {
        let mut cube = CUBE.make(&ELEMENTS[0]).unwrap();
        for dt in [0.0, -0.01, f64::NAN] {
            let found = (method.make)().step(&mut cube.system, &mut cube.state, dt).unwrap_err();
            let expected = format!("the time step is {dt} s: it must be positive and finite");
            assert_eq!(found.to_string(), expected, "{}", method.name);
        }
        let all: Vec<_> = (0..8).map(VertexId).collect();
        cube.system.pins = Pins::still(&all, &cube.state.positions).unwrap();
        let found = (method.make)().step(&mut cube.system, &mut cube.state, 0.01).unwrap_err();
        let expected = "every vertex of body 0 is pinned: it cannot move, make it an obstacle";
        assert_eq!(found.to_string(), expected, "{}", method.name);
    }
}

/// Two cubes of rubber, one after the other.
fn two_cubes() -> (System, State) {
    let one = CUBE.make(&ELEMENTS[0]).unwrap();
    let mut positions = one.state.positions.clone();
    positions.extend(one.state.positions.iter().map(|p| *p + 3.0 * Vec3::X));
    let mesh = pliant::mesh::generate::cuboid::cuboid(
        [1; 3],
        Vec3::ONE,
        pliant::mesh::generate::lattice::TetSplit::Five,
    );
    let mut tets = mesh.unwrap().tets;
    tets.extend(tets.clone().iter().map(|tet| tet.map(|v| VertexId(v.0 + 8))));
    let masses = Masses::of_tets(&positions, &tets, |_| 1e3).unwrap();
    let bodies = Arc::new(Bodies::of_particles([8, 8]).unwrap());
    let mut system = System { masses, bodies, ..System::default() };
    let solid = Elastic::<Corotational>::new(&positions, &tets, |_| CUBE.settings);
    system.forces.push(solid.unwrap());
    (system, State::at_rest(positions))
}

#[test]
fn what_stops_being_finite_is_named_by_body_vertex_and_stage() {
    let (mut system, mut state) = two_cubes();
    let mut euler = Euler::new(EulerKind::Symplectic);
    state.velocities[8 + 3].y = 1e308;
    let found = euler.step(&mut system, &mut state, 100.0).unwrap_err().to_string();
    let expected = "vertex 3 of body 1 has position [3.5, inf, -0.5] after integrate at 100 s";
    assert_eq!(found, expected);
    state.velocities[8 + 3].y = 0.0;
    state.positions[8 + 3].y = f64::NAN;
    let found = euler.step(&mut system, &mut state, 0.01).unwrap_err().to_string();
    // The vertex and all that share a tet with it; the first is named.
    assert!(found.starts_with("vertex 0 of body 1 has force [NaN, "), "{found}");
    assert!(found.ends_with("] after force at 0 s"), "{found}");
}
