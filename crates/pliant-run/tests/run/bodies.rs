//! Numbers of each body: forces that balance, and tables that survive an interruption.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use pliant_run::run::{IfExists, Progress, RunSettings, bodies, contacts, run};
use pliant_run::scene::load;
use pliant_scene::loaded::LoadedScene;

use crate::scene::Place;

/// Forces of bodies at rest against their weights and motors, relative.
const BALANCE: f64 = 1e-3;

/// A cell of a row by the name of its column; none where it is empty.
fn cell(row: &[String], column: &str) -> Option<f64> {
    let place = bodies::COLUMNS.iter().position(|name| *name == column).unwrap();
    (!row[place].is_empty()).then(|| row[place].parse().unwrap())
}

/// The rows of a body, oldest first.
fn rows(folder: &Path, body: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(folder.join("bodies.csv")).unwrap();
    assert_eq!(text.lines().next().unwrap(), bodies::COLUMNS.join(","));
    let all = text.lines().skip(1).map(|line| line.split(',').map(str::to_string).collect());
    all.filter(|row: &Vec<String>| row[1] == body).collect()
}

fn scene(name: &str, sets: &[&str]) -> LoadedScene {
    load(name, &sets.iter().map(|set| set.to_string()).collect::<Vec<_>>()).unwrap()
}

fn made(place: &Place, name: &str, sets: &[&str]) {
    let summary = run(scene(name, sets), &place.run(), RunSettings::default(), &mut ()).unwrap();
    assert_eq!(summary.ended, "finished");
}

#[track_caller]
fn check(row: &[String], column: &str, expected: f64) {
    let found = cell(row, column).unwrap();
    assert!((found - expected).abs() <= BALANCE * expected.abs(), "{column}: {found}, {expected}");
}

#[test]
fn a_block_at_rest_presses_on_the_plane_with_its_weight() {
    let place = Place::new("weight");
    made(&place, "block", &["response=constraint", "tilt=0", "height=0.01", "duration=2"]);
    let (block, floor) = (rows(&place.run(), "block"), rows(&place.run(), "floor"));
    // Steps of 0.005 s, a row in every third, and the last one.
    assert_eq!((block.len(), floor.len()), (135, 135));
    assert_eq!([&block[0][2], &floor[0][2]], ["soft", "obstacle"]);
    assert_eq!(cell(&block[0], "contact_force_z"), None); // no step was made
    assert_eq!(cell(&block[1], "contact_force_z"), Some(0.0)); // it falls
    let weight = 0.6 * 0.4 * 0.4 * 1000.0 * 9.81;
    check(block.last().unwrap(), "contact_force_z", weight);
    check(floor.last().unwrap(), "contact_force_z", -weight);
    assert!(cell(block.last().unwrap(), "contacts").unwrap() >= 4.0);
    assert_eq!(cell(block.last().unwrap(), "rotation_w"), None);
}

#[test]
fn impulses_of_an_obstacle_are_summed_and_what_is_not_known_is_empty() {
    let place = Place::new("impulses");
    made(&place, "block", &["tilt=0", "height=0.001", "duration=2"]);
    let block = rows(&place.run(), "block");
    check(block.last().unwrap(), "contact_force_z", 0.6 * 0.4 * 0.4 * 1000.0 * 9.81);
    assert_eq!(cell(block.last().unwrap(), "friction_force_z"), None);
    assert_eq!(cell(block.last().unwrap(), "contacts"), None);
    let place = Place::new("unknown");
    made(&place, "block", &["response=penalty", "duration=0.1"]);
    assert_eq!(cell(rows(&place.run(), "block").last().unwrap(), "contact_force_z"), None);
}

#[test]
fn a_gripper_presses_with_the_force_of_its_motors_and_carries_the_weight() {
    let place = Place::new("gripper");
    made(&place, "gripper", &["record.contacts=true"]);
    let last = |body: &str| rows(&place.run(), body).pop().unwrap();
    check(&last("left"), "contact_force_x", -20.0);
    check(&last("right"), "contact_force_x", 20.0);
    check(&last("cube"), "friction_force_z", 1e-3 * 800.0 * 9.81);
    assert_eq!(last("left")[2], "rigid");
    let turn = ["x", "y", "z", "w"].map(|axis| cell(&last("left"), &format!("rotation_{axis}")));
    let length: f64 = turn.map(|q| q.unwrap() * q.unwrap()).iter().sum();
    assert!((length - 1.0).abs() < 1e-12, "{turn:?}");
    // The table of contacts adds up to the same: of the last rows, forces on the cube.
    let text = fs::read_to_string(place.run().join("contacts.csv")).unwrap();
    let column = |name: &str| contacts::COLUMNS.iter().position(|known| *known == name).unwrap();
    let time = last("cube")[0].clone();
    let mut sum = 0.0;
    for line in text.lines().skip(1).filter(|line| line.starts_with(&format!("{time},"))) {
        let cells: Vec<&str> = line.split(',').collect();
        let sign = if cells[column("body")] == "cube" { 1.0 } else { -1.0 };
        let number = |name: &str| cells[column(name)].parse::<f64>().unwrap();
        let along = number("normal_force") * number("normal_z");
        sum += sign * (along + number("friction_force_z"));
    }
    check(&last("cube"), "contact_force_z", sum);
}

