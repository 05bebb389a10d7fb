//! What `pliant papers` lists: the documents' methods with command, function and test.
//!
//! Made from the same tags as the book's page, and kept in the program's source as a table of
//! tabs, so that the program has it without the repository. A method names the command that
//! runs it, by the file that it is in, and a test: the one that its tag names, or else the
//! first that names its item.

use crate::citation::references;
use crate::papers::{Row, rows};
use crate::repository::{TextFile, files};
use std::fs;
use std::io;
use std::path::Path;

/// The table, from the root.
pub const TABLE: &str = "crates/pliant-cli/src/papers.tsv";

/// What runs the code of a file or folder; of several that fit, the longest name counts.
/// Without a command only tests do.
const RUNS: &[(&str, &str)] = &[
    ("crates/pliant/src/depth/", "pliant depth A B"),
    ("crates/pliant/src/depth/nearest.rs", "pliant depth --method closest A B"),
    ("crates/pliant/src/detect/", "pliant depth A B"),
    ("crates/pliant/src/mesh/ray.rs", "pliant depth A B"),
    ("crates/pliant/src/mesh/generate/stuffing/", "pliant mesh SURFACE -o TETS --size H"),
    ("crates/pliant/src/body/obstacle/", "pliant run jelly"),
    ("crates/pliant/src/body/rigid/", "pliant run dice"),
    ("crates/pliant/src/contact/friction.rs", "pliant run incline"),
    ("crates/pliant/src/force/elastic/", "pliant run block"),
    ("crates/pliant/src/force/elastic/corotational.rs", "pliant run two-cubes"),
    ("crates/pliant/src/force/gravity.rs", "pliant run block"),
    ("crates/pliant/src/force/solid/", "pliant run jelly-drop"),
    ("crates/pliant/src/force/spring.rs", "pliant run integrators"),
    ("crates/pliant/src/integrate/", "pliant run integrators"),
    ("crates/pliant/src/integrate/constraint.rs", "pliant run curtain"),
    (
        "crates/pliant/src/integrate/euler.rs",
        "pliant run integrators --set integrator.kind=symplectic-euler",
    ),
    (
        "crates/pliant/src/integrate/free_motion/",
        "pliant run dice --set integrator.free_motion=plain",
    ),
    (
        "crates/pliant/src/integrate/implicit/",
        "pliant run integrators --set integrator.kind=implicit-euler",
    ),
    (
        "crates/pliant/src/integrate/midpoint.rs",
        "pliant run integrators --set integrator.kind=midpoint",
    ),
    ("crates/pliant/src/integrate/pbd.rs", "pliant run curtain"),
    ("crates/pliant/src/integrate/rk4.rs", "pliant run integrators --set integrator.kind=rk4"),
    (
        "crates/pliant/src/integrate/verlet.rs",
        "pliant run integrators --set integrator.kind=verlet",
    ),
    ("crates/pliant/src/integrate/shape_matching/", "pliant run jelly"),
    ("crates/pliant/src/math/polar/direct.rs", "pliant run jelly --set integrator.polar=direct"),
    (
        "crates/pliant/src/math/polar/warm.rs",
        "pliant run jelly --set integrator.polar=warm-start --set integrator.matching=after-step",
    ),
    ("crates/pliant/src/solve/joint/", "pliant run joints"),
    ("crates/pliant/src/solve/", "pliant run two-cubes"),
    ("crates/pliant/src/step.rs", "pliant run two-cubes"),
    ("crates/pliant-papers/src/bodies/mod.rs", "pliant run two-cubes --set response=penalty"),
    (
        "crates/pliant-papers/src/bodies/barrier.rs",
        "pliant run two-cubes --set response=barrier --set overlap=-0.1",
    ),
    ("crates/pliant-papers/src/bodies/buffer.rs", "pliant run two-cubes --set response=buffer"),
    ("crates/pliant-papers/src/bodies/impulse.rs", "pliant run two-cubes --set response=impulse"),
    ("crates/pliant-papers/src/rigid/", AVERAGE),
    ("crates/pliant-papers/src/impulse.rs", IMPULSE),
    ("crates/pliant-papers/src/barrier.rs", BARRIER),
    ("crates/pliant-papers/src/penalty.rs", "pliant run jelly-drop"),
    ("crates/pliant-papers/src/surface/", "pliant run two-cubes --set response=surface"),
    ("crates/pliant-plane/src/", "pliant proximity --backend cpu A B"),
    ("crates/pliant-plane/src/raster/", "pliant proximity --method volume-volume A B"),
    ("crates/pliant-plane/src/raster/draw.rs", "pliant proximity --method boundary-boundary A B"),
    ("crates/pliant-plane/src/localize.rs", "pliant proximity --method localised A B"),
    ("crates/pliant-plane/src/field/mesh.rs", "pliant proximity --method cones-and-tents A B"),
    ("crates/pliant-gpu/src/overlap/", "pliant proximity --method all --backend gpu A B"),
    ("crates/pliant-gpu/src/field/", "pliant proximity --method cones-and-tents --backend gpu A B"),
    ("crates/pliant-gpu/src/query/", "pliant proximity --backend gpu A B"),
    ("crates/pliant-plane/src/response/impulse.rs", "pliant run cars"),
    ("crates/pliant-plane/src/response/penalty.rs", "pliant run map"),
];

