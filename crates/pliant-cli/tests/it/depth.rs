//! `pliant depth`, on bodies whose depths can be worked out by hand.

use std::path::{Path, PathBuf};

use pliant::math::Vec3;
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::raw::RawMesh;
use pliant::mesh::tet::TetMesh;
use serde_json::{Value, json};

use crate::{Folder, medit, pliant, reported};

/// Sizes are about 1 m and sums have few terms: rounding stays near 1e-15.
const TOLERANCE: f64 = 1e-12;

/// A cube of 2 m around `middle`.
fn block(middle: Vec3) -> RawMesh {
    moved(cuboid([1, 1, 1], Vec3::splat(2.0), TetSplit::Five).unwrap(), middle)
}

/// A post of 1 × 1 × 2 m with vertices at three heights: 1 m below `middle`, at it, 1 m above.
///
/// In a block around the origin, with its middle at a height of 0.5 m, the lowest four
/// vertices are 1.5 m below the block's top and the next four 0.5 m.
fn post(middle: Vec3) -> RawMesh {
    moved(cuboid([1, 1, 2], Vec3::new(1.0, 1.0, 2.0), TetSplit::Five).unwrap(), middle)
}

fn moved(mut mesh: RawMesh, by: Vec3) -> RawMesh {
    mesh.positions.iter_mut().for_each(|p| *p += by);
    mesh
}

/// Where posts stand: off the block's middle, so that no vertex is equally near to two faces.
const STAND: Vec3 = Vec3::new(0.125, 0.0, 0.5);

fn save(folder: &Folder, name: &str, mesh: &RawMesh) -> PathBuf {
    let path = folder.0.join(name);
    let (mesh, _) = TetMesh::from_raw(mesh.clone()).unwrap();
    if name.ends_with(".obj") {
        pliant_io::mesh::write_triangles(&path, mesh.positions(), mesh.surface()).unwrap();
    } else {
        pliant_io::mesh::write_tets(&path, mesh.positions(), mesh.tets(), mesh.regions()).unwrap();
    }
    path
}

fn call(options: &[&str], files: &[&Path]) -> (i32, String, String) {
    let files = files.iter().map(|file| file.to_str().unwrap());
    let arguments: Vec<&str> = ["depth"].into_iter().chain(options.iter().copied()).collect();
    reported(&pliant(&arguments.into_iter().chain(files).collect::<Vec<_>>()))
}

#[track_caller]
fn json_text(options: &[&str], files: &[&Path]) -> String {
    let options: Vec<&str> = [&["--json"][..], options].concat();
    let (code, stdout, stderr) = call(&options, files);
    assert_eq!((code, stderr.as_str()), (0, ""));
    stdout
}

#[track_caller]
fn answer(options: &[&str], files: &[&Path]) -> Value {
    serde_json::from_str(&json_text(options, files)).unwrap()
}

/// The same without what differs from call to call.
#[track_caller]
fn timeless(options: &[&str], files: &[&Path]) -> Value {
    let mut answer = answer(&[options, &["--timings"]].concat(), files);
    let timings = answer.as_object_mut().unwrap().remove("timings_us").unwrap();
    // A time is above 0, or not reported at all.
    assert!(timings["inside"].as_f64().unwrap() > 0.0, "{timings}");
    // Where nothing collides there is nothing to time.
    let bodies = answer["bodies"].as_array().unwrap().iter();
    let collides = bodies.flat_map(|body| [&body["points"], &body["unresolved"]]);
    let collides = collides.into_iter().any(|list| !list.as_array().unwrap().is_empty());
    let depth = timings["depth"].as_f64().unwrap();
    assert!(if collides { depth > 0.0 } else { depth >= 0.0 }, "{timings}");
    assert_eq!(timings.as_object().unwrap().len(), 2);
    answer
}

fn list<'a>(answer: &'a Value, body: usize, what: &str) -> &'a [Value] {
    answer["bodies"][body][what].as_array().unwrap()
}

/// Bad input: one clear line on stderr that holds `expected`, exit code 2, no answer.
#[track_caller]
fn refused(options: &[&str], files: &[&Path], expected: &str) {
    let (code, stdout, stderr) = call(options, files);
    assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(stderr.starts_with("pliant: ") && stderr.contains(expected), "{stderr}");
}

