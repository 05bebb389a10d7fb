//! VegaFEM files, as text: sections that begin with `*`.
//!
//! `*VERTICES` and `*ELEMENTS` hold what TetGen's `.node` and `.ele` files hold;
//! `*INCLUDE name` stands for the lines of another file. Numbers may be separated by
//! commas. A region gives the elements of a set a material; materials are numbered
//! from 0 as they appear, and a later region wins over an earlier one.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::mesh::parse::lines::{Lines, Run};
use crate::mesh::parse::tetgen::{self, Nodes};
use crate::mesh::parse::text::{quote, to_i64};
use crate::mesh::parse::{Fault, ParseError, Parsed, encoding};
use pliant::mesh::raw::RawMesh;

/// Files that may include each other in a chain, the first not counted.
const MAX_DEPTH: usize = 8;

/// Includes of all files together; files that include themselves stop here.
const MAX_INCLUDES: usize = 64;

/// The set that holds all elements without being written down.
const ALL: &[u8] = b"allElements";

/// One of the files that make up the mesh.
struct Source<'a> {
    /// Name as the including file writes it; none for the first.
    name: Option<String>,
    /// The whole file.
    bytes: Cow<'a, [u8]>,
}

/// Lines of one source.
struct Piece {
    /// Position among the sources.
    source: usize,
    /// Bytes of the source, whole lines.
    range: Range<usize>,
}

/// Elements that are named together.
#[derive(Default)]
struct Set {
    /// Positions in the list of tets.
    tets: Vec<u32>,
    /// Whether a region has been given to them.
    taken: bool,
}

/// A region as the file states it.
struct Region<'a> {
    /// Name of the set.
    set: &'a [u8],
    /// Name of the material.
    material: &'a [u8],
    /// Where it is stated; a place is costly to name, and only an error needs it.
    lines: Lines<'a>,
}

/// The section whose rows are being read.
enum Inside<'a> {
    /// None: a new section has to begin.
    Nothing,
    /// A material, whose values are passed over.
    Material,
    /// The set of this name.
    Set(&'a [u8]),
}

/// What the sections hold, while they are read.
#[derive(Default)]
struct Sections<'a> {
    /// Vertices, once read.
    nodes: Option<Nodes>,
    /// Number of the first element, once the elements are read.
    first: Option<i64>,
    /// Tets and their regions, without the vertices.
    mesh: RawMesh,
    /// Position of each material among the materials, by name.
    materials: BTreeMap<&'a [u8], u32>,
    /// Sets by name.
    sets: BTreeMap<&'a [u8], Set>,
    /// In file order.
    regions: Vec<Region<'a>>,
}

/// Reads a VegaFEM file; `include` gives the bytes of a file that it names.
///
/// Where `include` gives nothing, the error names the line and the file. Tets of no
/// region have region 0; a notice counts them if others have one.
pub fn parse(bytes: &[u8], include: &mut dyn FnMut(&str) -> Option<Vec<u8>>) -> Parsed<RawMesh> {
    let (sources, pieces) = gather(bytes, include)?;
    let run = |piece: &Piece| sources[piece.source].run(piece.range.clone());
    let runs: Vec<Run> = pieces.iter().map(run).collect();
    let mut lines = Lines::new(&runs, Some(b','));
    let mut sections = Sections::default();
    let mut inside = Inside::Nothing;
    while lines.advance() {
        let word = lines.clone().word().unwrap_or_default();
        if word.eq_ignore_ascii_case(b"*END") {
            break;
        }
        inside = match word.starts_with(b"*") {
            true => sections.begin(&mut lines)?,
            false => sections.row(&mut lines, inside)?,
        };
    }
    sections.finish(&lines)
}

