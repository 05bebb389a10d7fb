//! Gmsh files: MSH 1.0, 2.0 to 2.2, 4.0 and 4.1, as text or as bytes.
//!
//! A file is a list of sections `$Name … $EndName`. Nodes, elements and entities are
//! read, other sections are skipped; those that hold data are named in a notice.
//!
//! | version    | nodes    | elements    | region of a tet                       |
//! |------------|----------|-------------|---------------------------------------|
//! | 1.0        | `$NOD`   | `$ELM`      | physical region                       |
//! | 2.0 to 2.2 | `$Nodes` | `$Elements` | first tag, the physical group         |
//! | 4.0, 4.1   | `$Nodes` | `$Elements` | physical group, or tag, of its volume |

use crate::mesh::parse::binary::Endian;
use crate::mesh::parse::text::{Text, quote};
use crate::mesh::parse::{Fault, ParseError, Parsed, Place};
use pliant::math::Vec3;
use pliant::mesh::raw::RawMesh;

use cells::Cells;
use entities::{Division, Volumes};
use numbers::{Ascii, Layout, Source, Stored, Width};
use tags::{Duplicate, NodeTags};
use v2::NodeTail;

mod numbers;

mod tags;

mod cells;

mod entities;

mod v1;

mod v2;

mod v4;

/// Sections without anything to miss in a mesh.
const UNREMARKABLE: [&[u8]; 4] = [b"Comments", b"PhysicalNames", b"Periodic", b"GhostElements"];

/// Longest name of a section, bytes; longer ones are no Gmsh file.
const LONGEST_NAME: usize = 100;

/// Most names of sections that a notice lists.
const LISTED: usize = 5;

/// What a file's numbers mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    /// 1.0, always text.
    One,
    /// 2.0 to 2.2.
    Two,
    /// 4.0.
    FourZero,
    /// 4.1.
    FourOne,
}

/// The first section of a file.
struct Header {
    /// What the numbers mean.
    version: Version,
    /// How they are stored; `None` for text.
    layout: Option<Layout>,
}

/// Nodes in file order.
struct Nodes {
    /// Tag of each.
    tags: Vec<u64>,
    /// World space, m.
    positions: Vec<Vec3>,
}

impl Nodes {
    fn with_capacity(count: usize) -> Nodes {
        Nodes { tags: Vec::with_capacity(count), positions: Vec::with_capacity(count) }
    }
}

/// What was read so far; a section that did not come yet is `None`.
#[derive(Default)]
struct Reading<'a> {
    /// Nodes in file order, world space, m.
    positions: Vec<Vec3>,
    /// From tags to places in `positions`.
    nodes: Option<NodeTags>,
    /// Elements in file order.
    cells: Option<Cells>,
    /// Regions of the volumes that entities describe.
    volumes: Volumes,
    /// Names of sections that were passed over.
    skipped: Vec<&'a [u8]>,
    /// One sentence each, those about elements not among them.
    notices: Vec<String>,
}

/// Reads a Gmsh file of any version and encoding but 3.0.
pub fn parse(bytes: &[u8]) -> Parsed<RawMesh> {
    let mut text = Text::new(bytes, None);
    match text.peek() {
        Some(b"$NOD") => return sections(Ascii::new(text), Version::One),
        Some(b"$MeshFormat" | b"$Comments") => {}
        found => {
            let found = quote(found.unwrap_or_default());
            let why = "not a Gmsh file: expected `$MeshFormat` or `$NOD`, found";
            return Err(ParseError::new(Place::Whole, Fault::Invalid(format!("{why} `{found}`"))));
        }
    }
    let header = header(bytes, &mut text)?;
    match header.layout {
        None => sections(Ascii::new(text), header.version),
        Some(layout) => sections(Stored::new(bytes, text.offset(), layout), header.version),
    }
}