/// Obstacles that give rigid bodies one impulse each.
const AVERAGE: &str = "pliant run dice --set obstacles.0.response.kind=average-impulse";

/// An obstacle that corrects vertices after each step.
const IMPULSE: &str = "pliant run jelly-drop --set \"obstacles.0.response={kind='impulse'}\"";

/// An obstacle that is never touched.
const BARRIER: &str = "pliant run jelly-drop --set integrator.max_halvings=30 --set \
                       \"obstacles.0.response={kind='barrier',strength=0.1,reach=0.1}\"";

/// A test function.
struct Test<'a> {
    /// File, from the root.
    path: String,
    name: &'a str,
    /// Its lines.
    body: &'a str,
}

/// Writes the table anew.
pub fn write(root: &Path) -> io::Result<()> {
    fs::write(root.join(TABLE), table(root)?)
}

/// The table as it should stand.
///
/// First `#`, key and entry of every source that is cited; then a line for each tag: key,
/// place, kind, what, file, item, command and test.
pub fn table(root: &Path) -> io::Result<String> {
    let sources = files(&root.join("crates"), &[".rs"])?;
    let known = references(&fs::read_to_string(root.join("REFERENCES.md"))?);
    let rows = rows(&sources);
    let tests = tests(&sources);
    let mut text = String::new();
    for reference in &known {
        let mut own: Vec<&Row> = rows.iter().filter(|row| row.key == reference.key).collect();
        if own.is_empty() {
            continue;
        }
        crate::papers::sort(&mut own);
        text += &format!("#\t{}\t{}\n", reference.key, flat(&reference.entry));
        for row in own {
            let (path, item) = split(&row.code);
            let (run, test) = (run(&path), test(row, &path, &item, &tests));
            let what = flat(&row.what.replace("\\|", "|"));
            let cells = [&row.key, &row.place, row.kind, &what, &path, &item, run, &test];
            text += &(cells.join("\t") + "\n");
        }
    }
    Ok(text)
}

/// A text without line breaks and tabs.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// File and item of a row's code, which is Markdown.
fn split(code: &str) -> (String, String) {
    let mut parts = code.split('`').filter(|part| !part.is_empty() && *part != ": ");
    let mut next = || parts.next().unwrap_or_default().to_owned();
    (next(), next())
}

/// The command that runs a file; empty where only tests do.
fn run(path: &str) -> &'static str {
    let fits = RUNS.iter().filter(|(prefix, _)| path.starts_with(prefix));
    fits.max_by_key(|(prefix, _)| prefix.len()).map_or("", |(_, command)| command)
}

/// All test functions.
fn tests(sources: &[TextFile]) -> Vec<Test<'_>> {
    let mut found = Vec::new();
    for file in sources {
        let mut rest = file.text.as_str();
        while let Some(at) = rest.find("#[test]") {
            rest = &rest[at + "#[test]".len()..];
            let body = &rest[..rest.find("#[test]").unwrap_or(rest.len())];
            let Some((_, head)) = body.split_once("fn ") else { continue };
            let name = head.split(|c: char| !(c.is_alphanumeric() || c == '_')).next();
            let path = format!("crates/{}", file.path);
            found.extend(name.map(|name| Test { path, name, body }));
        }
    }
    found
}

