//! `pliant export`.

use std::fs;

use serde_json::Value;

use crate::{Folder, pliant, reported};

/// A run of a few steps.
fn run(folder: &Folder) -> String {
    let out = folder.0.join("run").to_string_lossy().into_owned();
    let arguments = ["run", "block", "--set", "duration=0.05", "--out", &out, "--quiet"];
    assert_eq!(reported(&pliant(&arguments)).0, 0);
    out
}

#[test]
fn a_run_is_exported_in_every_format() {
    let folder = Folder::new("export");
    let run = run(&folder);
    for name in ["vtu", "glb", "obj", "ply", "npz", "gif", "apng"] {
        let is_folder = ["vtu", "obj", "ply"].contains(&name);
        let out = folder.0.join(if is_folder { name.to_string() } else { format!("a.{name}") });
        let out = out.to_string_lossy().into_owned();
        let call = ["export", &run, "--to", name, "-o", &out, "--size", "32x24", "--json"];
        let (code, stdout, stderr) = reported(&pliant(&call));
        assert_eq!((code, stderr.as_str()), (0, ""), "{name}");
        let json: Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!((&json["format"], &json["path"]), (&name.into(), &out.into()));
        assert!(json["frames"].as_u64() > Some(1) && json["bytes"].as_u64() > Some(0), "{json}");
    }
    let out = folder.0.join("b.glb").to_string_lossy().into_owned();
    let (code, stdout, _) = reported(&pliant(&["export", &run, "-o", &out, "--end", "0"]));
    assert!(code == 0 && stdout.contains("b.glb: 1 frame from 0 to 0 s as glb, "), "{stdout}");
}

#[test]
fn bad_input_is_one_line_and_leaves_nothing() {
    let folder = Folder::new("export-bad");
    let text = folder.write("a.txt", "hello").to_string_lossy().into_owned();
    let run = run(&folder);
    let check = |arguments: &[&str], code: i32, expected: &str| {
        let out = folder.0.join(arguments[1]).to_string_lossy().into_owned();
        let call = [&["export", arguments[0], "-o", &out][..], &arguments[2..]].concat();
        let (found, stdout, stderr) = reported(&pliant(&call));
        assert_eq!((found, stdout.as_str(), stderr.lines().count()), (code, "", 1), "{stderr}");
        assert!(stderr.contains(expected), "{stderr}");
        assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 2);
    };
    check(&[&text, "a.glb"], 2, "a.txt: not a pliant recording");
    check(&[&run, "a"], 2, "the name does not say which format; give --to with one of vtu, glb");
    check(&[&run, "a.obj", "--to", "obj"], 2, "obj is written as a folder of files");
    check(&[&run, "a.glb", "--begin", "9"], 2, "no frame between 9 s and ");
    check(&[&run, "none/a.npz"], 1, "a.npz: cannot be written: No such file");
}

#[cfg(unix)]
#[test]
fn a_folder_without_write_permission_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("export-locked");
    let run = run(&folder);
    let locked = folder.0.join("locked");
    std::fs::create_dir(&locked).unwrap();
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o500)).unwrap();
    if std::fs::write(locked.join("probe"), "").is_ok() {
        // Whoever may do everything is not stopped by permissions.
        return;
    }
    for (to, name) in [("npz", "a.npz"), ("vtu", "a")] {
        let out = locked.join(name).to_string_lossy().into_owned();
        let (code, _, stderr) = reported(&pliant(&["export", &run, "--to", to, "-o", &out]));
        assert_eq!((code, stderr.lines().count()), (1, 1), "{stderr}");
        assert!(stderr.contains("cannot be written: Permission denied"), "{stderr}");
    }
}

