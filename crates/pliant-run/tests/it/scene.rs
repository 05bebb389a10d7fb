//! Scenes from text to steps: the built-in ones, bad ones, and those as resolved.

use std::path::{Path, PathBuf};

use pliant::record::overlap::Overlap;
use pliant::record::row::SeriesRow;
use pliant_run::scene;
use pliant_scene::digest::digest;
use pliant_scene::loaded::LoadedScene;
use pliant_scene::{SceneError, builtin, key_docs, schema};

/// A fresh folder for one test, gone when dropped.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("pliant-scene-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn write(&self, name: &str, text: &str) -> String {
        std::fs::write(self.0.join(name), text).unwrap();
        self.0.join(name).to_str().unwrap().to_owned()
    }

    pub fn load(&self, text: &str, sets: &[&str]) -> Result<LoadedScene, SceneError> {
        load(&self.write("scene.toml", text), sets)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn load(source: &str, sets: &[&str]) -> Result<LoadedScene, SceneError> {
    scene::load(source, &sets.iter().map(|set| (*set).to_owned()).collect::<Vec<_>>())
}

/// The digest after some steps.
pub fn after(mut built: LoadedScene, steps: usize) -> String {
    for _ in 0..steps {
        built.world.step().unwrap();
    }
    digest(&built.world.simulation().state)
}

/// A scene of one small block with something more at its end.
pub fn with(more: &str) -> String {
    format!(
        "duration = 1\ndt = 0.01\n[[bodies]]\nname = \"a\"\n\
         mesh = {{ kind = \"icosahedron\", radius = 1 }}\n\
         material = {{ kind = \"corotational\", young = 1e4 }}\n{more}"
    )
}

#[test]
fn built_in_scenes_step_and_their_resolved_form_gives_the_same_bits() {
    let folder = Folder::new("resolved");
    for scene in builtin::ALL {
        // Some are large: two steps say as much there.
        let steps = if ["curtain", "fruit-dish"].contains(&scene.name) { 2 } else { 10 };
        let built = load(scene.name, &[]).unwrap();
        assert_eq!(built.info.scene, scene.name);
        let path = folder.write("again.toml", &built.resolved);
        let mut again = load(&path, &[]).unwrap();
        again.world.set_threads(2);
        assert_eq!(again.info, built.info);
        assert_eq!(
            digest(&again.world.simulation().state),
            digest(&built.world.simulation().state)
        );
        assert_eq!(after(again, steps), after(built, steps), "{}", scene.name);
    }
}

#[test]
fn built_in_scenes_take_the_common_parameters_and_their_own() {
    for scene in builtin::ALL {
        let built = load(scene.name, &["response=none", "duration=0.5", "dt=0.001"]).unwrap();
        assert_eq!((built.info.dt, built.info.steps), (0.001, 500), "{}", scene.name);
        assert!(!scene.headline().is_empty());
        for (name, value) in scene.parameters() {
            load(scene.name, &[&format!("{name}={value}")]).unwrap();
        }
    }
    for kind in ["rk4", "explicit-euler", "verlet-central", "implicit-midpoint", "bdf2"] {
        let built = load("integrators", &[&format!("integrator={kind}")]).unwrap();
        assert_eq!(built.info.integrator, kind);
        after(built, 10);
    }
    let error = load("block", &["yuong=1"]).unwrap_err().to_string();
    assert!(error.contains("--set:1:1") && error.contains("did you mean `young`?"), "{error}");
}

fn energy(built: &LoadedScene) -> f64 {
    let row = SeriesRow::of(built.world.simulation(), Overlap::default());
    row.kinetic + row.elastic + row.gravitational
}

/// Runs a scene to its end; energy must stay below that of the start and speed below a limit, m/s.
#[track_caller]
fn settles(scene: &str, sets: &[&str], speed: f64) -> LoadedScene {
    let mut built = load(scene, sets).unwrap();
    let start = energy(&built);
    for _ in 0..built.info.steps {
        built.world.step().unwrap();
        assert!(
            energy(&built) <= start + 1e-9 * start.abs(),
            "{} s",
            built.world.simulation().state.time
        );
    }
    let row = SeriesRow::of(built.world.simulation(), Overlap::default());
    assert!(row.rms_speed < speed, "{} m/s", row.rms_speed);
    built
}

#[test]
fn what_is_dropped_comes_to_rest() {
    settles("block", &[], 0.02);
    // Half as many layers, so eight times the stiffness per element.
    settles("jelly-drop", &["bodies.0.mesh.layers=2", "wobble=32", "dt=0.008"], 0.05);
}

#[test]
fn a_curtain_hangs_over_the_ball_without_stretching() {
    // A 25th of the vertices with 25 times the drag: the same air.
    let sets = ["bodies.0.mesh.vertices=[20, 20]", "drag.coefficient=2.5e-3"];
    let built = settles("curtain", &sets, 0.05);
    let positions = &built.world.simulation().state.positions;
    let ball = pliant::math::Vec3::new(0.0, 0.6, -1.0);
    let nearest = positions.iter().map(|p| p.distance(ball)).fold(f64::INFINITY, f64::min);
    assert!((0.499..0.51).contains(&nearest), "{nearest}");
    let at_rest = 2.0 / 19.0;
    let longest =
        (0..20 * 19).map(|k| positions[k].distance(positions[k + 20])).fold(0.0, f64::max);
    assert!(longest < 1.05 * at_rest, "{longest} {at_rest}");
}

#[test]
fn integrators_differ_as_the_lecture_says() {
    let gain = |kind: &str| {
        let mut built = load("integrators", &[&format!("integrator={kind}")]).unwrap();
        let start = energy(&built);
        for _ in 0..1000 {
            built.world.step().unwrap();
        }
        energy(&built) - start
    };
    assert!(gain("explicit-euler") > 5.0);
    assert!(gain("implicit-euler") < -0.5);
    assert!(gain("verlet").abs() < 0.01);
    assert!(gain("rk4").abs() < 0.01);
}

/// A scene is refused with this text and this place.
#[track_caller]
pub fn refused(text: &str, sets: &[&str], expected: &str, place: &str) {
    let folder = Folder::new(&format!("refused-{}", text.len() + expected.len()));
    let error = folder.load(text, sets).unwrap_err();
    let reported = error.to_string();
    assert!(reported.contains(expected), "{reported}");
    let first = error.diagnostics[0].place.clone();
    let found = first.map_or_else(String::new, |place| {
        let letters = place.text.chars().skip(place.underlined.start);
        letters.take(place.underlined.len()).collect()
    });
    assert_eq!(found, place, "{reported}");
}

#[test]
fn bad_scenes_are_refused_at_their_place() {
    refused("", &[], "scene.toml: the scene is empty: it needs `duration`", "");
    refused("# nothing\n", &[], "scene.toml: the scene is empty: it needs `duration`", "");
    refused("dt = 1\n", &[], "missing key `duration`", "d");
    refused("duration = 1\ndt = 1\n", &[], "the scene is empty", "d");
    refused(&with("positon = [0, 0, 1]\n"), &[], "help: did you mean `position`?", "positon");
    refused(&with("position = [0, 0]\n"), &[], "expected 3 values, found 2", "[0, 0]");
    refused(&with("position = [0, \"x\", 0]\n"), &[], "expected a number, found a string", "\"x\"");
    refused(&with(""), &["dt=1/60"], "help: an expression begins with `=`", "1/60");
    refused(&with("position = [0, nan, 0]\n"), &[], "it must be finite", "nan");
    refused(&with("position = [0, \"=1/0\", 0]\n"), &[], "not finite", "1/0");
    refused(&with("[integrator]\nkind = \"rk5\"\n"), &[], "did you mean `rk4`?", "\"rk5\"");
    refused(&with(""), &["response=bounce"], "there is `none`, `constraint`", "bounce");
    refused(&with(""), &["duration=-1"], "the duration is -1 s: it must be positive", "-1");
    refused(&with(""), &["dt=0"], "the time step is 0 s: it must be positive", "0");
    refused(&with(""), &["dt=1e-300"], "`dt` is 1e-300: products", "1e-300");
    refused(&with(""), &["dt=1e-30"], "steps: at most", "1");
}

#[test]
fn bodies_that_cannot_be_are_refused_at_their_place() {
    refused(&with(""), &["bodies.0.mass=1"], "tets get their mass", "1");
    refused(
        &with(
            "[[bodies]]\nname = \"a\"\nmesh = { kind = \"ball\", radius = 1, layers = 1 }\n\
                   material = { kind = \"none\" }\n",
        ),
        &[],
        "two bodies are called `a`",
        "\"a\"",
    );
    refused(
        &with(""),
        &["bodies.0.mesh={kind='file',path='no.vtu'}"],
        "No such file",
        "{kind='file',path='no.vtu'}",
    );
    refused(&with(""), &["bodies.0.material.young=-1"], "Young's modulus -1 Pa", "-1");
    refused(
        &with(""),
        &["bodies.0.mesh={kind='ball',radius=1,layers=4000000000}"],
        "tets: at most 4000000",
        "{kind='ball',radius=1,layers=4000000000}",
    );
    refused(
        &with(""),
        &["bodies.0.mesh={kind='cloth',size=[1,1],vertices=[100000,100000]}"],
        "10000000000 vertices: at most",
        "{kind='cloth',size=[1,1],vertices=[100000,100000]}",
    );
    refused(
        &with(""),
        &["bodies.0.pattern={kind='grid',counts=[1000,1000,1000],spacing=[1,1,1]}"],
        "at most",
        "bodies.0.pattern",
    );
    refused(&with("pins = [{}]\n"), &[], "exactly one of `box`", "{}");
    refused(&with("pins = [{ vertices = [13] }]\n"), &[], "vertex 13 is not there", "13");
    refused(
        &with("pins = [{ plane = { point = [0, 0, -9], normal = [0, 0, 1] } }]\n"),
        &[],
        "every vertex of body 0 is pinned",
        "bodies",
    );
}

#[test]
fn what_acts_on_bodies_is_refused_at_its_place() {
    refused(
        &with("constraints = [{ kind = \"distance\" }]\n"),
        &[],
        "only the integrator `pbd`",
        "constraints",
    );
    refused(
        &with("[[loads]]\nbody = \"b\"\nforce = [0, 0, 1]\n"),
        &[],
        "no body is called `b`",
        "\"b\"",
    );
    refused(&with("[record]\nevery = 1\nrate = 1\n"), &[], "cannot both be given", "1");
    refused(
        &with("[[obstacles]]\nname = \"o\"\nshape = { kind = \"sphere\", radius = 0 }\n"),
        &[],
        "radius 0 m",
        "shape",
    );
    refused("dt = \n", &[], "scene.toml:1:", "");
}

#[test]
fn parameters_named_twice_by_each_other_are_worked_out_once() {
    let folder = Folder::new("chain");
    // Evaluated each time it is named, the last would be needed 2³⁰ times.
    let last = 30;
    let doubled = |k| format!("p{k} = \"=p{} + p{}\"\n", k + 1, k + 1);
    let chain: String = (0..last).map(doubled).collect();
    let more = format!("position = [\"=p0\", 0, 0]\n[parameters]\n{chain}p{last} = 1\n");
    let built = folder.load(&with(&more), &[]).unwrap();
    let positions = &built.world.simulation().state.positions;
    let middle = positions.iter().map(|p| p.x).sum::<f64>() / positions.len() as f64;
    assert!((middle - f64::from(1 << last)).abs() < 1e-3, "{middle}");
}

#[test]
fn several_faults_are_counted_and_all_kept() {
    let folder = Folder::new("several");
    let error = folder.load(&with("positon = 1\nvelocty = 2\nspin = 3\n"), &[]).unwrap_err();
    assert_eq!(error.diagnostics.len(), 3);
    assert!(error.to_string().ends_with("and 2 more errors"), "{error}");
}

#[test]
fn missing_scenes_are_named() {
    let error = load("curtan", &[]).unwrap_err().to_string();
    assert!(error.contains("did you mean the built-in scene `curtain`?"), "{error}");
    assert!(load("no/such.toml", &[]).unwrap_err().to_string().contains("No such file"));
    assert!(load("/", &[]).is_err());
    let folder = Folder::new("bytes");
    std::fs::write(folder.0.join("b.toml"), [0xff, 0xfe]).unwrap();
    let error = load(folder.0.join("b.toml").to_str().unwrap(), &[]).unwrap_err();
    assert!(error.to_string().contains("byte 0 is not UTF-8"), "{error}");
}

#[test]
fn damaged_scenes_never_panic() {
    let folder = Folder::new("damaged");
    let text = format!(
        "{}{}",
        with("pins = [{ vertices = [0] }]\n"),
        "[[obstacles]]\nname = \"o\"\nshape = { kind = \"plane\" }\n[drag]\ncoefficient = 1\n"
    );
    folder.load(&text, &[]).unwrap();
    for cut in 0..text.len() {
        let _ = folder.load(&text[..cut], &[]);
    }
    let damaged = ["", "=", "\"", "[", "-1", "nan", "1e999", "\"=x\"", "{}", "[[1]]", "9999999999"];
    for (at, _) in text.match_indices(" = ") {
        let end = text[at..].find('\n').map_or(text.len(), |n| at + n);
        for value in damaged {
            let _ = folder.load(&format!("{} = {value}{}", &text[..at], &text[end..]), &[]);
        }
    }
}

#[test]
fn mesh_files_count_from_the_scene_and_bad_ones_are_told_like_by_check() {
    let folder = Folder::new("files");
    std::fs::create_dir_all(folder.0.join("meshes")).unwrap();
    let medit = |corner: &str| {
        format!(
            "MeshVersionFormatted 2\nDimension 3\nVertices\n5\n9 9 9 0\n0 0 0 0\n1 0 0 0\n0 1 0 0\n{corner} 0\n\
         Tetrahedra\n1\n2 3 4 5 7\nEnd\n"
        )
    };
    folder.write("meshes/good.mesh", &medit("0 0 1"));
    folder.write("meshes/flat.mesh", &medit("1 1 0"));
    let scene = |name: &str| {
        format!(
            "duration = 1\ndt = 0.01\n[[bodies]]\nname = \"a\"\nmesh = {{ kind = \"file\", path = \"meshes/{name}\" }}\n\
         material = {{ kind = \"none\" }}\n[[bodies.regions]]\nregion = 7\n\
         material = {{ kind = \"corotational\", young = 1e4, density = 600 }}\n"
        )
    };
    let built = folder.load(&scene("good.mesh"), &[]).unwrap();
    // A sixth of a cubic metre of region 7; the vertex that nothing uses is gone.
    assert!((built.world.simulation().system.masses.total() - 100.0).abs() < 1e-9);
    assert_eq!(built.world.simulation().state.positions.len(), 4);
    assert!(built.notices.iter().any(|notice| notice.contains("left out")), "{:?}", built.notices);
    let elsewhere = Folder::new("elsewhere");
    let again = elsewhere.load(&built.resolved, &[]).unwrap();
    assert_eq!(after(again, 5), after(built, 5));
    let error = folder.load(&scene("flat.mesh"), &[]).unwrap_err().to_string();
    assert!(error.contains("not usable: 1 flat_tets (first: tet 0)"), "{error}");
    let wrong = scene("good.mesh").replace("region = 7", "region = 8");
    let error = folder.load(&wrong, &[]).unwrap_err().to_string();
    assert!(error.contains("no tet is in region 8") && error.contains("there are 7"), "{error}");
}

#[test]
fn patterns_make_named_bodies_that_a_seed_moves() {
    let folder = Folder::new("patterns");
    let pile = with("pattern = { kind = \"pile\", count = 5, size = [8, 8, 8] }\n");
    let built = folder.load(&pile, &[]).unwrap();
    let names: Vec<&str> = built.info.bodies.iter().map(|body| &*body.name).collect();
    assert_eq!(names, ["a-0", "a-1", "a-2", "a-3", "a-4"]);
    assert_eq!(built.info.bodies[4].vertices, 52..65);
    let (one, same) = (folder.load(&pile, &[]).unwrap(), folder.load(&pile, &["seed=0"]).unwrap());
    let other = folder.load(&pile, &["seed=1"]).unwrap();
    assert_eq!(after(one, 0), after(same, 0));
    assert_ne!(after(other, 0), after(built, 0));
    refused(
        &with("pattern = { kind = \"pile\", count = 500, size = [3, 3, 3] }\n"),
        &[],
        "found room",
        "pattern",
    );
}

#[test]
fn placing_turns_scales_moves_and_spins() {
    let folder = Folder::new("placed");
    let text = with(
        "scale = 2\nrotation = [0, 0, \"=pi/2\"]\nposition = [1, 2, 3]\nvelocity = [0, 0, 5]\nspin = [0, 0, 2]\n",
    );
    let built = folder.load(&text, &[]).unwrap();
    let plain = folder.load(&with(""), &[]).unwrap();
    let (state, start) = (&built.world.simulation().state, &plain.world.simulation().state);
    for k in 0..13 {
        let [x, y, z] = start.positions[k].to_array();
        let expected = pliant::math::Vec3::new(1.0 - 2.0 * y, 2.0 + 2.0 * x, 3.0 + 2.0 * z);
        assert!(state.positions[k].abs_diff_eq(expected, 1e-12), "{k}");
        // ω × r, r from the centre: 2 z × (−2y, 2x) = (−4x, −4y).
        let speed = pliant::math::Vec3::new(-4.0 * x, -4.0 * y, 5.0);
        assert!(state.velocities[k].abs_diff_eq(speed, 1e-12), "{k}");
    }
}

#[test]
fn obstacles_of_every_shape_and_response_are_made() {
    let folder = Folder::new("obstacles");
    for shape in [
        "{ kind = \"plane\" }",
        "{ kind = \"box\", size = [1, 1, 1] }",
        "{ kind = \"sphere\", radius = 1 }",
        "{ kind = \"cylinder\", radius = 1 }",
        "{ kind = \"cylinder\", radius = 1, length = 2 }",
        "{ kind = \"capsule\", radius = 1, length = 2 }",
        "{ kind = \"torus\", ring_radius = 1, tube_radius = 0.2 }",
        "{ kind = \"mesh\", mesh = { kind = \"ball\", radius = 1, layers = 2 }, spacing = 0.5 }",
        "{ kind = \"union\", parts = [{ shape = { kind = \"plane\" } }, { shape = { kind = \"sphere\", radius = 1 }, position = [0, 0, 1] }] }",
        "{ kind = \"intersection\", parts = [{ shape = { kind = \"plane\" } }, { shape = { kind = \"sphere\", radius = 1 } }] }",
    ] {
        for response in ["impulse", "penalty", "barrier", "constraint"] {
            let settings = if response == "barrier" { ", strength = 1, reach = 0.1" } else { "" };
            let response = format!("{{ kind = \"{response}\"{settings} }}");
            let kind = if response.contains("constraint") { "pbd" } else { "verlet" };
            let text = with(&format!(
                "[[obstacles]]\nname = \"o\"\nposition = [9, 0, -9]\nshape = {shape}\nresponse = {response}\n\
                 [integrator]\nkind = \"{kind}\"\nmax_halvings = 4\n"
            ));
            let built = folder.load(&text, &[]).unwrap();
            assert!(!built.info.obstacles[0].triangles.is_empty(), "{shape}");
            assert_eq!(built.info.bodies[0].held, !response.contains("impulse"));
            after(built, 2);
        }
    }
}

#[test]
fn substeps_are_the_same_as_shorter_steps() {
    let folder = Folder::new("substeps");
    for kind in ["rk4", "verlet", "bdf2"] {
        let set = format!("integrator.kind={kind}");
        let parts =
            folder.load(&with("spin = [1, 2, 3]\n"), &[&set, "integrator.substeps=4"]).unwrap();
        let short = folder.load(&with("spin = [1, 2, 3]\n"), &[&set, "dt=0.0025"]).unwrap();
        assert_eq!(after(parts, 3), after(short, 12), "{kind}");
    }
}

#[test]
fn a_pinned_vertex_rides_on_its_keyframes() {
    let folder = Folder::new("pins");
    let text = with(
        "pins = [{ vertices = [0], keyframes = [{ time = 0 }, { time = 1, position = [1, 0, 0] }] }]\n",
    );
    let mut built = folder.load(&text, &[]).unwrap();
    for _ in 0..50 {
        built.world.step().unwrap();
    }
    let found = built.world.simulation().state.positions[0];
    assert!((found.x - 0.5).abs() < 1e-9, "{found}");
    assert!(built.info.bodies[0].held);
}

#[test]
fn the_scene_of_the_tutorial_runs() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src/tutorials/tower.toml");
    let mut built = load(path.to_str().unwrap(), &["young=2e5"]).unwrap();
    for _ in 0..10 {
        built.world.step().unwrap();
    }
    assert_eq!(built.info.bodies.len(), 4);
}

