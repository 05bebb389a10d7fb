//! Files and names that are made to do harm: the program ends, and says what is wrong.

use std::fs;

use crate::{Folder, medit, pliant, reported};

/// A character of each kind that must not reach a terminal, a page or JSON.
const HIDDEN: [char; 6] = ['\u{1b}', '\u{7f}', '\u{9b}', '\u{202e}', '\u{2066}', '\u{200f}'];

/// A scene of one body with hidden characters in all its texts.
fn scene() -> String {
    let hidden: String = HIDDEN.map(|letter| format!("\\u{:04x}", letter as u32)).concat();
    format!(
        "name = \"n{hidden}n\"\ndescription = \"d{hidden}d\"\nduration = 0.05\ndt = 0.01\n\
         [[bodies]]\nname = \"b{hidden}b\"\nmesh = {{ kind = \"icosahedron\", radius = 1 }}\n\
         material = {{ kind = \"corotational\", young = 1e4 }}\n"
    )
}

#[track_caller]
fn assert_clean(what: &str, text: &str) {
    let found = text.chars().find(|letter| HIDDEN.contains(letter));
    assert!(found.is_none(), "{what}: {found:?} in {text}");
}

#[test]
fn hidden_characters_reach_no_terminal_page_or_json() {
    let folder = Folder::new("hostile-text");
    let path = folder.write("s\u{202e}\u{9b}.toml", &scene());
    let out = folder.0.join("o\u{202e}ut");
    let (scene, out) = (path.to_str().unwrap(), out.to_str().unwrap());
    let bad = folder.write("bad\u{202e}.mesh", "nothing\u{9b}");
    let png = format!("{out}/a\u{202e}.png");
    for arguments in [
        &["run", scene, "--out", out][..],
        &["run", scene, "--out", out],
        &["run", scene, "--out", out, "--force", "--json"],
        &["resume", out],
        &["resume", out, "--duration", "0.1", "--json"],
        &["info", out],
        &["info", out, "--json"],
        &["picture", out, "-o", &png],
        &["check", scene, bad.to_str().unwrap()],
        &["check", "--json", scene, bad.to_str().unwrap()],
        &["depth", bad.to_str().unwrap(), scene],
        &["proximity", bad.to_str().unwrap(), scene],
        &["compare", scene, "--integrator", "bdf2,implicit-euler", "--out", &format!("{out}-c")],
        &["scenes", "n\u{202e}"],
        &["check", "--n\u{202e}\u{1b}[31m"],
        &["n\u{202e}\u{1b}[31m"],
    ] {
        let (_, stdout, stderr) = reported(&pliant(arguments));
        assert_clean(&format!("{arguments:?}"), &(stdout + &stderr));
    }
    for name in ["report.html", "summary.json", "run.json"] {
        assert_clean(name, &fs::read_to_string(format!("{out}/{name}")).unwrap());
    }
    assert_clean("comparison", &fs::read_to_string(format!("{out}-c/report.html")).unwrap());
    // What JSON says is what was written.
    let json = fs::read_to_string(format!("{out}/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&json).unwrap();
    let hidden: String = HIDDEN.into_iter().collect();
    assert_eq!(summary["scene"], format!("n{hidden}n"));
}

#[test]
fn what_a_crafted_summary_says_is_shown_without_hidden_characters() {
    let folder = Folder::new("hostile-summary");
    let out = folder.0.join("out").to_string_lossy().into_owned();
    let run = ["run", "block", "--set", "duration=0.05", "--out", &out];
    assert_eq!(reported(&pliant(&run)).0, 0);
    let path = format!("{out}/summary.json");
    let mut summary: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let hidden: String = HIDDEN.into_iter().collect();
    for key in ["scene", "response", "integrator", "digest"] {
        summary[key] = format!("x{hidden}").into();
    }
    summary["notices"] = serde_json::json!([hidden]);
    fs::write(&path, summary.to_string()).unwrap();
    let check = |arguments: &[&str]| {
        let (code, stdout, stderr) = reported(&pliant(arguments));
        assert_eq!(code, 0, "{stderr}");
        assert_clean(&format!("{arguments:?}"), &(stdout + &stderr));
    };
    check(&["resume", &out]);
    check(&["resume", &out, "--json"]);
    summary["ended"] = format!("x{hidden}").into();
    fs::write(&path, summary.to_string()).unwrap();
    check(&["info", &out]);
    check(&["info", &out, "--json"]);
}

/// A pipe that nobody writes to.
#[cfg(unix)]
fn pipe(folder: &Folder, name: &str) -> String {
    let path = folder.0.join(name);
    let _ = fs::remove_file(&path);
    let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    path.to_string_lossy().into_owned()
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_not_waited_for() {
    let folder = Folder::new("hostile-pipes");
    let out = folder.0.join("out").to_string_lossy().into_owned();
    let run = ["run", "block", "--set", "duration=0.05", "--out", &out];
    assert_eq!(reported(&pliant(&run)).0, 0);
    let mesh = folder.write("a.mesh", &medit("0 0 1")).to_string_lossy().into_owned();
    let png = folder.0.join("a.png").to_string_lossy().into_owned();
    let check = |arguments: &[&str]| {
        let (code, stdout, stderr) = reported(&pliant(arguments));
        assert_eq!((code, stdout.as_str()), (2, ""), "{arguments:?}: {stderr}");
        assert!(stderr.contains("not a regular file"), "{arguments:?}: {stderr}");
    };
    for odd in [&pipe(&folder, "pipe.toml"), "/dev/zero", "/dev/tty0", "/dev/null"] {
        if !fs::exists(odd).unwrap() {
            continue;
        }
        check(&["run", odd]);
        check(&["info", odd]);
        check(&["picture", odd, "-o", &png]);
        check(&["proximity", odd, &mesh]);
    }
    let odd = pipe(&folder, "pipe.vtk");
    check(&["depth", &mesh, &odd]);
    let scene = folder.write(
        "s.toml",
        "duration = 1\ndt = 0.1\n[[bodies]]\nname = \"a\"\n\
         mesh = { kind = \"file\", path = \"pipe.vtk\" }\n\
         material = { kind = \"corotational\", young = 1e4 }\n",
    );
    check(&["run", scene.to_str().unwrap(), "--out", &format!("{out}-2")]);
    for name in ["run.json", "summary.json", "recording.pliant"] {
        let path = format!("{out}/{name}");
        fs::rename(&path, format!("{path}.kept")).unwrap();
        pipe(&folder, &format!("out/{name}"));
        check(&["info", &out]);
        fs::rename(format!("{path}.kept"), &path).unwrap();
    }
    let names = [
        "run.lock",
        "checkpoint.bin",
        "series.csv",
        "bodies.csv",
        "recording.pliant",
        "scene.toml",
    ];
    for name in names {
        let path = format!("{out}/{name}");
        fs::rename(&path, format!("{path}.kept")).unwrap();
        pipe(&folder, &format!("out/{name}"));
        check(&["resume", &out, "--duration", "0.2"]);
        fs::rename(format!("{path}.kept"), &path).unwrap();
    }
    assert_eq!(reported(&pliant(&["resume", &out, "--duration", "0.2"])).0, 0);
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf8_work() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new("hostile-utf8");
    let place = folder.0.join(OsStr::from_bytes(b"f\xff"));
    fs::create_dir(&place).unwrap();
    let [scene, mesh, out] = [&b"s\xfe.toml"[..], b"m\xfd.mesh", b"o\xfc"]
        .map(|name| place.join(OsStr::from_bytes(name)));
    let text = "duration = 0.05\ndt = 0.01\n[[bodies]]\nname = \"a\"\n\
                mesh = { kind = \"icosahedron\", radius = 1 }\n\
                material = { kind = \"corotational\", young = 1e4 }\n";
    fs::write(&scene, text).unwrap();
    fs::write(&mesh, medit("0 0 1")).unwrap();
    let png = place.join(OsStr::from_bytes(b"p\xfb.png"));
    let words = |words: &[&str]| words.iter().map(std::ffi::OsString::from).collect::<Vec<_>>();
    let check = |before: &[&str], paths: &[&std::path::Path], after: &[&str]| {
        let paths = paths.iter().map(|path| path.as_os_str().to_owned()).collect();
        let output = pliant(&[words(before), paths, words(after)].concat());
        let (code, stdout, stderr) = reported(&output);
        assert_eq!(code, 0, "{before:?}: {stderr}");
        (stdout, stderr)
    };
    check(&["run", "--out"], &[&out, &scene], &[]);
    check(&["resume"], &[&out], &["--duration", "0.1"]);
    let (json, note) = check(&["info", "--json"], &[&out], &[]);
    let look: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(look["path"].as_str().unwrap().ends_with("o\u{fffd}"), "{json}");
    assert!(note.contains("is not UTF-8: what is not has been replaced"), "{note}");
    check(&["picture", "-o"], &[&png, &out], &[]);
    for command in ["check", "depth"] {
        let (json, _) = check(&[command, "--json"], &[&mesh, &mesh], &[]);
        assert!(json.contains("is not UTF-8: what is not has been replaced"), "{json}");
    }
    check(&["check"], &[&scene], &[]);
    let wkt = place.join(OsStr::from_bytes(b"w\xfa.wkt"));
    fs::write(&wkt, "POLYGON ((0 0, 1 0, 0 1, 0 0))").unwrap();
    let picked = place.join(OsStr::from_bytes(b"w\xfa.wkt#0"));
    check(&["proximity", "--json"], &[&wkt, &picked], &[]);
}

#[test]
fn a_missing_mesh_of_a_rigid_body_is_called_missing() {
    let folder = Folder::new("hostile-rigid");
    let scene = folder.write(
        "s.toml",
        "duration = 1\ndt = 0.1\n[[bodies]]\nname = \"a\"\n\
         mesh = { kind = \"file\", path = \"no.obj\" }\nmaterial = { kind = \"rigid\" }\n",
    );
    let (code, _, complaint) = reported(&pliant(&["check", scene.to_str().unwrap()]));
    assert!(code == 2 && complaint.contains("no.obj: No such file"), "{complaint}");
    assert!(!complaint.contains("close its surface"), "{complaint}");
    assert!(!complaint.contains("cannot be rigid"), "{complaint}");
}

#[test]
fn only_png_pictures_are_written() {
    let folder = Folder::new("hostile-jpg");
    let jpg = folder.0.join("x.jpg").to_string_lossy().into_owned();
    let (code, _, complaint) = reported(&pliant(&["picture", "runs/none", "-o", &jpg]));
    assert_eq!(code, 2);
    assert!(complaint.contains("only PNG pictures are written; name the file "), "{complaint}");
    let (code, _, complaint) = reported(&pliant(&["proximity", "a", "b", "--picture", &jpg]));
    assert!(code == 2 && complaint.contains("only PNG"), "{complaint}");
}
