//! `pliant proximity`, on outlines worked out by hand and on other people's.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{Folder, pliant, reported};

/// Coordinates are below a thousand: rounding stays below this.
const ROUNDING: f64 = 1e-9;

fn call(options: &[&str], files: &[&str]) -> (i32, String, String) {
    let arguments: Vec<&str> = [&["proximity"][..], options, files].concat();
    reported(&pliant(&arguments))
}

#[track_caller]
fn answer(options: &[&str], files: &[&str]) -> Value {
    let (code, stdout, stderr) = call(&[&["--json"][..], options].concat(), files);
    assert_eq!((code, stderr.as_str()), (0, ""), "{files:?}");
    serde_json::from_str(&stdout).unwrap()
}

/// Bad input: one clear line on stderr that holds `expected`, exit code 2, no answer.
#[track_caller]
fn refused(options: &[&str], files: &[&str], expected: &str) {
    let (code, stdout, stderr) = call(options, files);
    assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(stderr.starts_with("pliant: ") && stderr.contains(expected), "{stderr}");
}

/// Two squares of 2 m, the second moved to the right.
fn squares(folder: &Folder, by: f64) -> [String; 2] {
    let file = |name: &str, x: f64| {
        let text = format!("[[[{x},0],[{},0],[{},2],[{x},2]]]", x + 2.0, x + 2.0);
        folder.write(name, &text).to_str().unwrap().to_string()
    };
    [file("a.json", 0.0), file("b.json", by)]
}

/// The folder of outlines; without it the caller skips, and says so past the test's capture.
fn data(test: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("PLIANT_DATA") else {
        let note = format!("skipped {test}: PLIANT_DATA does not name the folder of test data\n");
        let _ = std::io::stderr().write_all(note.as_bytes());
        return None;
    };
    Some(Path::new(&folder).join("polygons2d"))
}

/// Every key in its place, and every value of its kind.
#[track_caller]
fn check_contract(answer: &Value) {
    let keys: Vec<&String> = answer.as_object().unwrap().keys().collect();
    let mut expected = [
        "error_bound",
        "backend",
        "intersects",
        "overlap_area",
        "separation",
        "penetration",
        "contacts",
        "least_translation",
        "notices",
    ];
    expected.sort_unstable(); // as the reader of the answer sorts them
    assert_eq!(keys, expected);
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{value} is no number"));
    let pair = |value: &Value| [number(&value[0]), number(&value[1])];
    let unit = |value: &Value| {
        let [x, y] = pair(value);
        assert!((libm::hypot(x, y) - 1.0).abs() < ROUNDING, "{value}");
    };
    assert!(number(&answer["error_bound"]) > 0.0 && number(&answer["overlap_area"]) >= 0.0);
    assert!(["exact", "cpu", "gpu"].contains(&answer["backend"].as_str().unwrap()));
    let way = &answer["separation"];
    assert_eq!(way.is_null(), answer["intersects"].as_bool().unwrap());
    if !way.is_null() {
        let ([x, y], [u, v]) = (pair(&way["on_a"]), pair(&way["on_b"]));
        let bound = number(&answer["error_bound"]);
        assert!((libm::hypot(x - u, y - v) - number(&way["distance"])).abs() <= 2.0 * bound);
    }
    for point in answer["penetration"].as_array().unwrap() {
        assert!(["a", "b"].contains(&point["of"].as_str().unwrap()));
        assert!(number(&point["depth"]) >= 0.0);
        pair(&point["position"]);
        unit(&point["direction"]);
    }
    for contact in answer["contacts"].as_array().unwrap() {
        pair(&contact["position"]);
        unit(&contact["normal"]);
    }
    let least = &answer["least_translation"];
    assert_eq!(least.is_null(), !answer["intersects"].as_bool().unwrap());
    if !least.is_null() {
        assert!(number(&least["distance"]) >= 0.0 && least["exact"].is_boolean());
        unit(&least["direction"]);
    }
    assert!(answer["notices"].as_array().unwrap().iter().all(Value::is_string));
}