/// Reads `$MeshFormat` and comments before it.
fn header(bytes: &[u8], text: &mut Text<'_>) -> Parsed<Header> {
    while text.peek() == Some(b"$Comments") {
        text.word();
        while text.need("`$EndComments`")? != b"$EndComments" {}
    }
    text.expect("$MeshFormat")?;
    let number = text.number("the version of the format")?;
    let version = if [2.0, 2.1, 2.2].contains(&number) {
        Version::Two
    } else if number == 4.0 {
        Version::FourZero
    } else if number == 4.1 {
        Version::FourOne
    } else {
        return Err(text.fault(Fault::Unsupported(format!(
            "version {number} of the format is not read, 1.0, 2.0 to 2.2, 4.0 and 4.1 are: \
             convert with `gmsh FILE -save -save_all -format msh41 -o NEW.msh`"
        ))));
    };
    let encoding = text.need("0 for a text file or 1 for a binary file")?;
    let size = text.integer("the size of a number in bytes")?;
    let layout = match encoding {
        b"0" => None,
        b"1" => Some(layout(bytes, text, version, size)?),
        other => return Err(text.unexpected("0 for a text file or 1 for a binary file", other)),
    };
    text.expect("$EndMeshFormat")?;
    text.line();
    Ok(Header { version, layout })
}

/// Reads the number 1 that shows the byte order.
fn layout(bytes: &[u8], text: &mut Text<'_>, version: Version, size: i64) -> Parsed<Layout> {
    let size = match size {
        8 => Width::Eight,
        4 if version == Version::FourOne => Width::Four,
        _ => {
            return Err(text.fault(Fault::Unsupported(format!(
                "binary files with numbers of {size} bytes are not read"
            ))));
        }
    };
    text.line();
    let at = text.offset();
    let fault = |fault| Err(ParseError::new(Place::Byte(at), fault));
    let wanted = "the number 1 in either byte order".to_string();
    let endian = match bytes.get(at..).unwrap_or_default() {
        [1, 0, 0, 0, ..] => Endian::Little,
        [0, 0, 0, 1, ..] => Endian::Big,
        rest if rest.len() < 4 => return fault(Fault::Truncated { wanted }),
        rest => {
            let found = format!("{:02x?}", &rest[..4]);
            return fault(Fault::Unexpected { wanted, found });
        }
    };
    text.seek(at + 4);
    let tag = if version == Version::FourOne { size } else { Width::Four };
    Ok(Layout { endian, size, tag })
}

/// Reads all sections behind the header.
fn sections<'a, S: Source<'a>>(mut source: S, version: Version) -> Parsed<RawMesh> {
    let mut reading = Reading::default();
    let end: &[u8] = if version == Version::One { b"$END" } else { b"$End" };
    while let Some(name) = source.section()? {
        if name.len() > LONGEST_NAME || name.starts_with(&end[1..]) {
            return Err(source.unexpected("the start of a section", name));
        }
        let mark = [end, name].concat();
        match Section::of_name(name, version) {
            Some(section) => source.in_step(|source| {
                reading.section(source, version, section)?;
                source.close(&mark)
            })?,
            None => {
                reading.skipped.push(name);
                source.skip_past(&mark).ok_or_else(|| {
                    let (name, mark) = (quote(name), quote(&mark));
                    source.invalid(format!("section `${name}` has no `{mark}`"))
                })?;
            }
        }
    }
    reading.finish(version)
}

/// A section that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    /// Nodes, with or without coordinates on their entities.
    Nodes(NodeTail),
    /// Elements.
    Elements,
    /// Entities, whole or in parts.
    Entities(Division),
}

impl Section {
    /// The section that a name stands for; `None` if it is to be skipped.
    fn of_name(name: &[u8], version: Version) -> Option<Section> {
        Some(match (version, name) {
            (Version::One, b"NOD") => Section::Nodes(NodeTail::Bare),
            (Version::One, b"ELM") => Section::Elements,
            (Version::One, _) => return None,
            (_, b"Nodes") => Section::Nodes(NodeTail::Bare),
            (_, b"Elements") => Section::Elements,
            (Version::Two, b"ParametricNodes") => Section::Nodes(NodeTail::Parametric),
            (Version::Two, _) => return None,
            (_, b"Entities") => Section::Entities(Division::Whole),
            (_, b"PartitionedEntities") => Section::Entities(Division::Parts),
            _ => return None,
        })
    }
}

