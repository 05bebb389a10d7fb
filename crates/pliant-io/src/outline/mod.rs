//! Outlines from files: GeoJSON, WKT, plain arrays of rings, and SVG.
//!
//! ```text
//! FILE#name ─▶ bytes ─▶ json | wkt | svg ─▶ Drawing (features, curves) ─▶ assemble ─▶ Outlines
//! ```
//!
//! The format follows from the first character of a file, whatever its name. Inside is even–odd
//! throughout: all rings of all features picked make one outline, in the file's own unit.

use std::io;
use std::path::{Path, PathBuf};

use crate::atomic_file;
use crate::files::{Disk, Entry, Files};
use crate::printable;
use crate::suggest::nearest;

pub mod drawing;

pub mod assemble;

pub mod extent;

mod json;

mod wkt;

mod svg;

use drawing::{Drawing, Feature};

/// First bytes of a file packed by gzip.
const GZIP: &[u8] = &[0x1f, 0x8b];

/// Names listed when one is not found.
const LISTED: usize = 8;

/// Why there is no outline; every message names the file.
#[derive(Debug, thiserror::Error)]
pub enum OutlineFileError {
    /// An I/O error.
    #[error("{}: {}", path.display(), atomic_file::io_message(error))]
    Io {
        /// The file.
        path: PathBuf,
        /// The I/O error.
        error: io::Error,
    },
    /// An error in the file, or nothing of use in it.
    #[error("{}: {}", path.display(), printable::message(what))]
    Fault {
        /// The file.
        path: PathBuf,
        /// Where, what, and what to do.
        what: String,
    },
}

/// A file, read, with the features that were picked.
#[derive(Clone, Debug)]
pub struct Picked {
    /// The argument as it was given: the file, and the feature after `#`.
    pub label: String,
    /// The file.
    pub path: PathBuf,
    /// The features picked, and what was noticed.
    pub drawing: Drawing,
}

/// Reads `FILE`, `FILE#name` or `FILE#3` from the disk.
///
/// A file whose name holds the `#` itself is taken whole. Names go before numbers, which
/// count from 0, and those before other texts of a feature; several features of one name are
/// taken together.
pub fn read(argument: &Path) -> Result<Picked, OutlineFileError> {
    read_from(&Disk, argument)
}

/// The same from anything that holds files.
pub fn read_from(files: &dyn Files, argument: &Path) -> Result<Picked, OutlineFileError> {
    let (path, feature) = split(files, argument);
    let fault = |what: String| OutlineFileError::Fault { path: path.clone(), what };
    let bytes = load(files, &path)?;
    let mut drawing = parse(&bytes).map_err(fault)?;
    if let Some(feature) = feature {
        pick(&mut drawing, &feature).map_err(fault)?;
    }
    Ok(Picked { label: argument.display().to_string(), path: path.clone(), drawing })
}

/// The file and what stands after the first `#` after which no file's name continues.
fn split(files: &dyn Files, argument: &Path) -> (PathBuf, Option<String>) {
    if files.look(argument).is_ok() {
        return (argument.to_path_buf(), None);
    }
    let parts = at_each_hash(argument);
    let there = parts.iter().find(|(path, _)| matches!(files.look(path), Ok(Entry::File(_))));
    match there.or(parts.first()) {
        Some((path, feature)) => (path.clone(), Some(feature.clone())),
        None => (argument.to_path_buf(), None),
    }
}

/// What stands before and after each `#`; a path need not be UTF-8.
#[cfg(unix)]
fn at_each_hash(argument: &Path) -> Vec<(PathBuf, String)> {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let bytes = argument.as_os_str().as_bytes();
    let hashes = (0..bytes.len()).filter(|at| bytes[*at] == b'#');
    let part = |at: usize| {
        let feature = String::from_utf8_lossy(&bytes[at + 1..]).into_owned();
        (PathBuf::from(OsStr::from_bytes(&bytes[..at])), feature)
    };
    hashes.map(part).collect()
}