/// Reads all included files; gives them and their lines in reading order.
fn gather<'a>(
    bytes: &'a [u8],
    include: &mut dyn FnMut(&str) -> Option<Vec<u8>>,
) -> Parsed<(Vec<Source<'a>>, Vec<Piece>)> {
    let mut sources = vec![Source { name: None, bytes: encoding::plain(bytes) }];
    let mut pieces = Vec::new();
    let mut open = vec![(0, 0)];
    while let Some((source, start)) = open.pop() {
        let Some((line, name)) = next_include(&sources[source], start)? else {
            pieces.push(Piece { source, range: start..sources[source].bytes.len() });
            continue;
        };
        pieces.push(Piece { source, range: start..line.start });
        let fault = |why: String| sources[source].fault(line.start, why);
        if open.len() >= MAX_DEPTH {
            return Err(fault(format!("files include each other more than {MAX_DEPTH} deep")));
        }
        if sources.len() > MAX_INCLUDES {
            return Err(fault(format!("more than {MAX_INCLUDES} files are included")));
        }
        let included = include(&name).ok_or_else(|| {
            fault(format!("the included file `{}` cannot be read", quote(name.as_bytes())))
        })?;
        open.push((source, line.end));
        open.push((sources.len(), 0));
        let bytes = Cow::Owned(encoding::plain(&included).into_owned());
        sources.push(Source { name: Some(name), bytes });
    }
    Ok((sources, pieces))
}

/// The next line that includes a file, at or after `start`, and the file's name.
fn next_include(source: &Source, start: usize) -> Parsed<Option<(Range<usize>, String)>> {
    let mut at = start;
    for line in source.bytes[start..].split_inclusive(|&b| b == b'\n') {
        let range = at..at + line.len();
        at = range.end;
        let mut words = line.trim_ascii().splitn(2, u8::is_ascii_whitespace);
        if !words.next().is_some_and(|word| word.eq_ignore_ascii_case(b"*INCLUDE")) {
            continue;
        }
        let name = words.next().unwrap_or_default();
        let name = name.split(|&b| b == b'#').next().unwrap_or_default().trim_ascii();
        let name = std::str::from_utf8(name).unwrap_or_default();
        if name.is_empty() {
            let why = "*INCLUDE has to name a file, in UTF-8".to_string();
            return Err(source.fault(range.start, why));
        }
        return Ok(Some((range, name.to_string())));
    }
    Ok(None)
}

impl Source<'_> {
    /// Some lines of the file.
    fn run(&self, range: Range<usize>) -> Run<'_> {
        Run::part(self.name.as_deref(), &self.bytes, range)
    }

    /// An error on the line that begins at a byte.
    fn fault(&self, start: usize, why: String) -> ParseError {
        let whole = self.run(0..self.bytes.len());
        ParseError::new(whole.place(start + 1), Fault::Invalid(why))
    }
}

impl<'a> Sections<'a> {
    /// Begins the section whose keyword stands next; reads those of a known length.
    fn begin(&mut self, lines: &mut Lines<'a>) -> Parsed<Inside<'a>> {
        let keyword = lines.word().unwrap_or_default();
        let name = lines.rest();
        match keyword.to_ascii_uppercase().as_slice() {
            b"*VERTICES" => self.vertices(lines)?,
            b"*ELEMENTS" => self.elements(lines)?,
            b"*REGION" => self.region(lines)?,
            b"*MATERIAL" => {
                let number = self.materials.len() as u32;
                if self.materials.insert(name, number).is_some() {
                    return Err(lines.invalid(format!("material `{}` comes twice", quote(name))));
                }
                return Ok(Inside::Material);
            }
            b"*SET" => {
                if self.first.is_none() {
                    return Err(lines.invalid("*SET comes before *ELEMENTS"));
                }
                // A file may write the set of all elements down.
                if self.sets.insert(name, Set::default()).is_some() && name != ALL {
                    return Err(lines.invalid(format!("set `{}` comes twice", quote(name))));
                }
                return Ok(Inside::Set(name));
            }
            _ => return Err(lines.unexpected("a section of a VegaFEM file", keyword)),
        }
        Ok(Inside::Nothing)
    }

    /// Reads a row of a section whose length is not announced.
    fn row(&mut self, lines: &mut Lines<'a>, inside: Inside<'a>) -> Parsed<Inside<'a>> {
        match inside {
            Inside::Nothing => {
                let word = lines.word().unwrap_or_default();
                return Err(lines.unexpected("a section such as `*ELEMENTS`", word));
            }
            Inside::Material => {}
            Inside::Set(name) => {
                let (count, first) = (self.mesh.tets.len() as i64, self.first.unwrap_or(0));
                let set = self.sets.entry(name).or_default();
                while let Some(word) = lines.word() {
                    let number = to_i64(word)
                        .ok_or_else(|| lines.unexpected("the number of an element", word))?;
                    if number < first || number - first >= count {
                        let why = format!("element {number} does not exist, the file has {count}");
                        return Err(lines.invalid(why));
                    }
                    set.tets.push((number - first) as u32);
                }
            }
        }
        Ok(inside)
    }

