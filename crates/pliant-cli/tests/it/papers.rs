//! `pliant papers`: every command that it lists runs.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{Folder, pliant, reported};

/// A cube of 1 m from a corner, as OBJ.
fn cube([x, y, z]: [f64; 3]) -> String {
    let corner = |k: u32| {
        let side = |bit: u32| f64::from(u8::from(k & bit != 0));
        format!("v {} {} {}\n", x + side(1), y + side(2), z + side(4))
    };
    let corners: String = (0..8).map(corner).collect();
    let faces = ["1 3 4 2", "5 6 8 7", "1 2 6 5", "3 7 8 4", "1 5 7 3", "2 4 8 6"];
    corners + &faces.map(|face| format!("f {face}\n")).concat()
}

/// The words of a command after the name of the program, with files in place of letters.
fn words(command: &str, folder: &Folder) -> Vec<String> {
    let is_plane = command.contains("proximity");
    let square = |x: f64| format!("[[[{x},0],[{},0],[{},2],[{x},2]]]", x + 2.0, x + 2.0);
    let file = |name: &str, x: f64| match is_plane {
        true => folder.write(&format!("{name}.json"), &square(x)),
        false => folder.write(&format!("{name}.obj"), &cube([x, 0.1, 0.2])),
    };
    let word = |word: &str| match word {
        "A" | "SURFACE" => file("a", 0.0).to_str().unwrap().to_owned(),
        "B" => file("b", 0.6).to_str().unwrap().to_owned(),
        "TETS" => folder.0.join("tets.vtu").to_str().unwrap().to_owned(),
        "H" => "0.5".to_owned(),
        other => other.trim_matches('"').to_owned(),
    };
    let mut words: Vec<String> = command.split(' ').skip(1).map(word).collect();
    if words[0] == "run" {
        let out = folder.0.join("run").to_str().unwrap().to_owned();
        // Two short steps are enough to see that a scene is made and steps.
        for more in ["--force", "--set", "dt=0.001", "--set", "duration=0.002", "--out"] {
            words.push(more.to_owned());
        }
        words.push(out);
    }
    words
}

#[test]
fn every_command_that_is_listed_runs() {
    let (code, stdout, stderr) = reported(&pliant(&["papers", "--all", "--json"]));
    assert_eq!(code, 0, "{stderr}");
    let listed: Value = serde_json::from_str(&stdout).unwrap();
    let methods = listed["papers"].as_array().unwrap().iter().flat_map(|paper| {
        paper["methods"].as_array().unwrap().iter().filter_map(|method| method["command"].as_str())
    });
    let commands: BTreeSet<&str> = methods.collect();
    assert!(commands.len() > 30, "{commands:?}");
    let folder = Folder::new("papers");
    for command in commands {
        let (code, _, stderr) = reported(&pliant(&words(command, &folder)));
        assert_eq!(code, 0, "{command}: {stderr}");
    }
}

#[test]
fn one_document_is_listed_by_its_key_and_another_is_refused() {
    let (code, stdout, _) = reported(&pliant(&["papers", "hoff01"]));
    assert!(code == 0 && stdout.contains("pliant proximity --method localised A B"), "{stdout}");
    let (code, _, stderr) = reported(&pliant(&["papers", "Nobody99"]));
    assert!(code == 2 && stderr.contains("there are Heidelberger04"), "{stderr}");
}