/// The same where paths are texts.
#[cfg(not(unix))]
fn at_each_hash(argument: &Path) -> Vec<(PathBuf, String)> {
    let text = argument.to_string_lossy();
    let part = |(at, _): (usize, &str)| (PathBuf::from(&text[..at]), text[at + 1..].to_string());
    text.match_indices('#').map(part).collect()
}

fn load(files: &dyn Files, path: &Path) -> Result<Vec<u8>, OutlineFileError> {
    let io = |error| OutlineFileError::Io { path: path.to_path_buf(), error };
    let fault =
        |what: &str| OutlineFileError::Fault { path: path.to_path_buf(), what: what.to_string() };
    match files.look(path).map_err(io)? {
        Entry::File(_) => {}
        Entry::Folder => return Err(io(io::ErrorKind::IsADirectory.into())),
        Entry::Other => return Err(fault("not a regular file")),
    }
    let bytes = files.read(path).map_err(io)?;
    if bytes.is_empty() {
        return Err(fault("the file is 0 bytes long"));
    }
    if bytes.starts_with(GZIP) {
        return Err(fault("the file is packed; unpack it with gunzip first"));
    }
    Ok(bytes)
}

/// The drawing in a file's bytes.
pub fn parse(bytes: &[u8]) -> Result<Drawing, String> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| format!("byte {} is not UTF-8 text", error.valid_up_to()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut drawing = match text.trim_start().bytes().next() {
        Some(b'{' | b'[') => json::parse(text),
        Some(b'<') => svg::parse(text),
        Some(letter) if letter.is_ascii_alphabetic() => wkt::parse(text),
        Some(_) => Err("neither GeoJSON, SVG, WKT nor an array of rings".to_string()),
        None => Err("the file holds white space only".to_string()),
    }?;
    for notice in &mut drawing.notices {
        // They name elements and features, which may have any name.
        *notice = printable::message(notice).into_owned();
    }
    Ok(drawing)
}

/// Keeps the features of a name, or the one of a number.
fn pick(drawing: &mut Drawing, wanted: &str) -> Result<(), String> {
    let named = |feature: &Feature| feature.names.iter().any(|name| name == wanted);
    let other = |feature: &Feature| feature.others.iter().any(|name| name == wanted);
    let all = |test: &dyn Fn(&Feature) -> bool| -> Vec<usize> {
        (0..drawing.features.len()).filter(|&k| test(&drawing.features[k])).collect()
    };
    let number = wanted.parse::<usize>().ok().filter(|&number| number < drawing.features.len());
    let kept = [all(&named), number.into_iter().collect(), all(&other)]
        .into_iter()
        .find(|found| !found.is_empty())
        .ok_or_else(|| unknown(&drawing.features, wanted))?;
    if kept.len() > 1 {
        let count = kept.len();
        drawing.notices.push(format!("{count} features are called “{wanted}”: all are taken"));
    }
    let mut index = 0;
    drawing.features.retain(|_| {
        index += 1;
        kept.binary_search(&(index - 1)).is_ok()
    });
    Ok(())
}