#[test]
fn json_is_the_agreed_object_field_by_field() {
    let folder = Folder::new("depth-json");
    let block = save(&folder, "block.vtu", &block(Vec3::ZERO));
    let post = save(&folder, "post.msh", &post(STAND));
    let stdout = json_text(&["--normals", "face"], &[&block, &post]);
    // All crossings are on the top. Weights are 1 and 1/2: nothing is rounded.
    let mut points = Vec::new();
    for (vertex, ring, depth) in [(0, 1, "1.5"), (4, 0, "0.5")] {
        points.extend((vertex..vertex + 4).map(|vertex| {
            format!(
                r#"{{"vertex":{vertex},"into":[0],"ring":{ring},"depth":{depth},"direction":[0.0,0.0,1.0]}}"#
            )
        }));
    }
    let expected = [
        r#"{"method":"consistent","exponent":2.0,"scope":"scene","normals":"face","#,
        r#""bodies":[{"name":"block","kind":"tets","vertices":8,"tets":5,"#,
        r#""points":[],"unresolved":[]},"#,
        r#"{"name":"post","kind":"tets","vertices":12,"tets":10,"points":["#,
        &points.join(","),
        r#"],"unresolved":[]}],"crossing_pairs":[],"notices":[],"timings_us":null}"#,
        "\n",
    ];
    assert_eq!(without_exits(&stdout).replace("-0.0", "0.0"), expected.concat());
}