    fn vertices(&mut self, lines: &mut Lines<'a>) -> Parsed<()> {
        if self.nodes.is_some() {
            return Err(lines.invalid("*VERTICES comes twice"));
        }
        self.nodes = Some(tetgen::nodes(lines)?);
        Ok(())
    }

    fn elements(&mut self, lines: &mut Lines<'a>) -> Parsed<()> {
        if self.first.is_some() {
            return Err(lines.invalid("*ELEMENTS comes twice"));
        }
        let Some(nodes) = &self.nodes else {
            return Err(lines.invalid("*ELEMENTS comes before *VERTICES"));
        };
        lines.need(|| "the kind of the elements".to_string())?;
        let kind = lines.word().unwrap_or_default();
        if kind.eq_ignore_ascii_case(b"CUBIC") {
            let why = "the elements are cubes (CUBIC), only tets (TET) are read".to_string();
            return Err(lines.fault(Fault::Unsupported(why)));
        }
        if !kind.eq_ignore_ascii_case(b"TET") && !kind.eq_ignore_ascii_case(b"TETS") {
            return Err(lines.unexpected("the kind of the elements, `TET`", kind));
        }
        self.first = Some(tetgen::elements(lines, nodes, &mut self.mesh)?);
        let tets = (0..self.mesh.tets.len() as u32).collect();
        self.sets.insert(ALL, Set { tets, taken: false });
        Ok(())
    }

    fn region(&mut self, lines: &mut Lines<'a>) -> Parsed<()> {
        lines.need(|| "a set and its material".to_string())?;
        let names = lines.rest();
        let Some(comma) = names.iter().position(|&b| b == b',') else {
            return Err(lines.unexpected("a set and its material, parted by a comma", names));
        };
        let (set, material) = (names[..comma].trim_ascii(), names[comma + 1..].trim_ascii());
        self.regions.push(Region { set, material, lines: lines.clone() });
        Ok(())
    }

    fn finish(mut self, lines: &Lines) -> Parsed<RawMesh> {
        let lacking = |section: &str| {
            let wanted = format!("the section {section}");
            lines.fault(Fault::Truncated { wanted })
        };
        let nodes = self.nodes.take().ok_or_else(|| lacking("*VERTICES"))?;
        self.first.ok_or_else(|| lacking("*ELEMENTS"))?;
        self.mesh.positions = nodes.into_positions();
        if !self.regions.is_empty() {
            self.assign()?;
        }
        Ok(self.mesh)
    }

