//! `pliant completions` and `pliant man`, and `--quiet`.

use crate::{Folder, medit, pliant, reported};

#[test]
fn every_shell_gets_a_script_that_knows_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (code, script, stderr) = reported(&pliant(&["completions", shell]));
        assert_eq!((code, stderr.as_str()), (0, ""));
        for word in ["resume", "proximity", "--duration"] {
            let is_there = script.contains(word) || script.contains(word.trim_start_matches('-'));
            assert!(is_there, "{shell}: {word}");
        }
    }
    assert_eq!(reported(&pliant(&["completions", "dos"])).0, 2);
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = Folder::new("manual");
    let out = folder.0.join("man").to_string_lossy().into_owned();
    let (code, remark, _) = reported(&pliant(&["man", &out]));
    assert!(code == 0 && remark.contains(" pages in "), "{remark}");
    for (name, text) in [("pliant.1", "deformable"), ("pliant-resume.1", "duration")] {
        let page = std::fs::read_to_string(folder.0.join("man").join(name)).unwrap();
        assert!(page.contains(".TH ") && page.contains(text), "{name}: {page}");
    }
    folder.write("file", "");
    let below = folder.0.join("file/man").to_string_lossy().into_owned();
    let (code, _, complaint) = reported(&pliant(&["man", &below]));
    assert!(code == 1 && complaint.contains("cannot be written"), "{complaint}");
}

#[test]
fn quiet_leaves_errors_and_answers() {
    let folder = Folder::new("quiet");
    let out = folder.0.join("out").to_string_lossy().into_owned();
    let png = folder.0.join("a.png").to_string_lossy().into_owned();
    let run = ["run", "block", "--set", "duration=0.05", "--out", &out];
    let check = |arguments: &[&str], code: i32| {
        let reported = reported(&pliant(&[arguments, &["--quiet"]].concat()));
        assert_eq!(reported.0, code, "{reported:?}");
        (reported.1, reported.2)
    };
    assert_eq!(check(&run, 0), (String::new(), String::new()));
    assert_eq!(check(&["resume", &out], 0), (String::new(), String::new()));
    assert_eq!(check(&["picture", &out, "-o", &png], 0), (String::new(), String::new()));
    let (stdout, stderr) = check(&run, 2);
    assert!(stdout.is_empty() && stderr.contains("exists already"), "{stderr}");
    let (json, _) = check(&[&run[..], &["--force", "--json"]].concat(), 0);
    assert!(json.starts_with('{'), "{json}");
    let mesh = folder.write("a.mesh", &medit("0 0 1"));
    assert!(check(&["check", mesh.to_str().unwrap()], 0).0.contains("1 tet"));
    assert!(check(&["info", &out], 0).0.contains("block"));
    // Before the command as well.
    assert_eq!(reported(&pliant(&["-q", "resume", &out])), (0, String::new(), String::new()));
}
