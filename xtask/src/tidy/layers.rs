//! No stage of the engine uses a later one.

use super::{file, none, ours};
use crate::repository::TextFile;

/// Where the engine stands.
const ENGINE: &str = "crates/pliant/src/";

/// Modules of the engine, each allowed to use itself and those before it.
const STAGES: [&str; 20] = [
    "math",
    "id",
    "choice",
    "order",
    "par",
    "profile",
    "snapshot",
    "mesh",
    "body",
    "force",
    "detect",
    "depth",
    "contact",
    "solve",
    "integrate",
    "step",
    "record",
    "separate",
    "world",
    "prelude",
];

/// Lines outside of tests that name a later module.
fn reaching_ahead(files: &[TextFile]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files {
        let Some(path) = file.path.strip_prefix(ENGINE) else { continue };
        let own = path.split('/').next().unwrap_or(path).trim_end_matches(".rs");
        let Some(place) = STAGES.iter().position(|stage| *stage == own) else {
            if own != "lib" {
                complaints.push(format!("{}: `{own}` is not among the stages", file.path));
            }
            continue;
        };
        if path.split('/').any(|part| part.starts_with("tests")) {
            continue;
        }
        // Unit tests stand at the end of a file.
        let code = file.text.lines().take_while(|line| *line != "#[cfg(test)]" || own == "lib");
        for (index, line) in code.enumerate().filter(|(_, line)| !line.trim().starts_with("//")) {
            let later = STAGES[place + 1..].iter().find(|stage| {
                line.contains(&format!("crate::{stage}::"))
                    || line.contains(&format!("crate::{stage};"))
            });
            let said = later
                .map(|stage| format!("{}:{}: uses the later stage {stage}", file.path, index + 1));
            complaints.extend(said);
        }
    }
    complaints
}

#[test]
fn no_stage_uses_a_later_one() {
    none(&reaching_ahead(&ours(&[".rs"])));
    let complaints = |path: &str, text: &str| reaching_ahead(&[file(path, text)]).len();
    assert_eq!(complaints("crates/pliant/src/force/a.rs", "use crate::solve::pcg::Pcg;"), 1);
    assert_eq!(complaints("crates/pliant/src/solve/a.rs", "use crate::force::Forces;"), 0);
    assert_eq!(complaints("crates/pliant/src/force/a.rs", "#[cfg(test)]\nuse crate::solve::a;"), 0);
    assert_eq!(complaints("crates/pliant/src/force/a.rs", "/// See [`crate::solve::a`]."), 0);
    assert_eq!(complaints("crates/pliant/src/other.rs", ""), 1);
    assert_eq!(complaints("crates/pliant-run/src/force.rs", "use crate::solve::a;"), 0);
}
