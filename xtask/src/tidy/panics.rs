//! Every public function of the library is fed hostile arguments, or says why not.
//!
//! `crates/pliant/tests/no_panic/functions.txt` lists the public functions, one a line: its path,
//! then `tested` or `exception:` with a reason. Works on lines as rustfmt leaves them.

use std::collections::BTreeSet;

use super::{file, has_word, none, ours};
use crate::repository::TextFile;

/// Where the library stands.
const LIBRARY: &str = "crates/pliant/src/";

/// Where its functions meet hostile arguments.
const TESTS: &str = "crates/pliant/tests/no_panic/";

/// One module of the library.
struct Module<'a> {
    /// Its name from the root, without that of the crate; empty for the root.
    path: String,
    /// Lines before the unit tests.
    lines: Vec<&'a str>,
}

/// A named item that others may be able to reach.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    module: String,
    name: String,
}

/// All modules of the library outside of tests.
fn modules(files: &[TextFile]) -> Vec<Module<'_>> {
    let mut found = Vec::new();
    for file in files {
        let Some(path) = file.path.strip_prefix(LIBRARY) else { continue };
        let path = path.trim_end_matches(".rs").trim_end_matches("/mod");
        if path.split('/').any(|part| part == "tests") {
            continue;
        }
        let path = if path == "lib" { String::new() } else { path.replace('/', "::") };
        let lines = file.text.lines().take_while(|line| *line != "mod tests {").collect();
        found.push(Module { path, lines });
    }
    found
}

/// The name after a keyword of a public item, as `Csr` in `pub struct Csr<T> {`.
fn public_name<'a>(line: &'a str, keyword: &str) -> Option<&'a str> {
    let rest = line.strip_prefix("pub ")?;
    let rest = rest.strip_prefix("const ").filter(|r| r.starts_with("fn ")).unwrap_or(rest);
    let rest = rest.strip_prefix(keyword)?.strip_prefix(' ')?;
    Some(name_of(rest))
}