/// The text without the fields `exit`, which stand at the end of a point.
fn without_exits(text: &str) -> String {
    let mut parts = text.split(r#","exit":{"body":"#);
    let first = parts.next().unwrap().to_string();
    parts.fold(first, |text, part| text + &part[part.find('}').unwrap() + 1..])
}

/// Where a point leaves: the weighted sum of three vertices of another mesh.
fn exit_point(point: &Value, meshes: &[&RawMesh]) -> Vec3 {
    let exit = &point["exit"];
    let number = |value: &Value| value.as_u64().unwrap() as usize;
    let mesh = meshes[number(&exit["body"])];
    let weights = [0, 1, 2].map(|k| exit["weights"][k].as_f64().unwrap());
    assert!((weights.iter().sum::<f64>() - 1.0).abs() < TOLERANCE, "{exit}");
    (0..3).map(|k| weights[k] * mesh.positions[number(&exit["triangle"][k])]).sum()
}

#[test]
fn exits_are_named_in_the_numbers_of_the_file() {
    let folder = Folder::new("depth-exits");
    let (large, small) = (block(Vec3::ZERO), post(STAND));
    for kind in ["vtu", "obj"] {
        let a = save(&folder, &format!("a.{kind}"), &large);
        let b = save(&folder, &format!("b.{kind}"), &small);
        let consistent = answer(&["--normals", "face"], &[&a, &b]);
        assert_eq!(list(&consistent, 1, "points").len(), 8);
        for point in list(&consistent, 1, "points") {
            let start = small.positions[point["vertex"].as_u64().unwrap() as usize];
            let expected = Vec3::new(start.x, start.y, 1.0);
            let found = exit_point(point, &[&large, &small]);
            assert!(found.distance(expected) < TOLERANCE, "{point}");
        }
        let closest = answer(&["--method", "closest"], &[&a, &b]);
        for point in list(&closest, 1, "points") {
            let start = small.positions[point["vertex"].as_u64().unwrap() as usize];
            let way: Vec<f64> = point["direction"]
                .as_array()
                .unwrap()
                .iter()
                .map(|x| x.as_f64().unwrap())
                .collect();
            let expected = start + point["depth"].as_f64().unwrap() * Vec3::from_slice(&way);
            let found = exit_point(point, &[&large, &small]);
            assert!(found.distance(expected) < TOLERANCE, "{point}");
        }
    }
}

#[test]
fn timing_changes_nothing_but_the_timings() {
    let folder = Folder::new("depth-timings");
    let (a, b) = (save(&folder, "a.vtk", &block(Vec3::ZERO)), save(&folder, "b.vtk", &post(STAND)));
    for options in [&[][..], &["--method", "closest"], &["--threads", "2"]] {
        let mut plain = answer(options, &[&a, &b]);
        let timings = plain.as_object_mut().unwrap().remove("timings_us");
        assert_eq!((timings, plain), (Some(Value::Null), timeless(options, &[&a, &b])));
    }
    let (_, table, _) = call(&["--timings"], &[&a, &b]);
    assert!(table.contains("\ntime     inside "), "{table}");
}

#[test]
fn settings_come_back_as_they_were_asked_for() {
    let folder = Folder::new("depth-settings");
    let (a, b) = (save(&folder, "a.vtk", &block(Vec3::ZERO)), save(&folder, "b.vtk", &post(STAND)));
    let usual = timeless(&[], &[&a, &b]);
    let asked = timeless(&["--exponent", "2", "--scope", "scene", "--normals", "area"], &[&a, &b]);
    assert_eq!(usual, asked);
    assert_eq!(
        (&usual["exponent"], &usual["scope"], &usual["normals"]),
        (&json!(2.0), &json!("scene"), &json!("area"))
    );
    let other =
        timeless(&["--exponent", "1.5", "--scope", "pairs", "--normals", "angle"], &[&a, &b]);
    assert_eq!(
        (&other["exponent"], &other["scope"], &other["normals"]),
        (&json!(1.5), &json!("pairs"), &json!("angle"))
    );
    for threads in ["1", "7", "18446744073709551615"] {
        assert_eq!(usual, timeless(&["--threads", threads], &[&a, &b]));
    }
}

#[test]
fn a_vertex_in_two_bodies_comes_once_per_scene_and_twice_in_pairs() {
    let folder = Folder::new("depth-pairs");
    let low = save(&folder, "low.vtu", &block(Vec3::ZERO));
    let post = save(&folder, "post.vtu", &post(STAND));
    // Its top is 0.25 m above that of the other.
    let high = save(&folder, "high.vtu", &block(Vec3::new(0.25, 0.25, 0.25)));
    let files: [&Path; 3] = [&low, &post, &high];
    let scene = timeless(&["--normals", "face"], &files);
    let points = list(&scene, 1, "points");
    assert_eq!(points.len(), 8);
    assert!(points.iter().all(|point| point["into"] == json!([0, 2])), "{points:?}");
    assert_eq!(points[4]["depth"], json!(0.75));
    let pairs = timeless(&["--normals", "face", "--scope", "pairs"], &files);
    let reported: Vec<_> = list(&pairs, 1, "points")
        .iter()
        .map(|point| (point["vertex"].clone(), point["into"].clone(), point["depth"].clone()))
        .collect();
    let expected: Vec<_> = (0..8)
        .flat_map(|vertex| {
            let depth = if vertex < 4 { 1.5 } else { 0.5 };
            [(0, depth), (2, depth + 0.25)]
                .map(|(into, d)| (json!(vertex), json!([into]), json!(d)))
        })
        .collect();
    assert_eq!(reported, expected);
}

#[test]
fn closest_is_the_nearest_face_and_has_no_rings() {
    let folder = Folder::new("depth-closest");
    let shape = post(STAND);
    let (a, b) = (save(&folder, "a.vtk", &block(Vec3::ZERO)), save(&folder, "b.vtk", &shape));
    let closest = timeless(&["--method", "closest"], &[&a, &b]);
    assert_eq!(closest["method"], "closest");
    for setting in ["exponent", "scope", "normals"] {
        assert!(closest.as_object().unwrap().contains_key(setting));
        assert_eq!(closest[setting], Value::Null);
    }
    let points = list(&closest, 1, "points");
    assert_eq!(points.len(), 8);
    for (vertex, point) in points.iter().enumerate() {
        let fields: Vec<_> = point.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["depth", "direction", "exit", "into", "vertex"]);
        let to_faces = 1.0 - shape.positions[vertex].abs();
        assert!((point["depth"].as_f64().unwrap() - to_faces.min_element()).abs() < TOLERANCE);
    }
    // Vertex 1 is at (0.625, -0.5, -0.5).
    assert_eq!(points[1]["direction"][0].as_f64(), Some(1.0));
    assert_eq!(closest["notices"], json!([]));
    let idle = timeless(&["--method", "closest", "--scope", "pairs"], &[&a, &b]);
    assert_eq!(idle["notices"], json!(["--scope: without effect on the closest feature"]));
    assert_eq!(idle["bodies"], closest["bodies"]);
}