fn unknown(features: &[Feature], wanted: &str) -> String {
    let names = || features.iter().flat_map(|feature| &feature.names).map(String::as_str);
    let hint = match nearest(wanted, names()) {
        Some(near) => format!("did you mean “{near}”?"),
        None if names().next().is_none() => {
            format!(
                "its features have no names; pick by number, 0 to {}",
                features.len().max(1) - 1
            )
        }
        None => {
            let first: Vec<&str> = names().take(LISTED).collect();
            let rest = if names().nth(LISTED).is_some() { ", …" } else { "" };
            format!("there are {}{rest}", first.join(", "))
        }
    };
    format!("no feature is called “{wanted}”; {hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = r#"{"type":"FeatureCollection","features":[
        {"type":"Feature","properties":{"name":"Norway","iso":"NOR","rank":"1"},"geometry":
          {"type":"Polygon","coordinates":[[[0,0],[1,0],[0,1],[0,0]]]}},
        {"type":"Feature","id":7,"properties":{"NAME":"Sweden"},"geometry":
          {"type":"Polygon","coordinates":[[[5,0],[6,0],[5,1],[5,0]]]}}]}"#;

    #[track_caller]
    fn picked(name: &str) -> Result<f64, String> {
        let mut drawing = parse(MAP.as_bytes()).unwrap();
        pick(&mut drawing, name)?;
        assert_eq!(drawing.features.len(), 1);
        Ok(drawing.features[0].paths[0].start.x)
    }

    #[test]
    fn features_are_picked_by_name_number_or_another_property() {
        assert_eq!(picked("Norway"), Ok(0.0));
        assert_eq!(picked("Sweden"), Ok(5.0));
        assert_eq!(picked("7"), Ok(5.0)); // the identifier goes before the number
        assert_eq!(picked("1"), Ok(5.0));
        assert_eq!(picked("0"), Ok(0.0));
        assert_eq!(picked("NOR"), Ok(0.0));
    }

    #[test]
    fn an_unknown_name_brings_the_nearest() {
        assert_eq!(
            picked("Norwey"),
            Err("no feature is called “Norwey”; did you mean “Norway”?".to_string())
        );
        let reported = picked("Atlantis").unwrap_err();
        assert_eq!(reported, "no feature is called “Atlantis”; there are Norway, Sweden, 7");
        assert!(picked("2").is_err());
        assert!(picked("").is_err());
    }

    #[test]
    fn what_is_no_outline_is_named() {
        for (text, expected) in [
            ("  \n", "white space"),
            ("\u{1}", "neither"),
            ("{", "line 1"),
            ("<svg", "SVG"),
            ("hello", "HELLO"),
        ] {
            let reported = parse(text.as_bytes()).unwrap_err();
            assert!(reported.contains(expected), "{reported}");
        }
        assert_eq!(parse(b"[\xff]").unwrap_err(), "byte 1 is not UTF-8 text");
    }

    #[test]
    fn messages_quote_neither_control_characters_nor_whole_files() {
        let refused = |text: String| {
            let path = PathBuf::from("a");
            let files = crate::files::Memory { files: vec![(path.clone(), text.into_bytes())] };
            read_from(&files, &path).unwrap_err().to_string()
        };
        for text in ["<svg\u{1b}/>", "POLYGON \u{1b}(1 1)", "POLYGON((0 0\0"] {
            let reported = refused(text.to_string());
            assert!(!reported.contains(char::is_control), "{reported:?}");
        }
        assert!(refused("A".repeat(1_000_000)).len() < 3000);
        let named = format!("<svg><{0}/><rect width='1' height='1'/></svg>", "a".repeat(1_000_000));
        assert!(parse(named.as_bytes()).unwrap().notices[0].len() < 3000);
    }

    #[test]
    fn damaged_files_are_refused_and_never_panic() {
        let svg = "<svg xmlns='http://www.w3.org/2000/svg'><g transform='rotate(3 1 2)'>\
                   <path d='M0 0c1 1 2,2 3-3a1 1 0 01.5.5zm1 1h3v3z'/><rect width='3mm' \
                   height='2' rx='.5'/></g></svg>";
        let wkt = "MULTIPOLYGON(((0 0,1 0,0 1,0 0)),((5 5,6 5,5 6,5 5)))";
        for text in [MAP, svg, wkt] {
            assert!(parse(text.as_bytes()).is_ok());
            for end in 0..text.len() {
                let _ = parse(&text.as_bytes()[..end]);
                let mut damaged = text.as_bytes().to_vec();
                damaged[end] = 32 + damaged[end].wrapping_mul(7) % 95;
                let _ = parse(&damaged);
            }
        }
    }
}