impl<'a> Reading<'a> {
    /// Reads a section up to its end mark.
    fn section<S: Source<'a>>(
        &mut self,
        source: &mut S,
        version: Version,
        section: Section,
    ) -> Parsed<()> {
        match section {
            Section::Nodes(_) if self.nodes.is_some() => {
                Err(source.invalid("the file has nodes already, here is a second section of them"))
            }
            Section::Nodes(tail) => {
                let nodes = match version {
                    Version::One | Version::Two => v2::nodes(source, tail)?,
                    Version::FourZero | Version::FourOne => {
                        let (nodes, notice) = v4::nodes(source, version)?;
                        self.notices.extend(notice);
                        nodes
                    }
                };
                self.nodes = Some(index(&nodes.tags)?);
                self.positions = nodes.positions;
                Ok(())
            }
            Section::Elements => self.elements(source, version),
            Section::Entities(division) => self.volumes.read(source, version, division),
        }
    }

    fn elements<S: Source<'a>>(&mut self, source: &mut S, version: Version) -> Parsed<()> {
        let Some(nodes) = &self.nodes else {
            return Err(source.invalid("the elements come before the nodes"));
        };
        if self.cells.is_some() {
            let why = "the file has elements already, here is a second section of them";
            return Err(source.invalid(why));
        }
        let cells = self.cells.insert(Cells::default());
        match version {
            Version::One => v2::elements(source, nodes, cells, v1::region),
            Version::Two if S::BINARY => v2::stored_elements(source, nodes, cells),
            Version::Two => v2::elements(source, nodes, cells, v2::region),
            Version::FourZero | Version::FourOne => {
                v4::elements(source, version, nodes, &self.volumes, cells)
            }
        }
    }

    /// The mesh, if the file held all that makes one.
    fn finish(mut self, version: Version) -> Parsed<RawMesh> {
        let missing = match (&self.nodes, version) {
            (None, Version::One) => "$NOD",
            (None, _) => "$Nodes",
            (_, Version::One) => "$ELM",
            _ => "$Elements",
        };
        let (Some(_), Some(cells)) = (&self.nodes, self.cells.take()) else {
            let why = format!("there is no section `{missing}`");
            return Err(ParseError::new(Place::Whole, Fault::Invalid(why)));
        };
        let mut notices = cells.notices();
        notices.append(&mut self.notices);
        notices.extend(self.volumes.notice());
        notices.extend(self.skipped_notice());
        let Cells { tets, regions, triangles, .. } = cells;
        Ok(RawMesh { positions: self.positions, tets, regions, triangles, notices })
    }

    fn skipped_notice(&mut self) -> Option<String> {
        let names = &mut self.skipped;
        names.retain(|name| !UNREMARKABLE.contains(name));
        names.sort_unstable();
        names.dedup();
        let shown = names.iter().take(LISTED).map(|name| format!("`${}`", quote(name)));
        let list = shown.collect::<Vec<_>>().join(", ");
        match names.len() {
            0 => None,
            1 => Some(format!("left out the section {list}")),
            count if count <= LISTED => Some(format!("left out the sections {list}")),
            count => Some(format!("left out {count} sections, among them {list}")),
        }
    }
}

/// Indexes the tags of all nodes.
fn index(tags: &[u64]) -> Parsed<NodeTags> {
    let fault = |fault| Err(ParseError::new(Place::Part("$Nodes".into()), fault));
    if tags.len() >= u32::MAX as usize {
        let why = format!("{} nodes are more than are read, {}", tags.len(), u32::MAX - 1);
        return fault(Fault::Unsupported(why));
    }
    NodeTags::new(tags).or_else(|Duplicate { tag, nodes: [a, b] }| {
        let (a, b) = (u64::from(a) + 1, u64::from(b) + 1);
        fault(Fault::Invalid(format!(
            "the tag {tag} is given twice, to nodes {a} and {b} in order"
        )))
    })
}

#[cfg(test)]
mod tests;
