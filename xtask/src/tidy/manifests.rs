//! The two workspaces agree: same lints, same edition, same Rust.

use super::none;
use crate::repository::root;

/// Keys of a package that stand in both manifests.
const SHARED: [&str; 5] = ["version", "edition", "rust-version", "license", "publish"];

/// What the manifest of the tasks says otherwise than that of the workspace.
fn differences(workspace: &str, tasks: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    for table in ["rust", "rustdoc", "clippy"] {
        let theirs = section(workspace, &format!("[workspace.lints.{table}]"));
        let own = section(tasks, &format!("[lints.{table}]"));
        if theirs.is_empty() || theirs != own {
            complaints.push(format!("the lints of {table} differ between the two workspaces"));
        }
    }
    let theirs = section(workspace, "[workspace.package]");
    let own = section(tasks, "[package]");
    for key in SHARED {
        let line = |lines: &[&str]| {
            let found = lines.iter().find(|line| line.split(" =").next() == Some(key));
            found.map(|line| (*line).to_owned())
        };
        if line(&theirs) != line(&own) {
            complaints.push(format!("{key} differs between the two workspaces"));
        }
    }
    complaints
}

/// The lines of one table, without blank ones and comments.
fn section<'a>(manifest: &'a str, head: &str) -> Vec<&'a str> {
    let after = manifest.lines().skip_while(|line| *line != head).skip(1);
    let inside = after.take_while(|line| !line.starts_with('['));
    inside.filter(|line| !line.trim().is_empty() && !line.starts_with('#')).collect()
}

#[test]
fn both_workspaces_ask_the_same() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    let (workspace, tasks) = (read("Cargo.toml"), read("xtask/Cargo.toml"));
    none(&differences(&workspace, &tasks));
    let laxer = tasks.replace("unwrap_used = \"warn\"\n", "").replace("1.95", "1.96");
    let expected = ["the lints of clippy differ", "rust-version differs"];
    let expected = expected.map(|what| format!("{what} between the two workspaces"));
    assert_eq!(differences(&workspace, &laxer), expected);
}