#[test]
fn the_book_has_every_key() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src/scenes.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (head, _) = page.split_once("\n# All keys\n").unwrap();
    let expected = format!("{head}\n# All keys\n\n{}", key_docs::tables(&schema::plain()));
    if std::env::var_os("PLIANT_BLESS").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(page == expected, "book/src/scenes.md is stale: run `cargo xtask bless`");
}

/// Units that descriptions of keys use.
const UNITS: [&str; 19] = [
    "m",
    "s",
    "kg",
    "N",
    "J",
    "Pa",
    "rad",
    "Hz",
    "1/s",
    "m/s",
    "m/s²",
    "rad/s",
    "kg/m²",
    "kg/m³",
    "N/m",
    "N·m",
    "N·s/m",
    "N·s²/m²",
    "J·s",
];

/// Numbers without a dimension: heading of the table, then the key.
const DIMENSIONLESS: [&str; 28] = [
    "Clusters: overlap",
    "Constraint: stretch",
    "Contact: convergence_tolerance",
    "Contact: damping",
    "Contact: friction",
    "Contact: offset",
    "Contact: reach",
    "Contact: restitution",
    "Contact: speculative_distance",
    "Depth: exponent",
    "Integrator: tolerance",
    "Joint: axis",
    r#"Material, kind = "shape-matched": blend"#,
    r#"Material, kind = "shape-matched": share"#,
    r#"Material, kind = "corotational": poisson"#,
    r#"Material, kind = "neo-hookean": poisson"#,
    r#"Material, kind = "ring": stretch"#,
    "Obstacle: friction",
    "Obstacle: restitution",
    r#"ObstacleResponse, kind = "penalty": fraction"#,
    r#"ObstacleResponse, kind = "barrier": change"#,
    r#"OutlineShape, kind = "coast": roughness"#,
    r#"OutlineShape, kind = "strip": waves"#,
    "PinPlane: normal",
    "Plasticity: max_drift",
    "Plasticity: yield_strain",
    "ShapeGroup: blend",
    "ShapeGroup: share",
];

