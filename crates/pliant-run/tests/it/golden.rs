//! Pinned digests: a change of any result by a single bit fails here.
//!
//! `golden/digests.txt` has a line for every built-in scene: its name, a number of steps,
//! and the digest of the state after them. `cargo xtask bless` rewrites the digests. The
//! changelog must then name the new fingerprint of the file, with the reason.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use pliant_scene::builtin;

use super::scene::{after, load};

/// Steps of a scene that the file does not list yet.
const STEPS: usize = 10;

/// Digits of the fingerprint that the changelog names.
const DIGITS: usize = 12;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn path() -> PathBuf {
    root().join("golden/digests.txt")
}

/// Name, steps and digest, line by line.
fn pinned() -> Vec<(String, usize, String)> {
    let text = fs::read_to_string(path()).unwrap_or_default();
    let fields = |line: &str| {
        let mut words = line.split_whitespace().map(str::to_owned);
        let [name, steps, digest] = std::array::from_fn(|_| words.next().unwrap());
        (name, steps.parse().unwrap(), digest)
    };
    text.lines().filter(|line| !line.starts_with('#')).map(fields).collect()
}

#[test]
fn every_built_in_scene_gives_its_pinned_digest_on_one_and_two_threads() {
    let pinned = pinned();
    let (mut text, mut changed) = (String::new(), Vec::new());
    text += "# scene, steps, BLAKE3 of the state after them; rewritten by `cargo xtask bless`\n";
    for scene in builtin::ALL {
        let known = pinned.iter().find(|(name, ..)| name == scene.name);
        let steps = known.map_or(STEPS, |(_, steps, _)| *steps);
        let [one, two] = [1, 2].map(|threads| {
            let mut built = load(scene.name, &[]).unwrap();
            built.world.set_threads(threads);
            after(built, steps)
        });
        assert_eq!(one, two, "{}: two threads give other bits than one", scene.name);
        if known.is_none_or(|(.., digest)| *digest != one) {
            changed.push(scene.name);
        }
        writeln!(text, "{} {steps} {one}", scene.name).unwrap();
    }
    if std::env::var_os("PLIANT_BLESS").is_some() {
        fs::create_dir_all(path().parent().unwrap()).unwrap();
        fs::write(path(), text).unwrap();
    } else {
        let help = "`cargo xtask bless` pins the new ones, if they are meant";
        assert!(changed.is_empty(), "digests changed: {changed:?}; {help}");
        assert_eq!(pinned.len(), builtin::ALL.len(), "lines for scenes that are gone; {help}");
    }
}

#[test]
fn the_changelog_says_why_digests_changed() {
    if std::env::var_os("PLIANT_BLESS").is_some() {
        return; // the line is written after the files
    }
    let fingerprint = blake3::hash(&fs::read(path()).unwrap()).to_hex();
    let fingerprint = &fingerprint[..DIGITS];
    let changelog = fs::read_to_string(root().join("CHANGELOG.md")).unwrap();
    assert!(
        changelog.contains(&format!("`{fingerprint}`")),
        "CHANGELOG.md needs a line that names digests `{fingerprint}` and says why they changed"
    );
}
