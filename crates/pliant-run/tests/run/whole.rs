//! Uninterrupted runs.

use std::fs;

use pliant::body::keyframes::{Keyframes, Pose};
use pliant::body::obstacle::{Obstacle, Plane, SurfaceMaterial};
use pliant::math::Vec3;
use pliant::record::row::SeriesRow;
use pliant_run::recording::Recording;
use pliant_run::run::{IfExists, RunError, RunSettings, inspect, run, series};
use pliant_run::summary::Summary;
use pliant_scene::digest::digest;

use crate::scene::{Place, STEPS, blocks, names, results};

/// Momentum is kept to the tolerance of the linear solver, 1e-10 of the forces of a step,
/// over some 60 steps.
const MOMENTUM: f64 = 1e-8;

#[test]
fn a_run_leaves_what_its_book_says() {
    let place = Place::new("whole");
    let settings = RunSettings {
        report: Some(|folder, built, summary, rows| {
            assert!(folder.join("recording.pliant").exists());
            let (scene, text) = (&built.info.scene, &built.resolved);
            format!("{scene} {} {} {text}", summary.steps, rows.len())
        }),
        ..RunSettings::default()
    };
    let summary = run(blocks(), &place.run(), settings, &mut ()).unwrap();
    let expected = [
        "bodies.csv",
        "checkpoint.bin",
        "recording.pliant",
        "report.html",
        "run.json",
        "run.lock",
        "scene.toml",
        "series.csv",
        "summary.json",
    ];
    assert_eq!(names(&place.run()), expected);
    let read = |name: &str| fs::read_to_string(place.run().join(name)).unwrap();
    assert_eq!(serde_json::from_str::<Summary>(&read("summary.json")).unwrap(), summary);
    assert_eq!(read("scene.toml"), blocks().resolved);
    // Steps 0, 2, …, 60 and the last one, 61.
    assert_eq!(read("report.html"), "blocks 61 32 name = \"blocks\"\n");
    assert_eq!((summary.ended.as_str(), summary.notices.len()), ("finished", 1));
    assert_eq!((summary.steps, summary.vertices), (STEPS, 54));
    assert_eq!(summary.simulated_s, STEPS as f64 * 0.01);
    assert!(summary.cpu_s > 0.0 && summary.wall_s > 0.0 && summary.realtime_factor > 0.0);
    assert!(summary.iterations.linear >= STEPS, "{:?}", summary.iterations);
    assert!(summary.momentum_error < MOMENTUM, "{}", summary.momentum_error);
    let stages: Vec<_> = summary.stages.0.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(stages, ["force", "detect", "depth", "contact", "solve", "step"]);
    assert!(summary.stages.0[0].1 > 0.0 && summary.stages.0[0].1 < summary.cpu_s);
}

#[test]
fn rows_and_frames_are_those_of_bare_steps() {
    let place = Place::new("bare");
    let summary = run(blocks(), &place.run(), RunSettings::default(), &mut ()).unwrap();
    let rows = series::read(&place.run().join("series.csv")).unwrap();
    let mut recording = Recording::open(&place.run().join("recording.pliant")).unwrap();
    assert!(recording.is_complete());
    let (mut world, mut next) = (blocks().world, 0);
    for step in 0..=STEPS {
        if step > 0 {
            world.step().unwrap();
        }
        let bare = world.simulation();
        if step % 2 == 0 || step == STEPS {
            let row = SeriesRow::of(bare, Default::default()).values();
            assert_eq!(rows[next][..12], row[..12], "step {step}");
            let frame = recording.read(next).unwrap();
            assert_eq!((frame.step, frame.time), (step, bare.state.time));
            let rounded = bare.state.positions.iter().map(|p| p.to_array().map(|x| x as f32));
            assert_eq!(frame.positions, rounded.collect::<Vec<_>>(), "step {step}");
            next += 1;
        }
    }
    assert_eq!((rows.len(), recording.frames().len()), (next, next));
    assert_eq!(summary.digest, digest(&world.simulation().state));
    assert_ne!(world.simulation().external_impulse_total, Vec3::ZERO); // the floor was met
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let place = Place::new("threads");
    let [one, two] = [1, 2].map(|threads| {
        let settings =
            RunSettings { threads, existing: IfExists::Replace, ..RunSettings::default() };
        let summary = run(blocks(), &place.run(), settings, &mut ()).unwrap();
        assert_eq!(summary.threads, threads);
        (summary.digest, results(&place.run()))
    });
    assert!(one == two);
}