#[test]
fn a_closed_surface_is_a_body_with_a_notice() {
    let folder = Folder::new("depth-surface");
    let block = save(&folder, "block.obj", &block(Vec3::ZERO));
    let post = save(&folder, "post.obj", &post(STAND));
    let answer = timeless(&["--normals", "face"], &[&block, &post]);
    let body = &answer["bodies"][1];
    assert_eq!((&body["kind"], &body["tets"]), (&json!("surface"), &json!(0)));
    // The edges of the post's skin lead up just as those of its tets do.
    let depths: Vec<_> = list(&answer, 1, "points").iter().map(|p| p["depth"].clone()).collect();
    assert_eq!(depths, [1.5, 1.5, 1.5, 1.5, 0.5, 0.5, 0.5, 0.5].map(|d| json!(d)));
    let notices = ["block", "post"].map(|name| {
        format!("{name} is a surface: vertices deeper than its edges reach may go unresolved")
    });
    assert_eq!(answer["notices"], json!(notices));
}

#[test]
fn copies_of_a_vertex_share_its_answer() {
    let folder = Folder::new("depth-copies");
    let block = save(&folder, "block.vtu", &block(Vec3::ZERO));
    let [tip, a, b, c] = ["0.25 0 0.5", "0 0 2", "1 0 2", "0 1 2"];
    let mut text = "solid\n".to_string();
    for [x, y, z] in [[a, b, c], [tip, b, a], [tip, c, b], [tip, a, c]] {
        text += &format!(
            "facet normal 0 0 0\nouter loop\nvertex {x}\nvertex {y}\nvertex {z}\nendloop\nendfacet\n"
        );
    }
    let tooth = folder.write("tooth.stl", &(text + "endsolid\n"));
    let answer = timeless(&["--normals", "face"], &[&tooth, &block]);
    assert_eq!(answer["bodies"][0]["vertices"], 12);
    let points = list(&answer, 0, "points");
    let vertices: Vec<_> = points.iter().map(|point| point["vertex"].clone()).collect();
    assert_eq!(vertices, [3, 6, 9].map(|vertex| json!(vertex)));
    assert!(points.iter().all(|point| point["depth"] == 0.5), "{points:?}");
    assert_eq!(answer["notices"][0], "tooth: 8 of 12 vertices repeat others at the same place");
}

#[test]
fn bad_meshes_are_one_line_and_exit_code_two() {
    let folder = Folder::new("depth-bad");
    let good = folder.write("good.mesh", &medit("0 0 1"));
    refused(&[], &[], "at least two bodies are needed, 0 given");
    refused(&[], &[&good], "at least two bodies are needed, 1 given");
    let check = |name: &str, text: &str, expected: &str| {
        let bad = folder.write(name, text);
        refused(&[], &[&good, &bad], expected);
        refused(&["--json"], &[&bad, &good], &format!("{name}: "));
    };
    check(
        "nan.mesh",
        &medit("0 nan 1"),
        "nan.mesh: vertex 3 is at [0, NaN, 1], which is not finite",
    );
    check("flat.mesh", &medit("2 2 0"), "tet 0 has no volume, 1 of 1 tets are flat");
    let far = "vertex 3 is at [0e0, 0e0, 1e80], where volumes overflow; change the unit";
    check("far.mesh", &medit("0 0 1e80"), far);
    check("cut.mesh", &medit("0 0 1")[..60], "line ");
    check("empty.vtu", "", "the file is 0 bytes long");
    check("points.obj", "v 0 0 0\n", "the file holds 1 vertex but no tets or triangles");
    check("notes.txt", "hello", "unknown mesh format");
    let open = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    check("open.obj", open, "the surface is open at edge 0–1, 3 edges");
    let two = "MeshVersionFormatted 2\nDimension 3\nVertices\n5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n\
               0 0 -1 0\nTetrahedra\n2\n1 2 3 4 0\n1 2 3 5 0\nEnd\n";
    check("inverted.mesh", two, "1 of 2 tets are inverted");
    refused(&[], &[&good, &folder.0.join("missing.vtk")], "No such file");
}