/// Two blocks whose tets are smaller than the surfaces that they carry, on each other and a floor.
const STACK: &str = r#"
duration = 2
dt = "=1/60"
response = "constraint"
[integrator]
kind = "implicit-euler"
[[bodies]]
name = "block"
mesh = { kind = "cuboid", size = [0.8, 0.8, 0.8], cells = [2, 2, 2] }
render_mesh = { kind = "cuboid", size = [1, 1, 1], cells = [5, 5, 5] }
contact_mesh = "render_mesh"
position = [0, 0, 0.51]
material = { kind = "corotational", young = 1e5, density = 100, damping = 0.01 }
pattern = { kind = "grid", counts = [1, 1, 2], spacing = [1, 1, 1.02] }
[[obstacles]]
name = "floor"
shape = { kind = "plane" }
friction = 0.3
"#;

#[test]
fn bodies_that_touch_with_what_they_carry_rest_on_it_with_their_weight() {
    let place = Place::new("carried");
    fs::create_dir_all(place.path()).unwrap();
    let file = place.path().join("stack.toml");
    fs::write(&file, STACK).unwrap();
    let file = file.to_str().unwrap().to_owned();
    let rest = |sets: &[&str], folder: &str| {
        let folder = place.path().join(folder);
        let summary = run(scene(&file, sets), &folder, RunSettings::default(), &mut ()).unwrap();
        assert_eq!((summary.penetrating_vertices, summary.edge_crossings), (0, 0));
        assert_eq!((summary.obstacle_vertices, summary.inverted_tets), (0, 0));
        assert!(summary.max_speed < 1e-2, "{}", summary.max_speed);
        let height = |body: &str| {
            let row = rows(&folder, body).pop().unwrap();
            cell(&row, "position_z").unwrap()
        };
        let floor = rows(&folder, "floor").pop().unwrap();
        check(&floor, "contact_force_z", -2.0 * 0.512 * 100.0 * 9.81);
        [height("block-0"), height("block-1")]
    };
    // Half the height of what touches, less what soft blocks give way.
    let [lower, upper] = rest(&[], "fine");
    assert!((0.48..0.51).contains(&lower) && (1.45..1.53).contains(&upper), "{lower} {upper}");
    let [lower, upper] = rest(&["bodies.0.contact_mesh=mesh"], "coarse");
    assert!((0.38..0.41).contains(&lower) && (1.15..1.23).contains(&upper), "{lower} {upper}");
}

/// Interrupts after so many steps.
struct Until(u64);

impl Progress for Until {
    fn step(&mut self, done: u64) -> ControlFlow<()> {
        if done >= self.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn all_tables_are_those_of_an_undisturbed_run() {
    // 11 steps, of which every second is recorded, and the last.
    let sets = ["record.contacts=true", "record.every=2", "record.checkpoint=3"];
    let sets = [&sets[..], &["duration==11/120"]].concat();
    let place = Place::new("tables");
    made(&place, "gripper", &sets);
    let names = ["series.csv", "bodies.csv", "contacts.csv", "recording.pliant"];
    let all = |folder: &Path| names.map(|name| fs::read(folder.join(name)).unwrap());
    let whole = all(&place.run());
    for stop in [1, 6, 10] {
        let folder = place.path().join(stop.to_string());
        run(scene("gripper", &sets), &folder, RunSettings::default(), &mut Until(stop)).unwrap();
        let resume = RunSettings { existing: IfExists::Resume, ..RunSettings::default() };
        run(scene("gripper", &sets), &folder, resume, &mut ()).unwrap();
        assert!(all(&folder) == whole, "after {stop} steps");
    }
    // Killed between its last checkpoint and its last row.
    fs::remove_file(place.run().join("summary.json")).unwrap();
    let resume = RunSettings { existing: IfExists::Resume, ..RunSettings::default() };
    run(scene("gripper", &sets), &place.run(), resume, &mut ()).unwrap();
    assert!(all(&place.run()) == whole);
    // A table that was changed is not appended to.
    let folder = place.path().join("changed");
    run(scene("gripper", &sets), &folder, RunSettings::default(), &mut Until(6)).unwrap();
    let mut text = fs::read(folder.join("bodies.csv")).unwrap();
    text[400] ^= 1;
    fs::write(folder.join("bodies.csv"), text).unwrap();
    let resume = RunSettings { existing: IfExists::Resume, ..RunSettings::default() };
    let error = run(scene("gripper", &sets), &folder, resume, &mut ()).unwrap_err().to_string();
    assert!(error.contains("bodies.csv: was changed within its first"), "{error}");
}