    /// Gives each tet the material of the last region that holds it.
    fn assign(&mut self) -> Parsed<()> {
        let mut found: Vec<Option<u32>> = vec![None; self.mesh.tets.len()];
        // From the last region back, so that each set is walked once, however many
        // regions name it.
        for region in self.regions.iter().rev() {
            let unknown = |what: &str, name: &[u8]| {
                region.lines.invalid(format!("the {what} `{}` is not in the file", quote(name)))
            };
            let set = self.sets.get_mut(region.set).ok_or_else(|| unknown("set", region.set))?;
            let material = self.materials.get(region.material);
            let &material = material.ok_or_else(|| unknown("material", region.material))?;
            if std::mem::replace(&mut set.taken, true) {
                continue;
            }
            for &tet in &set.tets {
                found[tet as usize].get_or_insert(material);
            }
        }
        let without = found.iter().filter(|region| region.is_none()).count();
        if without > 0 && without < found.len() {
            let count = found.len();
            let notice = format!("{without} of {count} tets are in no region; theirs is 0");
            self.mesh.notices.push(notice);
        }
        self.mesh.regions = found.into_iter().map(|region| region.unwrap_or(0)).collect();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::parse::damage::check_damaged;
    use pliant::id::VertexId;
    use pliant::math::Vec3;

    const TWO_TETS: &str = "# by hand\n\n*VERTICES\n5 3 0 0\n\
        1 0 0 0\n2, 1, 0, 0\n3 0 1 0 # a remark\n4 0 0 1\n5 1 1 1\n\n\
        *Elements\nTET\n2 4 0\n1 1 2 3 4\n2, 2, 3, 4, 5\n\n\
        *MATERIAL soft\nENU, 1000, 1e6, 0.45\n\n*MATERIAL hard\nENU, 1000, 1e9, 0.45\n\n\
        *SET upper\n2,\n\n*REGION\nallElements, soft\n\n*REGION\nupper, hard\n";

    /// Reads a file whose includes come from a list of names and contents.
    fn read(file: &str, others: &[(&str, &str)]) -> Parsed<RawMesh> {
        parse(file.as_bytes(), &mut |name| {
            let found = others.iter().find(|other| other.0 == name);
            found.map(|other| other.1.as_bytes().to_vec())
        })
    }

    /// The error after `from` has been replaced by `to` in a good file.
    #[track_caller]
    fn check_fault(from: &str, to: &str, expected: &str) {
        assert!(TWO_TETS.contains(from));
        let error = read(&TWO_TETS.replacen(from, to, 1), &[]).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn a_file_is_read_as_written() {
        let mesh = read(TWO_TETS, &[]).unwrap();
        assert_eq!(mesh.positions.len(), 5);
        assert_eq!(mesh.positions[4], Vec3::ONE);
        assert_eq!(mesh.tets, [[0, 1, 2, 3].map(VertexId), [1, 2, 3, 4].map(VertexId)]);
        assert_eq!(mesh.regions, [0, 1]);
        assert!(mesh.triangles.is_empty() && mesh.notices.is_empty());
    }

    #[test]
    fn the_last_region_wins_and_tets_of_none_are_counted() {
        let swapped = TWO_TETS.replace("allElements, soft", "x, x");
        let swapped = swapped.replace("upper, hard", "allElements, soft");
        let mesh = read(&swapped.replace("x, x", "upper, hard"), &[]).unwrap();
        assert_eq!(mesh.regions, [0, 0]);
        let mesh = read(&TWO_TETS.replace("allElements, soft", "upper, soft"), &[]).unwrap();
        assert_eq!(mesh.regions, [0, 1]);
        assert_eq!(mesh.notices, ["1 of 2 tets are in no region; theirs is 0"]);
    }

    #[test]
    fn sections_may_be_few_and_numbers_start_at_zero() {
        let file = "*vertices\r\n4 3\r\n0 0 0 0\r\n1 1 0 0\r\n2 0 1 0\r\n3 0 nan 1\r\n\
            *elements\r\ntets\r\n1 4\r\n0 0 1 2 3\r\n*end\r\nanything";
        let mesh = read(file, &[]).unwrap();
        assert_eq!(mesh.tets, [[0, 1, 2, 3].map(VertexId)]);
        assert_eq!((mesh.regions, mesh.notices), (vec![0], vec![]));
        assert!(mesh.positions[3].y.is_nan());
    }

    #[test]
    fn included_files_stand_for_their_lines() {
        let start = TWO_TETS.find("5 3 0 0").unwrap();
        let end = TWO_TETS.find("\n*Elements").unwrap();
        let file = TWO_TETS.replace(&TWO_TETS[start..end], "*include my mesh.node # remark\n");
        let nodes = TWO_TETS[start..end].trim_end();
        let mesh = read(&file, &[("my mesh.node", nodes)]);
        assert_eq!(mesh, read(TWO_TETS, &[]));
        let listed = TWO_TETS.replace("\n2,\n", "\n*INCLUDE list\n");
        assert_eq!(read(&listed, &[("list", "2")]), read(TWO_TETS, &[]));
        let error = read(&file, &[]).unwrap_err().to_string();
        assert_eq!(error, "line 4: the included file `my mesh.node` cannot be read");
        let error = read(&file, &[("my mesh.node", &nodes.replace("\n4 0 0 1", "\n4 0 0 x"))]);
        let expected = "line 5 of my mesh.node: expected a number for z, found `x`";
        assert_eq!(error.unwrap_err().to_string(), expected);
        let error = read(&file, &[("my mesh.node", "*INCLUDE b"), ("b", "\n*INCLUDE c")]);
        let expected = "line 2 of b: the included file `c` cannot be read";
        assert_eq!(error.unwrap_err().to_string(), expected);
    }

    #[test]
    fn endless_includes_come_to_an_end() {
        let error = read("*INCLUDE a", &[("a", "*INCLUDE a\n*INCLUDE a")]).unwrap_err();
        let expected = "line 1 of a: files include each other more than 8 deep";
        assert_eq!(error.to_string(), expected);
        let chain: Vec<(String, String)> =
            (0..8).map(|i| (i.to_string(), format!("*INCLUDE {}\n", i + 1))).collect();
        let mut others: Vec<(&str, &str)> =
            chain.iter().map(|(name, file)| (name.as_str(), file.as_str())).collect();
        others.push(("8", TWO_TETS));
        assert!(read("*INCLUDE 1", &others).is_ok());
        assert!(read("*INCLUDE 0", &others).is_err());
        let error = read(&"*INCLUDE a\n".repeat(65), &[("a", "")]).unwrap_err();
        assert_eq!(error.to_string(), "line 65: more than 64 files are included");
        let error = read("\n*INCLUDE\n", &[]).unwrap_err();
        assert_eq!(error.to_string(), "line 2: *INCLUDE has to name a file, in UTF-8");
    }

    #[test]
    fn faults_name_their_line() {
        let all = TWO_TETS;
        check_fault(all, "", "line 1: the file ends where the section *VERTICES should be");
        check_fault(
            "*VERTICES",
            "*NODES",
            "line 3: expected a section of a VegaFEM file, found `*NODES`",
        );
        check_fault("*VERTICES", "5", "line 3: expected a section such as `*ELEMENTS`, found `5`");
        check_fault("3 0 1 0", "4 0 1 0", "line 7: node 4 stands where node 3 should be");
        check_fault(
            "5 3 0 0",
            "6 3 0 0",
            "line 11: expected the number of the row, found `*Elements`",
        );
        check_fault(
            "5 3 0 0",
            "4 3 0 0",
            "line 9: expected a section such as `*ELEMENTS`, found `5`",
        );
        check_fault(
            "TET\n",
            "CUBIC\n",
            "line 12: the elements are cubes (CUBIC), only tets (TET) are read",
        );
        check_fault(
            "TET\n",
            "TRI\n",
            "line 12: expected the kind of the elements, `TET`, found `TRI`",
        );
        check_fault(
            "2, 2, 3, 4, 5",
            "2, 2, 3, 4, 6",
            "line 15: vertex 6 does not exist, the file numbers 5 vertices",
        );
        check_fault("*MATERIAL hard", "*MATERIAL soft", "line 20: material `soft` comes twice");
        check_fault("\n2,\n", "\n3,\n", "line 24: element 3 does not exist, the file has 2");
        check_fault("\n2,\n", "\nx\n", "line 24: expected the number of an element, found `x`");
        check_fault("\n2,\n", "\n0,\n", "line 24: element 0 does not exist, the file has 2");
        check_fault("upper, hard", "lower, hard", "line 30: the set `lower` is not in the file");
        check_fault("upper, hard", "upper, odd", "line 30: the material `odd` is not in the file");
        check_fault(
            "upper, hard",
            "upper hard",
            "line 30: expected a set and its material, parted by a comma, found `upper hard`",
        );
        check_fault(
            "upper, hard\n",
            "",
            "line 29: the file ends where a set and its material should be",
        );
        check_fault("*MATERIAL soft", "*ELEMENTS", "line 17: *ELEMENTS comes twice");
        check_fault("*MATERIAL soft", "*VERTICES", "line 17: *VERTICES comes twice");
        check_fault(
            "*MATERIAL soft",
            "*SET upper\n1\n*SET upper",
            "line 19: set `upper` comes twice",
        );
    }

    #[test]
    fn damaged_files_never_panic() {
        let mut include = |_: &str| Some(TWO_TETS.as_bytes().to_vec());
        check_damaged(TWO_TETS.as_bytes(), |file| parse(file, &mut include));
    }
}