/// The test that a tag names, or the nearest one that names its item; empty without any.
fn test(row: &Row, path: &str, item: &str, tests: &[Test<'_>]) -> String {
    let quoted = || row.what.split('`').skip(1).step_by(2);
    if let Some(named) = quoted().find_map(|name| tests.iter().find(|test| test.name == name)) {
        return named.name.to_owned();
    }
    let name = item.rsplit(['.', ':']).next().unwrap_or_default();
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let package = path.split('/').take(2).collect::<Vec<_>>().join("/") + "/";
    let is_word = |body: &str| {
        let edge = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        !name.is_empty()
            && body.match_indices(name).any(|(at, _)| {
                edge(body[..at].chars().next_back()) && edge(body[at + name.len()..].chars().next())
            })
    };
    let same_file = || tests.iter().filter(|test| test.path == path);
    let beside = tests.iter().filter(|test| {
        test.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with("/tests"))
    });
    let found = (same_file().find(|test| is_word(test.body)))
        .or_else(|| beside.clone().find(|test| is_word(test.body)))
        .or_else(|| tests.iter().find(|t| t.path.starts_with(&package) && is_word(t.body)))
        .or_else(|| same_file().next())
        .or_else(|| beside.clone().next())
        .or_else(|| tests.iter().find(|test| is_word(test.body)))
        .or_else(|| nearest_test(path, tests));
    found.map(|test| test.name.to_owned()).unwrap_or_default()
}

/// The first test of the files whose paths have most in common with a path.
fn nearest_test<'a>(path: &str, tests: &'a [Test<'a>]) -> Option<&'a Test<'a>> {
    let common = |test: &Test<'_>| {
        let same = path.split('/').zip(test.path.split('/')).take_while(|(p, q)| p == q).count();
        let folder = path.rsplit('/').nth(1).unwrap_or_default();
        (same, test.path.ends_with(&format!("/{folder}.rs")))
    };
    let best = tests.iter().map(common).max()?;
    tests.iter().find(|test| common(test) == best)
}

#[cfg(test)]
mod tests_of_methods {
    use super::*;
    use crate::repository::root;

    #[test]
    fn the_table_of_the_program_is_up_to_date() {
        if std::env::var_os("PLIANT_BLESS").is_some() {
            write(&root()).unwrap();
        }
        let stands = fs::read_to_string(root().join(TABLE)).unwrap_or_default();
        let fresh = stands.replace("\r\n", "\n") == table(&root()).unwrap();
        assert!(fresh, "{TABLE} is out of date: run `cargo xtask bless` and commit the table");
    }

    #[test]
    fn every_command_names_a_scene_that_exists_and_a_file_with_a_method() {
        let table = table(&root()).unwrap();
        let cells: Vec<Vec<&str>> = table.lines().map(|line| line.split('\t').collect()).collect();
        for (prefix, command) in RUNS {
            let used = cells.iter().any(|row| row.len() > 7 && row[4].starts_with(prefix));
            assert!(used, "nothing in {prefix} is tagged");
            let mut words = command.split(' ').skip(1);
            if words.next() == Some("run") {
                let scene = words.next().unwrap();
                assert!(root().join(format!("scenes/{scene}.toml")).is_file(), "{command}");
            }
        }
    }

    #[test]
    fn a_method_names_its_command_its_item_and_a_test() {
        let text = "/// Adds.\n///\n/// - Implements: [Some04 eq. 1].\n/// - Erratum: wrong, `shows_it`.\n\
                    pub fn add() {}\n#[test]\nfn other() {}\n#[test]\nfn adds_up() { add(); }\n#[test]\nfn shows_it() {}\n";
        let file = TextFile { path: "pliant/src/depth/nearest.rs".into(), text: text.into() };
        let sources = [file];
        let (rows, tests) = (rows(&sources), tests(&sources));
        let (path, item) = split(&rows[0].code);
        assert_eq!((path.as_str(), item.as_str()), ("crates/pliant/src/depth/nearest.rs", "add"));
        assert_eq!(test(&rows[0], &path, &item, &tests), "adds_up");
        assert_eq!(test(&rows[1], &path, &item, &tests), "shows_it");
        assert_eq!(run(&path), "pliant depth --method closest A B");
        assert_eq!(run("crates/pliant-io/src/lib.rs"), "");
    }
}
