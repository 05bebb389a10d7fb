//! `pliant convert`.

use serde_json::Value;

use crate::{Folder, medit, pliant, reported};

#[test]
fn a_mesh_is_converted_and_what_is_left_out_is_noted() {
    let folder = Folder::new("convert");
    let from = folder.write("one.mesh", &medit("0 0 1")).to_string_lossy().into_owned();
    let to = |name: &str| folder.0.join(name).to_string_lossy().into_owned();
    let (code, stdout, stderr) = reported(&pliant(&["convert", &from, &to("one.vtu")]));
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(stdout.contains("one.vtu: 4 vertices, 1 tet\n"), "{stdout}");
    let (code, stdout, _) =
        reported(&pliant(&["convert", &to("one.vtu"), &to("one.ply"), "--json"]));
    let json: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &json["kind"], &json["triangles"]), (0, &"surface".into(), &4.into()));
    let expected = "wrote the boundary: 1 tet and 0 vertices not on it were left out";
    assert_eq!(json["notices"], serde_json::json!([expected]));
    let (code, stdout, _) = reported(&pliant(&["check", &to("one.ply")]));
    assert!(code == 0 && stdout.contains("surface of 4 triangles"), "{stdout}");
}

#[test]
fn errors_are_one_line_and_leave_nothing() {
    let folder = Folder::new("convert-errors");
    let off = folder.write("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    let off = off.to_string_lossy().into_owned();
    let check = |to: &str, expected: (i32, &str)| {
        let to = folder.0.join(to).to_string_lossy().into_owned();
        let (code, stdout, stderr) = reported(&pliant(&["convert", &off, &to]));
        assert_eq!(
            (code, stdout.as_str(), stderr.lines().count()),
            (expected.0, "", 1),
            "{stderr}"
        );
        assert!(stderr.starts_with("pliant: ") && stderr.contains(expected.1), "{stderr}");
        assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 1);
    };
    check("a.vtu", (2, "make tets with `pliant mesh "));
    check("a.xyz", (2, "cannot write this format"));
    check("missing/a.obj", (1, "cannot be written: No such file"));
}
