//! `pliant sweep` and `pliant compare --resume` as people call them.

use std::fs;

use crate::{Folder, pliant, reported};

fn lines(table: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(table).unwrap();
    text.lines().map(|line| line.split(',').map(str::to_string).collect()).collect()
}

#[test]
fn a_sweep_has_a_row_per_run_failures_included_and_can_be_resumed() {
    let folder = Folder::new("sweep");
    let out = folder.0.join("out").to_str().unwrap().to_string();
    let vary = "--vary=dt=0.02,0.05,-1";
    let command =
        ["sweep", "two-points", vary, "--seeds", "1", "--set", "duration=0.1", "--out", &out];
    let (code, _, said) = reported(&pliant(&[&command[..], &["--jobs", "2", "--quiet"]].concat()));
    assert_eq!(code, 1, "{said}");
    let rows = lines(&format!("{out}/sweep.csv"));
    assert_eq!(rows.len(), 4);
    let column = |name: &str| rows[0].iter().position(|known| known == name).unwrap();
    assert_eq!(rows[0][..5], ["run", "folder", "dt", "seed", "ended"]);
    let ended: Vec<&str> = rows[1..].iter().map(|row| row[column("ended")].as_str()).collect();
    assert_eq!(ended, ["finished", "finished", "refused"]);
    assert!(rows[3][column("error")].contains("the time step is -1 s"), "{:?}", rows[3]);
    assert_eq!([&rows[1][column("steps")], &rows[2][column("steps")]], ["5", "2"]);
    // Again is refused; resumed, finished runs are left alone and the others made.
    let (code, _, said) = reported(&pliant(&command));
    assert!(code == 2 && said.contains("exists already; --resume"), "{said}");
    let kept = format!("{out}/run-0000/summary.json");
    let before = fs::metadata(&kept).unwrap().modified().unwrap();
    fs::remove_dir_all(format!("{out}/run-0001")).unwrap();
    let (code, ..) = reported(&pliant(&[&command[..], &["--resume"]].concat()));
    assert_eq!(code, 1);
    assert_eq!(fs::metadata(&kept).unwrap().modified().unwrap(), before);
    assert_eq!(lines(&format!("{out}/sweep.csv"))[2][column("ended")], "finished");
    // Another sweep does not go into the same folder, nor into one of others.
    let other = ["sweep", "two-points", "--vary=dt=0.02", "--out", &out, "--resume"];
    let (code, _, said) = reported(&pliant(&other));
    assert!(code == 2 && said.contains("holds a sweep of another scene"), "{said}");
    let here = folder.0.to_str().unwrap();
    let (code, _, said) = reported(&pliant(&["sweep", "two-points", vary, "--out", here]));
    assert!(code == 2 && said.contains("not a sweep (it has no sweep.json)"), "{said}");
}

#[test]
fn a_first_value_that_the_scene_refuses_costs_nothing() {
    let folder = Folder::new("sweep-bad");
    let out = folder.0.join("out").to_str().unwrap().to_string();
    let (code, _, said) = reported(&pliant(&["sweep", "block", "--vary=dtt=1,2", "--out", &out]));
    assert!(code == 2 && said.contains("dtt"), "{said}");
    assert!(!folder.0.join("out").exists());
}

#[test]
fn a_comparison_can_be_resumed_and_has_pictures() {
    let folder = Folder::new("compare-resume");
    let out = folder.0.join("out").to_str().unwrap().to_string();
    let command =
        ["compare", "block", "--vary", "tilt=0,0.3", "--set", "duration=0.02", "--out", &out];
    assert_eq!(reported(&pliant(&command)).0, 0);
    let page = fs::read_to_string(format!("{out}/report.html")).unwrap();
    assert_eq!(page.matches("data:image/png;base64,").count(), 2);
    assert_eq!(reported(&pliant(&command)).0, 2);
    fs::remove_dir_all(format!("{out}/0.3")).unwrap();
    assert_eq!(reported(&pliant(&[&command[..], &["--resume"]].concat())).0, 0);
    assert!(folder.0.join("out/0.3/summary.json").exists());
}