#[test]
fn fields_of_a_run_are_exported_or_refused_in_one_line() {
    let folder = Folder::new("export-fields");
    let out = folder.0.join("run").to_str().unwrap().to_string();
    let set = "record.fields=['velocity','stress']";
    let run = ["run", "block", "--set", "duration=0.05", "--set", set, "--out", &out, "--quiet"];
    let (code, _, said) = reported(&pliant(&run));
    assert_eq!(code, 0, "{said}");
    let vtu = folder.0.join("vtu").to_str().unwrap().to_string();
    let (code, _, said) = reported(&pliant(&["export", &out, "--to", "vtu", "-o", &vtu]));
    assert_eq!(code, 0, "{said}");
    let text = std::fs::read_to_string(folder.0.join("vtu/frame_00001.vtu")).unwrap();
    assert!(text.contains("Name=\"velocity\"") && text.contains("Name=\"stress\""));
    let npz = folder.0.join("a.npz").to_str().unwrap().to_string();
    let (code, _, said) = reported(&pliant(&["export", &out, "-o", &npz, "--fields", "depth"]));
    assert_eq!((code, said.lines().count()), (2, 1), "{said}");
    assert!(said.contains("no field `depth`, only velocity, stress"), "{said}");
    assert!(!folder.0.join("a.npz").exists());
}

#[test]
fn recordings_cut_short_or_newer_are_named() {
    let folder = Folder::new("export-cut");
    let run = run(&folder);
    let whole = fs::read(format!("{run}/recording.pliant")).unwrap();
    let newer = [&whole[..8], &99_u32.to_le_bytes(), &whole[12..]].concat();
    let damaged: Vec<u8> =
        whole.iter().enumerate().map(|(k, byte)| byte ^ u8::from(k == 40)).collect();
    let out = folder.0.join("a.npz").to_string_lossy().into_owned();
    for (bytes, expected) in [
        (&whole[..0], "not a pliant recording"),
        (&whole[..10], "a recording cut short before its first frame"),
        (&whole[..60], "a recording cut short before its first frame"),
        (&newer[..], "a recording in format 99, from a newer pliant; this one reads up to 2"),
        (&damaged[..], "a damaged recording: the header does not have its checksum"),
    ] {
        let path = folder.0.join("bad.pliant");
        fs::write(&path, bytes).unwrap();
        let path = path.to_string_lossy().into_owned();
        let (code, stdout, stderr) = reported(&pliant(&["export", &path, "-o", &out]));
        assert_eq!((code, stdout.as_str(), stderr.lines().count()), (2, "", 1), "{stderr}");
        assert!(stderr.contains(expected), "{stderr}");
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 2);
    }
    // Half of the frames are better than none.
    let cut = folder.0.join("cut.pliant");
    fs::write(&cut, &whole[..whole.len() - 200]).unwrap();
    let cut = cut.to_string_lossy().into_owned();
    let (code, stdout, _) = reported(&pliant(&["export", &cut, "-o", &out]));
    assert!(code == 0 && stdout.contains("the recording was cut short: "), "{stdout}");
}

#[cfg(unix)]
#[test]
fn a_disk_without_room_is_one_line_and_leaves_nothing() {
    use std::process::{Command, Stdio};
    let limited = "trap '' XFSZ; ulimit -f 1 && exec \"$0\" \"$@\"";
    if !Command::new("sh").args(["-c", limited, "true"]).status().is_ok_and(|s| s.success()) {
        eprintln!("skipped: no shell that limits files");
        return;
    }
    let folder = Folder::new("export-full");
    let run = run(&folder);
    let cube = folder.write(
        "cube.off",
        "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n",
    );
    let cube = cube.to_string_lossy().into_owned();
    let check = |arguments: &[&str]| {
        let mut command = Command::new("sh");
        command.args(["-c", limited, env!("CARGO_BIN_EXE_pliant")]).args(arguments);
        let output = command.stdin(Stdio::null()).output().unwrap();
        let (code, stdout, stderr) = reported(&output);
        assert_eq!((code, stdout.as_str(), stderr.lines().count()), (1, "", 1), "{stderr}");
        assert!(stderr.contains("File too large"), "{stderr}");
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 2, "{arguments:?}");
    };
    for name in ["vtu", "glb", "obj", "ply", "npz", "gif", "apng"] {
        let is_folder = ["vtu", "obj", "ply"].contains(&name);
        let out = folder.0.join(if is_folder { name.to_string() } else { format!("a.{name}") });
        let out = out.to_string_lossy().into_owned();
        check(&["export", &run, "--to", name, "-o", &out, "--size", "64x48"]);
    }
    let out = folder.0.join("cube.vtu").to_string_lossy().into_owned();
    check(&["mesh", &cube, "-o", &out, "--size", "0.1"]);
}
