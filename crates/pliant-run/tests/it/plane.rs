//! The scenes in the plane: map, gears, links, cars and wavy.

use pliant::math::{Vec2, Vec3};
use pliant::record::overlap::Overlap;
use pliant_plane::overlap::Measure;
use pliant_scene::loaded::LoadedScene;

use crate::scene::load;

/// Scene, outlines and segments of [Hoff01 tbl. 2].
const SCENES: [(&str, usize, usize); 5] =
    [("map", 6, 719), ("gears", 13, 391), ("links", 15, 440), ("cars", 18, 266), ("wavy", 2, 200)];

fn steps(built: &mut LoadedScene, count: u64) {
    for _ in 0..count {
        built.world.step().unwrap();
    }
}

/// Steps for a time, s, and looks at every recorded moment.
fn watch(built: &mut LoadedScene, time: f64, mut look: impl FnMut(&LoadedScene)) {
    let rows = (time / (built.info.dt * built.info.record_every as f64)).round() as u64;
    for _ in 0..rows {
        steps(built, built.info.record_every);
        look(built);
    }
}

fn overlap(built: &LoadedScene) -> Overlap {
    let (positions, bodies) =
        (&built.world.simulation().state.positions, &built.world.simulation().system.bodies);
    Measure::new(positions, bodies).measure(positions, bodies)
}

/// How far a rigid body is turned about z, rad.
fn angle(built: &LoadedScene, body: usize) -> f64 {
    let turn = built.world.simulation().state.rigids[body].turn;
    2.0 * libm::atan2(turn.z, turn.w)
}

#[test]
fn scenes_in_the_plane_have_the_counts_of_the_paper() {
    for (scene, outlines, segments) in SCENES {
        let built = load(scene, &[]).unwrap();
        assert!(built.info.bodies.iter().all(|body| body.kind == "outline"), "{scene}");
        let count = built.info.bodies.iter().flat_map(|body| &body.rings).map(Vec::len).sum();
        assert_eq!((built.info.bodies.len(), count), (outlines, segments), "{scene}");
    }
}

#[test]
fn nothing_overlaps_at_the_start_unless_it_is_asked_for() {
    for (scene, ..) in SCENES {
        assert_eq!(overlap(&load(scene, &[]).unwrap()), Overlap::default(), "{scene}");
    }
    let deep = overlap(&load("wavy", &["overlap=0.6"]).unwrap());
    assert!(deep.max_depth > 0.25 && deep.penetrating_vertices > 50, "{deep:?}");
}

#[test]
fn coasts_collide_and_stay_together_with_little_overlap() {
    let mut built = load("map", &[]).unwrap();
    let (mut deepest, mut touching) = (0.0_f64, 0);
    watch(&mut built, 3.0, |built| {
        let found = overlap(built);
        deepest = deepest.max(found.max_depth);
        touching += usize::from(found.penetrating_vertices > 0);
        let away = |p: &Vec3| p.truncate().length();
        assert!(built.world.simulation().state.positions.iter().all(|p| away(p) < 8.0));
    });
    // The smallest island measures 1.5 m across.
    assert!(deepest < 0.05 && touching > 30, "{deepest} m deep, {touching} of 90 touching");
}

#[test]
fn gears_turn_each_other_in_the_ratio_of_their_teeth() {
    let mut built = load("gears", &[]).unwrap();
    let count = built.info.bodies.len();
    let mut turned = vec![0.0; count];
    let mut last: Vec<f64> = (0..count).map(|body| angle(&built, body)).collect();
    // The first second takes up the backlash.
    watch(&mut built, 1.0, |built| (0..count).for_each(|body| last[body] = angle(built, body)));
    watch(&mut built, 3.0, |built| {
        for body in 0..count {
            let now = angle(built, body);
            turned[body] += (now - last[body] + 9.0 * std::f64::consts::PI)
                .rem_euclid(2.0 * std::f64::consts::PI)
                - std::f64::consts::PI;
            last[body] = now;
        }
    });
    // The driver of each, and so which way it turns: from the motor on, one against the next.
    let driver = [0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 8];
    let mut sign = vec![1.0; count];
    for gear in 1..count {
        sign[gear] = -sign[driver[gear]];
        let ratio = turned[gear] / turned[0];
        let expected = sign[gear] * 11.0 / 7.0;
        assert!((ratio / expected - 1.0).abs() < 0.05, "gear {gear}: {ratio}, not {expected}");
    }
    assert!((turned[0] - 4.5).abs() < 0.2, "{} rad in 3 s of 1.5 rad/s", turned[0]);
}