/// The name that a text begins with.
fn name_of(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// Two parts of a path with what stands between them.
fn joined(module: &str, name: &str) -> String {
    if module.is_empty() { name.to_owned() } else { [module, "::", name].concat() }
}

/// Modules that every module above declares public.
fn public_modules(modules: &[Module<'_>]) -> BTreeSet<String> {
    let mut found = BTreeSet::from([String::new()]);
    let mut known = 0;
    while known < found.len() {
        known = found.len();
        for module in modules {
            if !found.contains(&module.path) {
                continue;
            }
            let names = module.lines.iter().filter_map(|line| public_name(line, "mod"));
            found.extend(names.map(|name| joined(&module.path, name)));
        }
    }
    found
}

/// What public modules take over from others.
fn exported(modules: &[Module<'_>], public: &BTreeSet<String>) -> BTreeSet<Item> {
    let mut found = BTreeSet::new();
    for module in modules.iter().filter(|module| public.contains(&module.path)) {
        let text = module.lines.join(" ");
        for (start, head) in text.match_indices("pub use ") {
            let path = &text[start + head.len()..];
            let path = &path[..path.find(';').unwrap_or(path.len())];
            let (from, names) = match path.split_once('{') {
                Some((from, names)) => (from.trim_end_matches("::"), names.trim_end_matches('}')),
                None => path.rsplit_once("::").unwrap_or(("", path)),
            };
            let from = match from.strip_prefix("crate::") {
                Some(from) => from.to_owned(),
                None => joined(&module.path, from.trim_start_matches("self::")),
            };
            let names = names.split(',').map(|name| name_of(name.trim()).to_owned());
            found.extend(names.map(|name| Item { module: from.clone(), name }));
        }
    }
    found
}

/// The type that an impl block is about; none for one of a trait.
fn implementing(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("impl")?;
    let rest = match rest.strip_prefix('<') {
        Some(inner) => {
            let mut depth = 1;
            let end = inner.find(|c| {
                depth += i32::from(c == '<') - i32::from(c == '>');
                depth == 0
            })?;
            &inner[end + 1..]
        }
        None => rest,
    };
    let rest = rest.trim_start();
    (!rest.contains(" for ")).then(|| name_of(rest))
}

/// Paths of all public functions: free ones, methods, and those of public traits.
fn public_functions(files: &[TextFile]) -> BTreeSet<String> {
    let modules = modules(files);
    let public = public_modules(&modules);
    let exported = exported(&modules, &public);
    let mut types = BTreeSet::new();
    for module in &modules {
        for line in &module.lines {
            let names = ["struct", "enum", "trait"].map(|keyword| public_name(line, keyword));
            for name in names.into_iter().flatten().map(str::to_owned) {
                let item = Item { module: module.path.clone(), name };
                if public.contains(&module.path) || exported.contains(&item) {
                    types.insert(item);
                }
            }
        }
    }
    let mut found = BTreeSet::new();
    for module in &modules {
        functions_of(module, &types, &mut found);
        let free = module.lines.iter().filter_map(|line| public_name(line, "fn"));
        for name in free.map(str::to_owned) {
            let item = Item { module: module.path.clone(), name };
            if public.contains(&module.path) || exported.contains(&item) {
                found.insert(joined(&item.module, &item.name));
            }
        }
    }
    found
}

/// Public methods in the blocks of one module.
fn functions_of(module: &Module<'_>, types: &BTreeSet<Item>, found: &mut BTreeSet<String>) {
    let mut owner: Option<(&Item, bool)> = None;
    for line in &module.lines {
        let is_trait = line.starts_with("pub trait ");
        if let Some(name) = implementing(line).or_else(|| public_name(line, "trait")) {
            let here = types.iter().find(|t| t.name == name && t.module == module.path);
            // Another type of the same name in this file would be the private one.
            let is_own = module.lines.iter().any(|line| {
                ["struct ", "enum "].iter().any(|keyword| {
                    line.split_once(keyword).is_some_and(|(before, rest)| {
                        name_of(rest) == name && !before.contains("//") && !line.starts_with(' ')
                    })
                })
            });
            let elsewhere = || types.iter().find(|t| t.name == name).filter(|_| !is_own);
            owner = here.or_else(elsewhere).map(|item| (item, is_trait));
        } else if line.starts_with("impl") || *line == "}" {
            owner = None;
        }
        let Some((item, is_trait)) = owner else { continue };
        let Some(inner) = line.strip_prefix("    ") else { continue };
        let name = if is_trait {
            inner.strip_prefix("fn ").map(name_of)
        } else {
            public_name(inner, "fn")
        };
        found.extend(name.map(|name| joined(&joined(&item.module, &item.name), name)));
    }
}

/// What is wrong with the list of functions.
fn complaints(files: &[TextFile]) -> Vec<String> {
    let list = [TESTS, "functions.txt"].concat();
    let listed = files.iter().find(|file| file.path == list).map_or("", |file| &file.text);
    let tests = files.iter().filter(|f| f.path.starts_with(TESTS) && f.path.ends_with(".rs"));
    let tests: String = tests.map(|file| file.text.as_str()).collect();
    let functions = public_functions(files);
    let mut missing = functions.clone();
    let mut said = Vec::new();
    for (index, line) in listed.lines().enumerate().filter(|(_, l)| !l.starts_with('#')) {
        let (path, how) = line.split_once(' ').unwrap_or((line, ""));
        let mut complain = |what: &str| said.push(format!("{list}:{}: {path} {what}", index + 1));
        if !functions.contains(path) {
            complain("is no public function");
        } else if !missing.remove(path) {
            complain("is listed twice");
        }
        let name = path.rsplit("::").next().unwrap_or(path);
        match how.trim() {
            "tested" if !has_word(&tests, name) => complain("occurs in no test"),
            "tested" => {}
            how if how.strip_prefix("exception: ").is_some_and(|why| !why.is_empty()) => {}
            _ => complain("must be `tested` or an `exception: ` with a reason"),
        }
    }
    said.extend(missing.iter().map(|path| format!("{list}: {path} is missing")));
    said
}

#[test]
fn every_public_function_is_fed_hostile_arguments() {
    none(&complaints(&ours(&[".rs", "functions.txt"])));
}

#[test]
fn functions_are_found_where_others_can_reach_them() {
    let library = |path: &str, text: &str| file(&[LIBRARY, path].concat(), text);
    let files = [
        library("lib.rs", "pub mod a;\nmod b;\npub(crate) mod c;\npub use b::{Kept, taken};\n"),
        library("a/mod.rs", "pub mod d;\npub fn f() {}\npub(crate) fn g() {}\nfn h() {}\n"),
        library(
            "a/d.rs",
            "pub struct S;\nimpl<T: A<B>> S<T> {\n    pub fn m() {}\n    fn n() {}\n}\n",
        ),
        library(
            "b.rs",
            "pub struct Kept;\nimpl Kept {\n    pub fn k() {}\n}\npub fn taken() {}\npub fn left() {}\n",
        ),
        library(
            "c.rs",
            "impl S {\n    pub fn p() {}\n}\nimpl X for S {\n    fn q() {}\n}\npub fn r() {}\n",
        ),
        library("a/e.rs", "pub fn s() {}\n"),
        library("a/tests.rs", "pub fn t() {}\n"),
    ];
    let expected = ["a::d::S::m", "a::d::S::p", "a::f", "b::Kept::k", "b::taken"];
    assert_eq!(public_functions(&files).into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn a_function_without_a_line_or_a_reason_is_named() {
    let source = file("crates/pliant/src/lib.rs", "pub fn f() {}\npub fn g() {}\npub fn h() {}\n");
    let list = file(
        "crates/pliant/tests/no_panic/functions.txt",
        "# comment\nf tested\nf exception: waits for the user\ngone tested\ng exception: \n",
    );
    let found = complaints(&[source, list]);
    let ends = [
        ":2: f occurs in no test",
        ":3: f is listed twice",
        ":4: gone is no public function",
        ":4: gone occurs in no test",
        ":5: g must be `tested` or an `exception: ` with a reason",
        ": h is missing",
    ];
    assert_eq!(found.len(), ends.len(), "{found:?}");
    for (found, end) in found.iter().zip(ends) {
        assert!(found.ends_with(end), "{found} {end}");
    }
}