#[test]
fn json_is_the_agreed_object_key_by_key() {
    let folder = Folder::new("proximity-json");
    let [a, b] = squares(&folder, 2.5);
    let (code, stdout, _) = call(&["--json", "--error", "0.25"], &[&a, &b]);
    // Of several shortest ways the backend may name any; here both ends are at one height.
    let [head, tail] = [
        r#"{"error_bound":0.25,"backend":"exact","intersects":false,"overlap_area":0.0,"separation":{"distance":0.5,"on_a":[2.0,"#,
        r#"]},"penetration":[],"contacts":[],"least_translation":null,"notices":[]}"#,
    ];
    assert_eq!(code, 0);
    assert!(stdout.starts_with(head) && stdout.trim_end().ends_with(tail), "{stdout}");
    check_contract(&serde_json::from_str(&stdout).unwrap());
}

#[test]
fn overlap_depth_and_contact_are_those_of_the_squares() {
    let folder = Folder::new("proximity-squares");
    let [a, b] = squares(&folder, 1.5);
    let found = answer(&["--backend", "exact"], &[&a, &b]);
    check_contract(&found);
    // The default is 1e-3 of the box diagonal, 2√2.
    let bound = found["error_bound"].as_f64().unwrap();
    assert!((bound - 2e-3 * 2_f64.sqrt()).abs() < ROUNDING);
    assert_eq!(found["intersects"], true);
    assert!((found["overlap_area"].as_f64().unwrap() - 1.0).abs() <= bound * 16.0); // 0.5 × 2
    // The sides run along each other: samples of a's right side are 0.5 inside b.
    let deepest = found["penetration"].as_array().unwrap().iter();
    let deepest = deepest.map(|point| point["depth"].as_f64().unwrap()).fold(0.0, f64::max);
    assert!((deepest - 0.5).abs() <= bound, "{deepest}");
    let [a, b] = squares(&folder, 2.5);
    let near = answer(&["--error", "0.01", "--contact-distance", "0.6"], &[&a, &b]);
    assert_eq!(near["contacts"].as_array().unwrap().len(), 1);
    assert!((near["contacts"][0]["normal"][0].as_f64().unwrap() + 1.0).abs() < 0.1);
}

#[test]
fn normals_and_the_least_translation_take_a_off_b_with_every_backend() {
    let folder = Folder::new("proximity-separating");
    for backend in ["exact", "cpu", "gpu"] {
        for (by, distance) in [(2.0 - 1e-4, 1e-4), (-1.9, 0.1), (0.0, 2.0)] {
            let [a, b] = squares(&folder, by);
            let options = ["--json", "--backend", backend, "--contact-distance", "0.01"];
            let found: Value = serde_json::from_str(&call(&options, &[&a, &b]).1).unwrap();
            check_contract(&found);
            let least = &found["least_translation"];
            assert!((least["distance"].as_f64().unwrap() - distance).abs() < ROUNDING, "{found}");
            assert_eq!(least["exact"], true);
            let contacts = found["contacts"].as_array().unwrap();
            assert!(!contacts.is_empty());
            for normal in contacts.iter().map(|c| &c["normal"]).chain([&least["direction"]]) {
                let [x, y] = [&normal[0], &normal[1]].map(|value| value.as_f64().unwrap());
                // The same squares may go any way.
                let along = if by == 0.0 { x.abs().max(y.abs()) } else { -x * by.signum() };
                assert!((along - 1.0).abs() < ROUNDING, "{backend} {by}: {found}");
            }
        }
    }
}

#[test]
fn degrees_draw_a_notice() {
    let folder = Folder::new("proximity-degrees");
    let square = r#"{"type":"Polygon","coordinates":[[[10,59],[11,59],[11,60],[10,60]]]}"#;
    let file = folder.write("oslo.geojson", square);
    let found = answer(&[], &[file.to_str().unwrap(), file.to_str().unwrap()]);
    let notice = found["notices"][0].as_str().unwrap();
    assert!(notice.contains("longitude and latitude"), "{notice}");
}

#[test]
fn a_missing_graphics_card_is_no_failure() {
    let folder = Folder::new("proximity-gpu");
    let [a, b] = squares(&folder, 1.5);
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_pliant"));
    program.args(["proximity", "--json", "--backend", "gpu", &a, &b]);
    let output = program.env("PLIANT_GPU", "no card is called so").output().unwrap();
    let (code, stdout, stderr) = reported(&output);
    assert_eq!(code, 0, "{stderr}");
    let found: Value = serde_json::from_str(&stdout).unwrap();
    check_contract(&found);
    assert_eq!(found["backend"], "cpu");
    let notice = found["notices"][0].as_str().unwrap();
    assert!(notice.ends_with("falling back to CPU"), "{notice}");
}