/// Where a place of a body's shape is now, from two of its vertices at rest and their vertices.
fn carried(rest: [Vec2; 2], now: [Vec2; 2], place: Vec2) -> Vec2 {
    let (way, gone) = (rest[1] - rest[0], now[1] - now[0]);
    // The turn that takes one way to the other, as a complex quotient.
    let turn = Vec2::new(way.dot(gone), way.perp_dot(gone)) / way.length_squared();
    now[0] + turn.rotate(place - rest[0])
}

#[test]
fn no_link_of_the_chain_is_lost() {
    let mut built = load("links", &[]).unwrap();
    let start: Vec<Vec2> =
        built.world.simulation().state.positions.iter().map(|p| p.truncate()).collect();
    let bodies = built.info.bodies.clone();
    let mut farthest = 0.0_f64;
    watch(&mut built, 2.0, |built| {
        let now = &built.world.simulation().state.positions;
        let at = |body: usize, place: Vec2| {
            let [a, b] = [0, 14].map(|k| bodies[body].vertices.start + k);
            carried([start[a], start[b]], [now[a].truncate(), now[b].truncate()], place)
        };
        // They hang 4.85 knobs of 0.25 m apart; claws are 2.3 above their middles, knobs below.
        let place = |body: usize, above: f64| Vec2::new(0.0, 0.25 * (above - 4.85 * body as f64));
        for link in 1..bodies.len() {
            let (knob, claw) = (place(link - 1, -2.3), place(link, 2.3));
            farthest = farthest.max(at(link - 1, knob).distance(at(link, claw)));
        }
    });
    // A knob can go 0.27 of itself until the mouth holds it, and is out after 0.87.
    assert!(farthest < 0.4 * 0.25, "a knob is {farthest} m from the middle of its claw");
    let last = bodies.last().unwrap().vertices.start;
    let aside = built.world.simulation().state.positions[last].x;
    assert!(aside > 3.0, "the last link has swung {aside} m"); // under a slant of 0.3 rad
}

#[test]
fn cars_collide_and_are_never_inside_each_other() {
    let mut built = load("cars", &[]).unwrap();
    let speeds = |built: &LoadedScene| -> Vec<Vec3> {
        built.world.simulation().state.rigids.iter().map(|car| car.velocity).collect()
    };
    let before = speeds(&built);
    watch(&mut built, 5.0, |built| {
        let Overlap { penetrating_vertices, edge_crossings, .. } = overlap(built);
        assert_eq!((penetrating_vertices, edge_crossings), (0, 0));
        assert!(built.world.simulation().state.rigids.iter().all(|car| car.centre.z == 0.0));
    });
    // Without collisions no car would turn.
    let turned =
        built.world.simulation().state.rigids.iter().filter(|car| car.spin.z.abs() > 1e-3).count();
    assert!(turned > 10 && before != speeds(&built), "{turned} cars have collided");
}

#[test]
fn a_wave_runs_up_one_strip_and_into_the_other() {
    let mut built = load("wavy", &[]).unwrap();
    // Vertices 10 to 50 of the left strip are its edge, upwards: at 0 m and at 1.2 m.
    let mut least = [(f64::INFINITY, 0.0); 2];
    watch(&mut built, 1.5, |built| {
        for (k, vertex) in [30, 42].into_iter().enumerate() {
            let x = built.world.simulation().state.positions[vertex].x;
            if x < least[k].0 {
                least[k] = (x, built.world.simulation().state.time);
            }
        }
    });
    // From half the gap of 0.03 m; 1.2 m at √(T/μ), 5.2 N and 0.4 kg/m, would take 0.33 s.
    assert!(least.iter().all(|(x, _)| *x < -0.015 - 0.05), "{least:?}");
    let later = least[1].1 - least[0].1;
    assert!((0.15..0.6).contains(&later), "{later} s: {least:?}");
}

#[test]
fn strips_that_start_deep_inside_each_other_come_apart() {
    let mut built = load("wavy", &["overlap=0.6"]).unwrap();
    watch(&mut built, 2.0, |_| ());
    let found = overlap(&built);
    assert!(found.max_depth < 0.01, "{found:?}");
}
