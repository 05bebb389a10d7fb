//! What makes two runs the same but for their length, so that one can continue the other.

use pliant_scene::digest::digest;
use pliant_scene::loaded::{LoadedScene, RunInfo};

/// How the line of a scene as resolved begins that says how long it runs.
const DURATION: &str = "duration = ";

/// Digest of the scene as resolved, less its duration, and of its bodies.
pub fn identity(built: &LoadedScene) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    let duration = duration_line(&built.resolved);
    for (number, line) in built.resolved.lines().enumerate() {
        // Comments list the parameters, whose values stand in the scene already.
        if Some(number) != duration && !line.starts_with('#') {
            hasher.update(line.as_bytes());
            hasher.update(b"\n");
        }
    }
    let RunInfo { dt, record_every, .. } = built.info;
    for number in
        [dt.to_bits(), record_every, built.world.simulation().state.positions.len() as u64]
    {
        hasher.update(&number.to_le_bytes());
    }
    // A mesh file may have changed under the same name.
    let simulation = built.world.simulation();
    hasher.update(digest(&simulation.state).as_bytes());
    for mass in simulation.system.masses.of() {
        hasher.update(&mass.to_le_bytes());
    }
    for vertex in simulation.system.bodies.tets().iter().flatten() {
        hasher.update(&vertex.0.to_le_bytes());
    }
    *hasher.finalize().as_bytes()
}

/// A scene as resolved with the duration of another one.
pub fn with_duration_of(resolved: &str, other: &str) -> String {
    let lines = || resolved.lines();
    let own = duration_line(resolved);
    let new = duration_line(other).and_then(|number| other.lines().nth(number));
    let replaced = lines().enumerate().map(|(number, line)| match new {
        Some(new) if Some(number) == own => new,
        _ => line,
    });
    replaced.flat_map(|line| [line, "\n"]).collect()
}

/// Which line says how long a scene runs; it stands before all tables.
fn duration_line(resolved: &str) -> Option<usize> {
    let own = resolved.lines().take_while(|line| !line.starts_with('['));
    own.enumerate().find(|(_, line)| line.starts_with(DURATION)).map(|(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::load;

    #[test]
    fn every_scene_as_resolved_is_the_same_scene_for_any_duration() {
        let path =
            std::env::temp_dir().join(format!("pliant-identity-{}.toml", std::process::id()));
        for scene in pliant_scene::builtin::ALL {
            let built = load(scene.name, &[]).unwrap();
            std::fs::write(&path, &built.resolved).unwrap();
            let again = load(&path, &[]).unwrap();
            assert!(identity(&again) == identity(&built), "{}", scene.name);
            let longer = load(&path, &["duration=123".to_string()]).unwrap();
            assert!(identity(&longer) == identity(&built), "{}", scene.name);
            assert_ne!(longer.info.steps, built.info.steps, "{}", scene.name);
            let resolved = with_duration_of(&built.resolved, &longer.resolved);
            assert!(resolved.contains("\nduration = 123.0\n"), "{}: {resolved}", scene.name);
        }
        let other = load("block", &["dt=0.0125".to_string()]).unwrap();
        assert!(identity(&other) != identity(&load("block", &[]).unwrap()));
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_duration_is_found_before_all_tables_alone() {
        let text =
            "# young = 1\nname = \"a\"\nduration = 1.0\ndt = 0.1\n[[bodies]]\nduration = 7\n";
        let other = "duration = 2.5\n";
        let expected = text.replace("1.0", "2.5");
        assert_eq!(with_duration_of(text, other), expected);
        assert_eq!(with_duration_of(text, "[a]\nduration = 3\n"), text);
        assert_eq!(duration_line("[a]\nduration = 3\n"), None);
    }
}