#[test]
fn bad_arguments_are_refused_with_a_reason() {
    let folder = Folder::new("proximity-bad");
    let [a, b] = &squares(&folder, 1.5);
    for value in ["0", "-1", "NaN", "inf"] {
        refused(&["--error", value], &[a, b], "--error is");
        refused(&["--thickness", value], &[a, b], "--thickness is");
    }
    refused(&["--contact-distance", "-0.1"], &[a, b], "--contact-distance is -0.1");
    refused(&[], &[a, "/no/such/file.svg"], "No such file");
    refused(&[], &[a, folder.0.to_str().unwrap()], "is a directory");
    let empty = folder.write("empty.json", "");
    refused(&[], &[a, empty.to_str().unwrap()], "0 bytes");
    refused(&[], &[a, &format!("{b}#Fiji")], "no feature is called “Fiji”");
    let line = folder.write("line.wkt", "LINESTRING(0 0,1 1)");
    refused(&[], &[a, line.to_str().unwrap()], "--thickness");
    let far = folder.write("far.json", "[[[0,0],[1e300,0],[0,1]]]");
    refused(&[], &[a, far.to_str().unwrap()], "point 1 of the array, ring 0");
    let small = folder.write("small.json", "[[[0,0],[1e-200,0],[0,1e-200]]]");
    refused(&[], &[a, small.to_str().unwrap()], "change the unit");
    refused(&["--error", "1"], &[a, small.to_str().unwrap()], "change the unit");
    // The same file twice, and a bound below all rounding, are no mistakes.
    check_contract(&answer(&["--backend", "exact"], &[a, a]));
    check_contract(&answer(&["--backend", "exact", "--error", "1e-300"], &[a, b]));
}

#[test]
fn lines_get_the_thickness_asked_for() {
    let folder = Folder::new("proximity-lines");
    let text = r#"{"type":"LineString","coordinates":[[0,5],[9,5]]}"#;
    let line = folder.write("line.geojson", text);
    let [a, _] = &squares(&folder, 0.0);
    let options = ["--thickness", "2", "--error", "0.01"];
    let found = answer(&options, &[a, line.to_str().unwrap()]);
    // The square ends at 2, the line begins at 5 − 1.
    let distance = found["separation"]["distance"].as_f64().unwrap();
    assert!((distance - 2.0).abs() <= 0.01, "{distance}");
}

#[test]
fn a_picture_is_written_whole_or_not_at_all() {
    let folder = Folder::new("proximity-picture");
    let [a, b] = &squares(&folder, 1.5);
    let file = folder.0.join("field.png");
    let (code, stdout, _) = call(&["--picture", file.to_str().unwrap()], &[a, b]);
    assert_eq!(code, 0);
    assert!(stdout.contains("they intersect") && stdout.contains("field.png"), "{stdout}");
    let bytes = std::fs::read(&file).unwrap();
    assert_eq!(bytes[1..4], *b"PNG");
    let lost = folder.0.join("no").join("field.png");
    let (code, stdout, stderr) = call(&["--picture", lost.to_str().unwrap()], &[a, b]);
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert!(stderr.contains("cannot be written"), "{stderr}");
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 3);
}

#[test]
fn two_countries_keep_the_contract() {
    let Some(folder) = data("two countries") else { return };
    let map = folder.join("ne_110m_admin_0_countries.geojson");
    let country = |name: &str| format!("{}#{name}", map.to_str().unwrap());
    let neighbours = answer(&[], &[&country("Norway"), &country("Sweden")]);
    check_contract(&neighbours);
    assert_eq!(neighbours["intersects"], true); // they share a border
    let apart = answer(&[], &[&country("Norway"), &country("Chad")]);
    check_contract(&apart);
    assert!(apart["separation"]["distance"].as_f64().unwrap() > 10.0);
    refused(&[], &[&country("Norwey"), &country("Chad")], "did you mean “Norway”?");
}

#[test]
fn every_outline_is_read_or_refused_with_a_place() {
    let Some(folder) = data("all outlines") else { return };
    let test_folder = Folder::new("proximity-all");
    let [square, _] = &squares(&test_folder, 0.0);
    let mut read = 0;
    for part in ["pairs", "svg", "earcut"] {
        for entry in std::fs::read_dir(folder.join(part)).unwrap() {
            let path = entry.unwrap().path();
            let file = path.to_str().unwrap();
            // Large bounds keep the slow reference of the backends quick.
            let (code, stdout, stderr) = call(&["--json", "--error", "100"], &[square, file]);
            if code == 0 {
                read += 1;
                check_contract(&serde_json::from_str(&stdout).unwrap());
            } else {
                assert_eq!(code, 2, "{file}: {stderr}");
                assert!(stderr.contains(file) && stderr.lines().count() == 1, "{stderr}");
                assert!(stderr.contains("ring"), "{file}: {stderr}");
            }
        }
    }
    assert!(read > 55, "{read}");
}

