//! Runs that went wrong say so: on stderr, in `summary.json`, and by their exit code.

use serde_json::Value;

use crate::{Folder, pliant, reported};

/// Runs with `--strict --json`; gives the exit code, the summary and stderr.
fn strictly(folder: &Folder, arguments: &[&str]) -> (i32, Value, String) {
    let out = folder.0.join("out").to_string_lossy().into_owned();
    let own = ["--strict", "--json", "--force", "--out", &out];
    let (code, json, complaint) = reported(&pliant(&[&["run"], arguments, &own[..]].concat()));
    let file = std::fs::read_to_string(folder.0.join("out/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&file).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), summary);
    (code, summary, complaint)
}

fn kinds(summary: &Value) -> Vec<&str> {
    let list = summary["warnings"].as_array().unwrap().iter();
    list.map(|warning| warning["kind"].as_str().unwrap()).collect()
}

/// A scene of one cube, and what follows.
fn cube(material: &str, rest: &str) -> String {
    format!(
        "name = \"cube\"\nduration = 0.4\n{rest}\n[[bodies]]\nname = \"cube\"\n\
         mesh = {{ kind = \"cuboid\", size = [1, 1, 1], cells = [2, 2, 2] }}\n\
         material = {{ {material} }}\n"
    )
}

#[test]
fn a_clean_run_passes_and_has_no_warning() {
    let folder = Folder::new("verdicts-clean");
    let (code, summary, complaint) = strictly(&folder, &["two-cubes", "--set", "duration=0.5"]);
    assert_eq!((code, complaint.as_str()), (0, ""));
    assert_eq!((kinds(&summary).len(), &summary["error"]), (0, &Value::Null));
    assert_eq!(summary["unconverged_steps"], 0);
    assert!(summary["stages"]["solve"].as_f64().unwrap() > 0.0, "{summary}");
    assert!(summary["iterations"]["linear"].as_u64().unwrap() > 0, "{summary}");
}

#[test]
fn an_unstable_step_fails_and_the_stable_one_is_named() {
    let folder = Folder::new("verdicts-unstable");
    let sets =
        ["--set", "integrator=symplectic-euler", "--set", "dt=0.02", "--set", "duration=0.24"];
    let (code, summary, complaint) = strictly(&folder, &[&["block"], &sets[..]].concat());
    assert_eq!((code, &summary["ended"]), (1, &"failed".into()));
    let error = summary["error"].as_str().unwrap();
    assert!(complaint.contains(error), "{complaint}");
    for part in ["body 0 `block`", "stable below about", "implicit-euler"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    let report = std::fs::read_to_string(folder.0.join("out/report.html")).unwrap();
    assert!(report.contains("stable below about"));
}

#[test]
fn states_that_cannot_be_meant_end_the_run() {
    let folder = Folder::new("verdicts-absurd");
    let soft = "kind = \"corotational\", young = 1e12, poisson = 0.3, density = 1000";
    let rigid = "kind = \"rigid\", density = 1000";
    let verlet = "dt = 0.02\n[integrator]\nkind = \"verlet\"";
    let cases = [
        (cube(soft, verlet), vec![], "stable below about"),
        (cube(rigid, "dt = 0.02"), vec!["bodies.0.velocity=[1e40, 0, 0]"], "moved"),
        (cube(rigid, "dt = 0.02"), vec!["bodies.0.velocity=[1e5, 0, 0]"], "moved 2000 m"),
    ];
    for (text, sets, part) in cases {
        let scene = folder.write("scene.toml", &text).to_string_lossy().into_owned();
        let mut arguments = vec![scene.as_str()];
        sets.iter().for_each(|set| arguments.extend(["--set", set]));
        let (code, summary, complaint) = strictly(&folder, &arguments);
        assert_eq!((code, &summary["ended"]), (1, &"failed".into()), "{complaint}");
        assert!(complaint.contains(part) && complaint.contains("`cube`"), "{complaint}");
    }
}

#[test]
fn what_ends_in_a_floor_or_does_not_converge_is_a_warning() {
    let folder = Folder::new("verdicts-floor");
    let sets = ["--set", "dt=1", "--set", "duration=6"];
    let (code, summary, complaint) = strictly(&folder, &[&["sphere-pile"], &sets[..]].concat());
    assert_eq!(code, 1, "{complaint}");
    let found = kinds(&summary);
    assert!(found.contains(&"in_obstacles") && found.contains(&"unconverged"), "{found:?}");
    assert!(summary["unconverged_steps"].as_u64().unwrap() > 0);
    assert_eq!(summary["unconverged_steps"], summary["contact"]["steps_loose"]);
    for warning in summary["warnings"].as_array().unwrap() {
        let message = warning["message"].as_str().unwrap();
        assert!(complaint.contains(&format!("warning: {message}")), "{complaint}");
        assert!(warning["count"].as_u64() > Some(0) && warning["first_time"].is_number());
    }
}

/// Two cubes that are held in each other cannot part.
#[test]
fn bodies_that_stay_in_each_other_are_a_warning_with_their_names() {
    let folder = Folder::new("verdicts-overlap");
    let body = |name: &str, x: f64, held: [f64; 2]| {
        format!(
            "[[bodies]]\nname = \"{name}\"\nmesh = {{ kind = \"cuboid\", size = [1, 1, 1], cells = [2, 2, 2] }}\n\
             position = [{x}, 0, 0]\nmaterial = {{ kind = \"corotational\", young = 1e5, density = 1000 }}\n\
             pins = [{{ box = {{ min = [{}, -1, -1], max = [{}, 1, 1] }} }}]\n",
            held[0], held[1]
        )
    };
    let head = "response = \"constraint\"\nduration = 1\ndt = 0.1\nintegrator = { kind = \"implicit-euler\" }\n";
    let text =
        format!("{head}{}{}", body("left", 0.0, [-0.1, 1.0]), body("right", 0.9, [-1.0, 0.1]));
    let scene = folder.write("scene.toml", &text).to_string_lossy().into_owned();
    let (code, summary, complaint) = strictly(&folder, &[&scene]);
    assert_eq!(code, 1, "{complaint}");
    assert!(kinds(&summary).contains(&"overlap"), "{complaint}");
    assert!(complaint.contains("body 0 `left` and body 1 `right`"), "{complaint}");
    // Less than half a second is no warning yet.
    let (_, summary, complaint) = strictly(&folder, &[&scene, "--set", "duration=0.4"]);
    assert!(!kinds(&summary).contains(&"overlap"), "{complaint}");
}

#[test]
fn what_passes_through_a_target_within_a_step_is_a_warning() {
    let folder = Folder::new("verdicts-fast");
    let text = cube("kind = \"rigid\", density = 1000", "dt = 0.01\ngravity = [0, 0, 0]")
        + "position = [20, 0, 0]\n[[bodies]]\nname = \"bullet\"\n\
           mesh = { kind = \"cuboid\", size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }\n\
           position = [-2, 0, 0]\nvelocity = [1500, 0, 0]\n\
           material = { kind = \"rigid\", density = 1000 }\n";
    let scene = folder.write("scene.toml", &text).to_string_lossy().into_owned();
    // Rows are found along the paths of the bodies; penalties know only where they are.
    let (code, _, complaint) = strictly(&folder, &[&scene]);
    assert_eq!((code, complaint.as_str()), (0, ""));
    let (code, summary, complaint) = strictly(&folder, &[&scene, "--set", "response=penalty"]);
    assert_eq!((code, kinds(&summary)), (1, vec!["too_fast"]), "{complaint}");
    assert!(complaint.contains("`bullet`"), "{complaint}");
}

#[test]
fn a_response_that_the_integrator_cannot_solve_is_a_warning() {
    let folder = Folder::new("verdicts-dropped");
    let second = "[[bodies]]\nname = \"ball\"\n\
                  mesh = { kind = \"ball\", radius = 0.5, layers = 2 }\nposition = [5, 0, 0]\n\
                  material = { kind = \"corotational\", young = 1e4, poisson = 0.3, density = 1000 }\n";
    let soft = "kind = \"corotational\", young = 1e4, poisson = 0.3, density = 1000";
    for integrator in ["kind = \"verlet\"", "kind = \"implicit-euler\"\nnewton_iterations = 10"] {
        let text = cube(soft, &format!("dt = 0.001\n[integrator]\n{integrator}")) + second;
        let scene = folder.write("scene.toml", &text).to_string_lossy().into_owned();
        let (code, summary, complaint) = strictly(&folder, &[&scene]);
        assert_eq!((code, kinds(&summary)), (1, vec!["response_dropped"]), "{complaint}");
        let (code, _, complaint) = strictly(&folder, &[&scene, "--set", "response=none"]);
        assert_eq!((code, complaint.as_str()), (0, ""));
    }
}

#[test]
fn without_strict_a_warning_is_no_failure() {
    let folder = Folder::new("verdicts-lenient");
    let out = folder.0.join("out").to_string_lossy().into_owned();
    let arguments = ["run", "sphere-pile", "--set", "dt=1", "--set", "duration=6", "--out", &out];
    let (code, table, complaint) = reported(&pliant(&arguments));
    assert!(code == 0 && complaint.starts_with("warning: "), "{complaint}");
    assert!(table.starts_with("sphere-pile: finished"), "{table}");
}

#[test]
fn compared_runs_name_their_warnings_by_value() {
    let folder = Folder::new("verdicts-compare");
    let out = folder.0.join("out").to_string_lossy().into_owned();
    let scene = ["compare", "sphere-pile", "--vary", "dt=1,0.5", "--set", "duration=6"];
    let own = ["--strict", "--json", "--out", &out];
    let (code, json, complaint) = reported(&pliant(&[&scene[..], &own[..]].concat()));
    assert_eq!(code, 1, "{complaint}");
    let summaries: Value = serde_json::from_str(&json).unwrap();
    assert!(!kinds(&summaries["1"]).is_empty() && summaries["0.5"]["dt"] == 0.5, "{json}");
    assert!(complaint.contains("warning: 1: "), "{complaint}");
    let (code, _, complaint) = reported(&pliant(&["compare", "block", "--vary", "dt"]));
    assert!(code == 2 && complaint.contains("overlap=0.1,0.4"), "{complaint}");
}
