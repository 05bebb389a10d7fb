//! Scenes by an attacker: an error in time and without much memory, never a panic.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::path::Path;

use pliant_io::files::{Disk, Folder};
use pliant_scene::diagnostic::Sources;
use pliant_scene::node::{Node, Value};
use pliant_scene::{SceneError, builtin, load, loaded::LoadedScene};

const BASE: &str = "duration = 0.02\ndt = 0.01\n[parameters]\np = 1\n[[bodies]]\nname = \"a\"\n\
                    mesh = { kind = \"icosahedron\", radius = 0.5 }\n\
                    material = { kind = \"corotational\", young = 1e5 }\n";

fn loaded(text: &str, sets: &[&str]) -> Result<LoadedScene, SceneError> {
    let sets = sets.iter().map(|set| (*set).to_owned()).collect();
    let sources = Sources { name: "a.toml".into(), text: text.into(), sets };
    load(&sources, "a", Folder { path: Path::new(""), files: &Disk })
}

/// The scene with a setting is refused with this in the message.
#[track_caller]
fn refused(set: &str, expected: &str) {
    let error = loaded(BASE, &[set]).unwrap_err().to_string();
    assert!(error.contains(expected), "{set}: {error}");
}

#[track_caller]
fn refused_text(text: &str, expected: &str) {
    let error = loaded(text, &[]).unwrap_err().to_string();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn absurd_counts_are_refused_before_anything_is_made() {
    for (mesh, expected) in [
        ("kind=\"ball\",radius=1,layers=1000000000", "2e28 tets"),
        ("kind=\"cuboid\",size=[1,1,1],cells=[1000000000,1,1]", "5000000000 tets"),
        ("kind=\"cloth\",size=[1,1],vertices=[100000,100000]", "10000000000 vertices"),
        ("kind=\"car\",size=[1,1,1],points=1000000000", "4000000000 vertices"),
    ] {
        refused(&format!("bodies.0.mesh={{{mesh}}}"), expected);
    }
    refused("bodies.0.pattern={kind=\"pile\",count=1000000000,size=[1,1,1]}", "1000000000 bodies");
    let counts = "[4000000000,4000000000,4000000000]";
    let grid = format!("bodies.0.pattern={{kind=\"grid\",counts={counts},spacing=[1,1,1]}}");
    refused(&grid, "6.4e28 bodies");
    let clusters = "clusters={counts=[1000,1000,1000],overlap=0.1}";
    refused(
        &format!("bodies.0.material={{kind=\"shape-matched\",{clusters}}}"),
        "1000 × 1000 × 1000 groups of 13 vertices are too many",
    );
    refused("integrator.substeps=4000000000", "4000000000 substeps");
    let shape = "{kind=\"mesh\",mesh={kind=\"icosahedron\",radius=1},spacing=1e-9}";
    refused(&format!("obstacles=[{{name=\"o\",shape={shape}}}]"), "too large");
}

#[test]
fn constraints_that_repeat_without_end_are_refused() {
    let curtain = builtin::find("curtain").unwrap().text;
    let line = "  { kind = \"at-most\", edges = \"structural\" },\n";
    let text = curtain.replace(line, &line.repeat(400));
    refused_text(&text, "more than 3000000 constraints");
}

#[test]
fn nesting_and_recursion_end_with_an_error() {
    let more = |text: String| format!("{BASE}{text}\n");
    refused_text(&more(format!("x = {}{}", "[".repeat(100_000), "]".repeat(100_000))), "recur");
    refused_text(&more(format!("x = {}1{}", "{a=".repeat(3000), "}".repeat(3000))), "recur");
    refused_text(&more(format!("[{}]\nb = 1", ["a"; 20_000].join("."))), "recursion");
    let with = |formula: String| BASE.replacen("0.02", &format!("\"={formula}\""), 1);
    let deep = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
    refused_text(&with(deep), "64 levels");
    assert!(loaded(&with(format!("{}0.02", "0+".repeat(200_000))), &[]).is_ok());
    let chained = |names: String| with("a0".into()).replace("p = 1", &names);
    let doubled: String = (0..60).map(|i| format!("a{i} = \"=a{0} + a{0}\"\n", i + 1)).collect();
    refused_text(&chained(doubled + "a60 = 1"), "in a cycle, or through more than 32 names");
    refused_text(
        &chained("a0 = \"=b + c\"\nb = \"=a0 + c\"\nc = \"=a0 + b\"".into()),
        "in a cycle",
    );
}

#[test]
fn a_list_is_not_copied_wherever_it_is_named() {
    let long = vec!["1"; 20_000].join(",");
    let uses = vec!["\"=long\""; 20_000].join(",");
    let text = BASE.replace("p = 1", &format!("long = [{long}]\nuses = [{uses}]"));
    refused_text(&text, "`long` is a list, which no expression can name");
}

#[test]
fn a_hundred_thousand_errors_are_shown_in_part() {
    let keys: String = (0..100_000).map(|k| format!("k{k} = 1\n")).collect();
    let diagnostics = loaded(&format!("{BASE}{keys}"), &[]).unwrap_err().diagnostics;
    assert_eq!(diagnostics.len(), 101);
    assert!(
        diagnostics[100].to_string().ends_with("99900 more errors are not shown"),
        "{}",
        diagnostics[100]
    );
}

#[test]
fn many_parameters_that_name_each_other_are_looked_up_quickly() {
    let names: String = (0..30_000).map(|k| format!("a{k} = \"=p + {k}\"\n")).collect();
    assert!(loaded(&BASE.replace("p = 1", &format!("{names}p = 1")), &[]).is_ok());
}

#[test]
fn line_ends_marks_and_strange_names_do_no_harm() {
    assert!(loaded(&BASE.replace('\n', "\r\n"), &[]).is_ok());
    assert!(loaded(&format!("\u{feff}{BASE}"), &[]).is_ok());
    for name in ["\\u0000", "\\u202e", "\u{1F600}", "..", "\\n", "a.b"] {
        let found = loaded(&BASE.replace("\"a\"", &format!("\"{name}\"")), &[]);
        assert!(found.is_ok(), "{name}: {found:?}");
    }
    refused_text(&format!("{BASE}name = \"b\"\n"), "duplicate key");
}

#[test]
fn what_is_set_is_blamed_where_it_is_given() {
    let text = BASE.replacen("0.02", "\"=2 * p\"", 1);
    for (set, expected) in [
        ("p=abc", "--set:1:3: `p` is a string, not a number"),
        ("p=nan", "--set:1:3: `p` is NaN: it must be finite"),
        ("seed=99999999999999999999", "--set:1:6: 99999999999999999999 is too large"),
    ] {
        let error = loaded(&text, &[set]).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn wrong_numbers_are_marked_at_their_keys() {
    let marked = |from: &str, to: &str| {
        let error = loaded(&BASE.replacen(from, to, 1), &[]).unwrap_err();
        let place = error.diagnostics[0].place.clone().unwrap();
        let shown: String =
            place.text.chars().skip(place.underlined.start).take(place.underlined.len()).collect();
        (shown, error.diagnostics[0].message.clone())
    };
    let is_at = |from: &str, to: &str, place: &str, message: &str| {
        let found = marked(from, to);
        assert_eq!(found.0, place, "{}", found.1);
        assert!(found.1.contains(message), "{}", found.1);
    };
    is_at("1e5", "-1", "-1", "Young's modulus -1 Pa");
    is_at("1e5", "1e5, poisson = 0.5", "0.5", "Poisson's ratio 0.5");
    is_at("1e5", "1e300", "1e300", "`young` of `a` is 1e300: products of such numbers overflow");
    is_at("1e5", "1e5, density = 1e-100", "1e-100", "vanish");
    is_at("1e5", "1e5, density = 1e-30", "1e-30", "the mass of `a` is lost to rounding");
    is_at("1e5", "1e5, density = -1", "-1", "density");
    is_at("0.5", "0", "0", "the radius of the icosahedron is 0.0 m");
    is_at("0.01", "1e-300", "1e-300", "`dt` is 1e-300: products of such numbers vanish");
    let far = "position = [0, 0, 1e20]\nmaterial =";
    is_at("material =", far, "position", "have steps of 2e4 m");
    is_at("[[bodies]]", "[[body]]", "body", "unknown key `body`");
    let help = loaded(&BASE.replace("[[bodies]]", "[[body]]"), &[]).unwrap_err().diagnostics;
    assert_eq!(help[0].help.as_deref(), Some("did you mean `[[bodies]]`?"));
}

/// Paths of all numbers of a scene, as `--set` takes them.
fn numbers(node: &Node, path: &str, found: &mut Vec<String>) {
    let below =
        |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match &node.value {
        Value::Table(entries) => {
            entries.iter().for_each(|e| numbers(&e.node, &below(&e.name), found));
        }
        Value::List(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(k, item)| numbers(item, &below(&k.to_string()), found));
        }
        Value::Integer(_) | Value::Float(_) => found.push(path.to_owned()),
        Value::Text(text) if text.starts_with('=') => found.push(path.to_owned()),
        Value::Text(_) | Value::Flag(_) => {}
    }
}

#[test]
fn no_number_of_a_built_in_scene_can_be_set_to_harm() {
    for name in ["two-points", "two-cubes", "integrators", "incline", "gears", "joints"] {
        let text = builtin::find(name).unwrap().text;
        let (root, mut paths) = (Node::parse(text, 0).unwrap(), Vec::new());
        numbers(&root, "", &mut paths);
        assert!(paths.len() > 3, "{name}");
        for path in &paths {
            for value in ["nan", "inf", "-inf"] {
                let error = loaded(text, &[&format!("{path}={value}")]).unwrap_err().to_string();
                assert!(error.contains("finite") || error.contains("integer"), "{path}: {error}");
            }
            for value in ["1e300", "-1", "0", "4294967295"] {
                // An error or a scene; it must come back.
                let _ = loaded(text, &[&format!("{path}={value}")]);
            }
        }
    }
}