#[test]
fn every_method_of_the_paper_is_within_its_bound_of_the_exact_result() {
    let folder = Folder::new("proximity-methods");
    // Overlap of 0.5 × 2, depth 0.5; a gap of 0.5.
    for (by, area, length) in [(1.5, 1.0, 0.5), (2.5, 0.0, 0.5)] {
        let [a, b] = squares(&folder, by);
        let found = answer(&["--method", "all", "--error", "0.01"], &[&a, &b]);
        let rows = found["methods"].as_array().unwrap();
        assert!(rows.len() == 23 || rows.len() == 46, "{}", rows.len());
        let mut values = Vec::new();
        for row in rows {
            let name = row["method"].as_str().unwrap();
            if row["value"].is_null() {
                assert!(row["remark"].as_str().unwrap().contains("--backend gpu"), "{row}");
                continue;
            }
            let difference = row["difference"].as_f64();
            match row["quantity"].as_str().unwrap() {
                "intersects" => assert_eq!(row["value"], area > 0.0, "{row}"),
                "overlap_area" => {
                    assert!((row["exact"].as_f64().unwrap() - area).abs() < ROUNDING, "{row}");
                    // The bound times both perimeters of 8.
                    assert!(difference.unwrap() <= 0.01 * 16.0, "{row}");
                }
                "separation" | "depth" => {
                    assert!((row["exact"].as_f64().unwrap() - length).abs() < ROUNDING, "{row}");
                    assert!(difference.unwrap() <= 0.01, "{row}");
                }
                other => panic!("{other}"),
            }
            assert!(row["milliseconds"].as_f64().unwrap() > 0.0);
            // Uses of the frame buffer mark the same pixels, and so do the backends.
            if let Some((group, _)) = name.split_once('/').filter(|(g, _)| g.contains("volume")) {
                values.push((group.to_owned(), row["value"].clone()));
            }
        }
        for (group, value) in &values {
            let (_, first) = values.iter().find(|(other, _)| other == group).unwrap();
            assert_eq!(value, first, "{group}");
        }
    }
}

#[test]
fn trees_of_boxes_leave_fewer_pixels_the_higher_they_are() {
    let folder = Folder::new("proximity-trees");
    let ring = |x: f64, name: &str| {
        let point = |k: u32| {
            let turn = std::f64::consts::TAU * f64::from(k) / 64.0;
            format!("[{},{}]", x + libm::cos(turn), libm::sin(turn))
        };
        let points: Vec<String> = (0..64).map(point).collect();
        folder.write(name, &format!("[[{}]]", points.join(","))).to_str().unwrap().to_owned()
    };
    for x in [1.8, 2.2] {
        let [a, b] = [ring(0.0, "a.json"), ring(x, "b.json")];
        let found =
            answer(&["--method", "localised", "--backend", "cpu", "--error", "0.005"], &[&a, &b]);
        let pixels = found["methods"].as_array().unwrap().iter().map(|row| row["pixels"].as_u64());
        let pixels: Vec<u64> = pixels.map(Option::unwrap).collect();
        assert!(pixels[0] > pixels[2] && pixels[2] >= pixels[3], "{x}: {pixels:?}");
    }
}

#[test]
fn methods_that_are_not_there_are_refused_with_what_is() {
    let folder = Folder::new("proximity-no-method");
    let [a, b] = squares(&folder, 1.5);
    let files = [a.as_str(), b.as_str()];
    refused(&["--method", "occlusion", "--backend", "cpu"], &files, "take min-max");
    refused(&["--method", "volumes"], &files, "there are all, boundary-boundary");
    refused(&["--method", "min-mx"], &files, "did you mean `min-max`?");
    refused(&["--method", "all", "--backend", "exact"], &files, "take --backend cpu or gpu");
    let tiny = ["--method", "min-max", "--backend", "cpu", "--error", "1e-9"];
    refused(&tiny, &files, "segments need no image");
}