#[test]
fn momentum_that_nobody_gave_is_told() {
    let place = Place::new("momentum");
    let mut built = blocks();
    built.info.gravity = [0.0, 0.0, -9.8];
    let summary = run(built, &place.run(), RunSettings::default(), &mut ()).unwrap();
    // 0.01 of 9.81 m/s² are missing over 0.61 s, where the speed is at most some 3 m/s.
    assert!((1e-3..1e-2).contains(&summary.momentum_error), "{}", summary.momentum_error);
    assert_eq!(summary.momentum_bodies, 1);
    // Held bodies alone: nothing counts.
    let mut built = blocks();
    built.info.bodies.iter_mut().for_each(|body| body.held = true);
    let settings = RunSettings { existing: IfExists::Replace, ..RunSettings::default() };
    let summary = run(built, &place.run(), settings, &mut ()).unwrap();
    assert_eq!((summary.momentum_error, summary.momentum_bodies), (0.0, 0));
}

#[test]
fn who_is_inside_obstacles_is_told() {
    let place = Place::new("obstacles");
    let mut built = blocks();
    let above = Keyframes::still(Pose::along(100.0 * Vec3::Z, Vec3::Z).unwrap()).unwrap();
    built.obstacles = vec![Obstacle::new(Plane, above, SurfaceMaterial::default()).unwrap()];
    let summary = run(built, &place.run(), RunSettings::default(), &mut ()).unwrap();
    assert_eq!(summary.obstacle_vertices, 54);
    // The lowest vertex of blocks that fall onto a floor at 0 m.
    assert!((98.0..101.0).contains(&summary.obstacle_depth), "{}", summary.obstacle_depth);
}

#[test]
fn a_step_that_fails_names_the_place_and_keeps_the_rest() {
    let place = Place::new("fails");
    let mut built = blocks();
    // No vertex is meant to go as far as that.
    built.world.simulation_mut().state.velocities[3] = Vec3::splat(1e70);
    let error = run(built, &place.run(), RunSettings::default(), &mut ()).unwrap_err();
    assert!(matches!(error, RunError::Absurd { step: 1, .. }) && !error.is_input(), "{error}");
    // Every second step is recorded; step 1 is the last one, and there too.
    let rows = series::read(&place.run().join("series.csv")).unwrap();
    let recording = Recording::open(&place.run().join("recording.pliant")).unwrap();
    let steps: Vec<_> = recording.frames().iter().map(|entry| entry.step).collect();
    assert_eq!((rows.len(), steps), (2, vec![0, 1]));
    let summary = inspect::look(&place.run()).unwrap().summary.unwrap();
    assert_eq!((summary.steps, summary.simulated_s, rows[1][0]), (1, 0.01, 0.01));
    assert_eq!(summary.error, Some(error.to_string()));
    let mut built = blocks();
    built.world.simulation_mut().state.positions[30] = Vec3::splat(f64::NAN);
    let settings = RunSettings { existing: IfExists::Replace, ..RunSettings::default() };
    let error = run(built, &place.run(), settings, &mut ()).unwrap_err().to_string();
    assert!(error.starts_with("step 1, body 1 `held`: vertex 3 of body 1 has position"), "{error}");
    assert!(error.contains("after start"), "{error}");
    let look = inspect::look(&place.run()).unwrap();
    assert_eq!((look.state.as_str(), look.recording.frames), ("failed", 1));
    assert!(look.recording.complete);
}