#[test]
fn bad_options_are_one_line_and_exit_code_two() {
    let folder = Folder::new("depth-options");
    let good = folder.write("good.mesh", &medit("0 0 1"));
    for exponent in ["0", "-2", "nan", "inf"] {
        for method in ["consistent", "closest"] {
            let options = ["--method", method, "--exponent", exponent];
            refused(&options, &[&good, &good], "must be finite and above 0");
        }
    }
    refused(&["--threads", "0"], &[&good, &good], "at least one thread is needed");
    for options in [["--method", "both"], ["--exponent", "two"], ["--threads", "-1"]] {
        assert_eq!(call(&options, &[&good, &good]).0, 2, "{options:?}");
    }
}

#[test]
fn an_inverted_mesh_is_turned_around_with_a_notice() {
    let folder = Folder::new("depth-inverted");
    let good = folder.write("good.mesh", &medit("0 0 1"));
    let inverted = folder.write("inverted.mesh", &medit("0 0 -1"));
    let answer = timeless(&[], &[&good, &inverted]);
    let notice = "inverted: all 1 tets were inside out and have been turned around";
    assert_eq!(answer["notices"], json!([notice]));
}

#[test]
fn an_enclosed_body_is_unresolved_not_zero() {
    let folder = Folder::new("depth-enclosed");
    let block = save(&folder, "block.vtu", &block(Vec3::ZERO));
    let post = save(&folder, "post.vtu", &post(Vec3::new(0.125, 0.0, -0.125)));
    let small = {
        let mut mesh = cuboid([1, 1, 1], Vec3::splat(0.5), TetSplit::Six).unwrap();
        mesh.positions.iter_mut().for_each(|p| *p += Vec3::splat(0.125));
        save(&folder, "small.vtu", &mesh)
    };
    let answer = timeless(&[], &[&block, &small]);
    assert_eq!(list(&answer, 1, "points").len(), 0);
    let expected: Vec<_> =
        (0..8).map(|vertex| json!({"vertex": vertex, "into": [0], "reason": "enclosed"})).collect();
    assert_eq!(list(&answer, 1, "unresolved"), expected);
    assert_eq!(answer["crossing_pairs"], json!([]));
    let (code, stdout, _) = call(&[], &[&block, &small, &post]);
    assert_eq!(code, 0);
    assert!(stdout.contains("unresolved  8 enclosed"), "{stdout}");
}

#[test]
fn unreferenced_vertices_count_but_do_not_collide() {
    let folder = Folder::new("depth-unreferenced");
    let block = save(&folder, "block.vtu", &block(Vec3::ZERO));
    let tooth = "MeshVersionFormatted 2\nDimension 3\nVertices\n5\n0 0 0 0\n0.25 0 0.5 0\n0 0 2 0\n\
                 1 0 2 0\n0 1 2 0\nTetrahedra\n1\n2 3 4 5 0\nEnd\n";
    let tooth = folder.write("tooth.mesh", tooth);
    let answer = timeless(&["--normals", "face"], &[&tooth, &block]);
    assert_eq!(answer["bodies"][0]["vertices"], 5);
    let points = list(&answer, 0, "points");
    assert_eq!(points.len(), 1);
    assert_eq!((&points[0]["vertex"], &points[0]["depth"]), (&json!(1), &json!(0.5)));
    assert!(list(&answer, 0, "unresolved").is_empty());
}

#[test]
fn either_file_of_a_tetgen_pair_names_the_mesh() {
    let folder = Folder::new("depth-tetgen");
    let block = save(&folder, "block.vtu", &block(Vec3::ZERO));
    let node = folder.write("tooth.node", "4 3 0 0\n0 0.25 0 0.5\n1 0 0 2\n2 1 0 2\n3 0 1 2\n");
    let ele = folder.write("tooth.ele", "1 4 0\n0 0 1 2 3\n");
    let answer = timeless(&[], &[&node, &block]);
    assert_eq!(answer["bodies"][0]["name"], "tooth");
    assert_eq!(list(&answer, 0, "points").len(), 1);
    assert_eq!(answer, timeless(&[], &[&ele, &block]));
}