/// Keys of the tables that hold numbers, each after its heading, with their descriptions.
fn numbers(tables: &str) -> Vec<(String, &str)> {
    let mut heading = "";
    let mut found = Vec::new();
    for line in tables.lines() {
        if let Some(title) = line.strip_prefix('#') {
            heading = title.trim_start_matches('#').trim();
        }
        let mut cells = line.split(" | ");
        let (key, kind, meaning) = (cells.next(), cells.next(), cells.last());
        if let (Some(key), Some(kind), Some(meaning)) = (key, kind, meaning)
            && kind.ends_with("number")
        {
            found.push((format!("{heading}: {}", key.trim_matches(['|', ' ', '`'])), meaning));
        }
    }
    found
}

/// Integers count or number something; every other number has a dimension or is listed as without.
#[test]
fn every_number_says_its_unit() {
    let tables = key_docs::tables(&schema::plain());
    let numbers = numbers(&tables);
    let names_unit = |meaning: &str| {
        let mut words =
            meaning.split(' ').map(|word| word.trim_end_matches([',', ';', '.', ' ', '|']));
        meaning.contains("unit") || words.any(|word| UNITS.contains(&word))
    };
    let is_listed = |key: &str| DIMENSIONLESS.contains(&key);
    let wrong = numbers.iter().filter(|(key, meaning)| names_unit(meaning) == is_listed(key));
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "a unit is missing, or named though none is expected: {wrong:#?}");
    for listed in DIMENSIONLESS {
        assert!(numbers.iter().any(|(key, _)| key == listed), "no such key: {listed}");
    }
}

#[test]
fn a_duration_that_is_cut_to_whole_steps_is_told() {
    let reported = |sets: &[&str]| load("block", sets).unwrap().notices;
    assert_eq!(reported(&[]), [""; 0]);
    let expected = "duration 0.7 s is not a multiple of dt 0.5 s: simulating 0.5 s";
    assert_eq!(reported(&["duration=0.7", "dt=0.5"]), [expected]);
}

#[test]
fn parameters_without_sense_are_refused_with_their_range() {
    for (scene, set, reported) in [
        ("two-cubes", "overlap=99", "the parameter `overlap` is 99: the scene takes -1 to 1"),
        ("two-cubes", "overlap=-1.01", "the parameter `overlap` is -1.01"),
        ("dice", "restitution=1.5", "the parameter `restitution` is 1.5: the scene takes 0 to 1"),
        ("crossing-bars", "overlap=0.29", "the scene takes -1 to 0.28"),
        ("box-on-block", "cells=0", "the parameter `cells` is 0: the scene takes 1 to 64"),
    ] {
        let error = load(scene, &[set]).unwrap_err().to_string();
        assert!(error.contains(reported), "{scene} {set}: {error}");
    }
    assert!(load("two-cubes", &["overlap=1"]).is_ok());
}