#[test]
fn coincident_bodies_have_no_vertex_inside_and_still_overlap() {
    let folder = Folder::new("depth-coincident");
    let block = save(&folder, "block.vtu", &block(Vec3::ZERO));
    let answer = timeless(&[], &[&block, &block]);
    for body in 0..2 {
        assert!(list(&answer, body, "points").is_empty());
        assert!(list(&answer, body, "unresolved").is_empty());
    }
    assert_eq!(answer["crossing_pairs"], json!([[0, 1]]));
    let (_, stdout, _) = call(&[], &[&block, &block]);
    assert!(stdout.contains("crossing block#0 and block#1"), "{stdout}");
}

#[test]
fn surfaces_in_common_planes_overlap_or_touch_as_tets_do() {
    let folder = Folder::new("depth-flush");
    let named = [("tets", "vtu"), ("skin", "obj")];
    for (a, of_a) in named {
        for (b, of_b) in named {
            let first = save(&folder, &format!("a-{a}.{of_a}"), &block(Vec3::ZERO));
            for (by, pairs) in [
                (Vec3::ZERO, json!([[0, 1]])),
                (Vec3::X, json!([[0, 1]])),
                (Vec3::X + Vec3::Y, json!([[0, 1]])),
                (2.0 * Vec3::X, json!([])),
            ] {
                let second = save(&folder, &format!("b-{b}.{of_b}"), &block(by));
                let answer = timeless(&[], &[&first, &second]);
                assert_eq!(answer["crossing_pairs"], pairs, "{a} {b} {by}");
            }
        }
    }
}

#[test]
fn extreme_sizes_and_exponents_have_unit_directions() {
    let folder = Folder::new("depth-extreme");
    for (size, exponent) in [(1e-50, "3"), (1e60, "3"), (1.0, "400"), (1e60, "400")] {
        let scaled = |name: &str, mut mesh: RawMesh| {
            mesh.positions.iter_mut().for_each(|p| *p *= size);
            save(&folder, name, &mesh)
        };
        let (block, post) =
            (scaled("block.vtu", block(Vec3::ZERO)), scaled("post.vtu", post(STAND)));
        let answer = timeless(&["--normals", "face", "--exponent", exponent], &[&block, &post]);
        assert!(list(&answer, 1, "unresolved").is_empty(), "{size} {exponent}");
        let points = list(&answer, 1, "points");
        assert_eq!(points.len(), 8);
        for (vertex, point) in points.iter().enumerate() {
            let expected = if vertex < 4 { 1.5 } else { 0.5 };
            let depth = point["depth"].as_f64().unwrap() / size;
            assert!((depth - expected).abs() < TOLERANCE, "{size} {exponent} {point}");
            assert_eq!(point["direction"][2].as_f64(), Some(1.0), "{size} {exponent} {point}");
        }
    }
}

#[test]
fn touching_is_no_overlap() {
    let folder = Folder::new("depth-touching");
    let below = save(&folder, "below.vtu", &block(Vec3::ZERO));
    let above = save(&folder, "above.vtu", &block(Vec3::new(0.5, 0.25, 2.0)));
    let answer = timeless(&[], &[&below, &above]);
    assert!((0..2).all(|body| list(&answer, body, "points").is_empty()));
    assert_eq!(answer["crossing_pairs"], json!([]));
    let (code, stdout, stderr) = call(&[], &[&below, &above]);
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, "no overlap among 2 bodies\n", ""));
}

#[test]
fn bars_that_cross_are_named_though_no_vertex_is_inside() {
    let folder = Folder::new("depth-crossing");
    let bar = |name: &str, size: Vec3, by: Vec3| {
        save(&folder, name, &moved(cuboid([1, 1, 1], size, TetSplit::Six).unwrap(), by))
    };
    let along_x = bar("x.vtu", Vec3::new(4.0, 1.0, 1.0), Vec3::ZERO);
    let along_y = bar("y.vtu", Vec3::new(0.75, 4.0, 0.5), Vec3::new(0.25, 0.125, 0.0625));
    let far = bar("far.vtu", Vec3::ONE, Vec3::splat(9.0));
    let answer = timeless(&[], &[&far, &along_x, &along_y]);
    assert!((0..3).all(|body| list(&answer, body, "points").is_empty()));
    assert_eq!(answer["crossing_pairs"], json!([[1, 2]]));
    let (_, stdout, _) = call(&[], &[&far, &along_x, &along_y]);
    assert!(stdout.contains("crossing x and y overlap"), "{stdout}");
}

#[test]
fn far_from_the_origin_depths_are_the_same_within_the_spacing_of_numbers() {
    // At 1e12 m, numbers are 2⁻¹³ m apart: the coordinates, all multiples of 1/8 m, move
    // there exactly, and so do their differences. Only the crossing points are rounded,
    // each coordinate by half a spacing in each of two operations.
    const SPACING: f64 = 1.0 / 8192.0;
    let folder = Folder::new("depth-far");
    let depths = |name: &str, by: Vec3| -> Vec<f64> {
        let block = save(&folder, &format!("{name}-block.vtu"), &block(by));
        let post = save(&folder, &format!("{name}-post.vtu"), &post(STAND + by));
        let answer = timeless(&["--normals", "face"], &[&block, &post]);
        assert!(list(&answer, 1, "unresolved").is_empty());
        list(&answer, 1, "points").iter().map(|point| point["depth"].as_f64().unwrap()).collect()
    };
    let (near, far) = (depths("near", Vec3::ZERO), depths("far", Vec3::splat(1e12)));
    assert_eq!((near.len(), far.len()), (8, 8));
    for (near, far) in near.iter().zip(&far) {
        assert!((near - far).abs() <= SPACING, "{near} {far}");
    }
}

#[test]
fn the_table_tells_counts_depths_and_the_deepest() {
    let folder = Folder::new("depth-table");
    let block = save(&folder, "block.vtu", &block(Vec3::ZERO));
    let post = save(&folder, "post.vtu", &post(STAND));
    let (code, stdout, stderr) = call(&["--normals", "face"], &[&block, &post]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(!stdout.contains('\u{1b}'), "{stdout}");
    let lines: Vec<_> = stdout.lines().collect();
    assert_eq!(
        lines[..5],
        [
            "block: 8 vertices, 5 tets",
            "  no vertex inside another body",
            "post: 12 vertices, 10 tets",
            "  inside      8 vertices",
            "  depth       deepest 1.500000, mean 1.000000, in 2 rings",
        ]
    );
    let row: Vec<_> = lines[6].split_whitespace().collect();
    assert_eq!(row[..2], ["0", "1.500000"]);
    assert_eq!(row[4..], ["1.00000", "1", "block"]);
}

#[test]
fn arguments_are_scaled_turned_and_moved() {
    let folder = Folder::new("depth-placed");
    let fixed = save(&folder, "block.msh", &block(Vec3::ZERO));
    let placed = save(&folder, "post.msh", &post(STAND));
    // The same post in mm, lying along x, away from where it is to stand.
    let mut lying = post(Vec3::ZERO);
    lying.positions.iter_mut().for_each(|p| *p = 1e3 * Vec3::new(p.z, p.y, -p.x));
    std::fs::create_dir(folder.0.join("mm")).unwrap();
    let lying = save(&folder, "mm/post.msh", &lying);
    let options =
        ["--scale", "1:0.001", "--turn", "1:0,-1.5707963267948966,0", "--at", "1:0.125,0,0.5"];
    let [expected, found] = [answer(&[], &[&fixed, &placed]), answer(&options, &[&fixed, &lying])];
    let depths = |report: &Value| -> Vec<f64> {
        let points = report["bodies"][1]["points"].as_array().unwrap().clone();
        points.iter().map(|point| point["depth"].as_f64().unwrap()).collect()
    };
    assert_eq!(depths(&expected).len(), 8);
    for (found, expected) in depths(&found).iter().zip(depths(&expected)) {
        assert!((found - expected).abs() < TOLERANCE, "{found} {expected}");
    }
    for (options, expected) in [
        (["--scale", "2:1"], "--scale 2:1: there is no argument 2, only 2 meshes"),
        (["--scale", "1:0"], "argument 1 cannot be placed"),
        (["--at", "1:0,0"], "--at 1:0,0: name an argument from 0 and numbers"),
        (["--turn", "0:a,b,c"], "--turn 0:a,b,c: name an argument"),
    ] {
        let (code, _, said) = call(&options, &[&fixed, &placed]);
        assert!(code == 2 && said.contains(expected), "{said}");
    }
}
