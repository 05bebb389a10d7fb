//! PLY files, ascii and binary: vertices, polygons and triangle strips.
//!
//! | element     | properties read                             |
//! |-------------|---------------------------------------------|
//! | `vertex`    | `x`, `y`, `z`                               |
//! | `face`      | the list `vertex_indices` or `vertex_index` |
//! | `tristrips` | the same                                    |
//!
//! Other properties and elements are skipped by the sizes that the header gives.

use crate::mesh::parse::fan::Fans;
use crate::mesh::parse::scalar::Scalar;
use crate::mesh::parse::skipped::{TRIANGLE, counted};
use crate::mesh::parse::text::{line_of, quote, vertex};
use crate::mesh::parse::{Fault, ParseError, Parsed, Place};
use pliant::id::VertexId;
use pliant::math::Vec3;
use pliant::mesh::raw::RawMesh;

use header::{Element, Header};
use values::Values;

mod header;

mod values;

/// Number that ends one strip and starts the next within a list.
const STRIP_END: i64 = -1;

/// What an entry of a face's list is called in errors.
const CORNER: &str = "a vertex number";

/// Most elements that a notice names.
const NAMED: usize = 8;

/// What has been read of the rows.
struct Reader<'a> {
    /// The rows still to come.
    values: Values<'a>,
    /// Vertices that the header announces.
    vertices: usize,
    /// Those read, m.
    positions: Vec<Vec3>,
    /// Triangles of faces and strips.
    fans: Fans,
    /// Triangles of strips that have two equal corners.
    flat: usize,
    /// The first elements that have rows but no triangles, with their counts.
    left_out: Vec<String>,
    /// Further such elements.
    more_left_out: usize,
}

/// Vertices and triangles of a PLY file; polygons come cut into fans.
///
/// Notices report which elements were left out, how many triangles of strips had two
/// equal corners and went, and what follows the last row.
pub fn parse(bytes: &[u8]) -> Parsed<RawMesh> {
    let header = header::read(bytes)?;
    let mut reader = Reader {
        values: Values::new(bytes, &header),
        vertices: count_vertices(bytes, &header)?,
        positions: Vec::new(),
        fans: Fans::default(),
        flat: 0,
        left_out: Vec::new(),
        more_left_out: 0,
    };
    for element in &header.elements {
        match element.name {
            b"vertex" => reader.read_vertices(bytes, element)?,
            b"face" => reader.read_lists(bytes, element, Reader::read_face)?,
            b"tristrips" => reader.read_lists(bytes, element, Reader::read_strip)?,
            _ => reader.skip(element)?,
        }
    }
    Ok(reader.finish(bytes))
}

/// Vertices announced, once the header is known to name each of them once.
fn count_vertices(bytes: &[u8], header: &Header<'_>) -> Parsed<usize> {
    let mut found = header.elements.iter().filter(|element| element.name == b"vertex");
    let Some(element) = found.next() else {
        let fault = Fault::Invalid("the header names no element `vertex`".to_string());
        return Err(ParseError::new(Place::Line(line_of(bytes, header.end)), fault));
    };
    if let Some(second) = found.next() {
        return Err(second.invalid(bytes, "a second element is called `vertex`".to_string()));
    }
    match u32::try_from(element.count) {
        Ok(count) => Ok(count as usize),
        Err(_) => {
            let why = format!("{} vertices are more than can be numbered", element.count);
            Err(element.invalid(bytes, why))
        }
    }
}

impl Reader<'_> {
    fn read_vertices(&mut self, bytes: &[u8], element: &Element<'_>) -> Parsed<()> {
        let axes = [
            find_axis(bytes, element, "x")?,
            find_axis(bytes, element, "y")?,
            find_axis(bytes, element, "z")?,
        ];
        let axis_of: Vec<Option<usize>> = (0..element.properties.len())
            .map(|at| axes.iter().position(|&axis| axis == at))
            .collect();
        let rows = self.values.rows(element)?;
        self.positions.reserve_exact(rows);
        for _ in 0..rows {
            let mut point = [0.0; 3];
            for (property, axis) in element.properties.iter().zip(&axis_of) {
                match axis {
                    Some(axis) => {
                        point[*axis] = self.values.number(property.kind, "a coordinate")?
                    }
                    None => self.values.skip(property)?,
                }
            }
            self.values.end_row()?;
            self.positions.push(Vec3::from(point));
        }
        Ok(())
    }

    /// Hands the length and the type of each row's list to `read`.
    fn read_lists(
        &mut self,
        bytes: &[u8],
        element: &Element<'_>,
        read: fn(&mut Self, usize, Scalar) -> Parsed<()>,
    ) -> Parsed<()> {
        if element.count == 0 {
            return Ok(());
        }
        let list = find_list(bytes, element)?;
        let rows = self.values.rows(element)?;
        self.fans.triangles.reserve(rows);
        for _ in 0..rows {
            for (at, property) in element.properties.iter().enumerate() {
                match property.length {
                    Some(length) if at == list => {
                        let length = self.values.length(length, property.kind)?;
                        read(self, length, property.kind)?;
                    }
                    _ => self.values.skip(property)?,
                }
            }
            self.values.end_row()?;
        }
        Ok(())
    }

    fn read_face(&mut self, length: usize, kind: Scalar) -> Parsed<()> {
        self.values.whole_numbers(length, kind, CORNER, |number| {
            self.fans.corner(vertex(number, 0, self.vertices)?);
            Ok(())
        })?;
        self.fans.close().map_err(|why| self.values.invalid(why))
    }

    /// Makes a triangle per number after the second, every other one turned round.
    fn read_strip(&mut self, length: usize, kind: Scalar) -> Parsed<()> {
        let (mut a, mut b) = (VertexId(0), VertexId(0));
        let mut corners = 0;
        self.values.whole_numbers(length, kind, CORNER, |number| {
            if number == STRIP_END {
                corners = 0;
                return Ok(());
            }
            let c = vertex(number, 0, self.vertices)?;
            corners += 1;
            if corners >= 3 && (a == b || b == c || c == a) {
                self.flat += 1;
            } else if corners >= 3 {
                let turned = corners % 2 == 0;
                self.fans.triangles.push(if turned { [b, a, c] } else { [a, b, c] });
            }
            (a, b) = (b, c);
            Ok(())
        })
    }

    fn skip(&mut self, element: &Element<'_>) -> Parsed<()> {
        for _ in 0..self.values.rows(element)? {
            for property in &element.properties {
                self.values.skip(property)?;
            }
            self.values.end_row()?;
        }
        if element.count > 0 && self.left_out.len() < NAMED {
            self.left_out.push(format!("{} `{}`", element.count, quote(element.name)));
        } else if element.count > 0 {
            self.more_left_out += 1;
        }
        Ok(())
    }

    fn finish(mut self, bytes: &[u8]) -> RawMesh {
        let flat = (self.flat > 0).then(|| {
            format!("left out {} of strips with two equal corners", counted(self.flat, TRIANGLE))
        });
        if self.more_left_out > 0 {
            self.left_out.push(format!("and {} more", self.more_left_out));
        }
        let left_out = (!self.left_out.is_empty())
            .then(|| format!("left out the elements {}", self.left_out.join(", ")));
        let rest = self.values.rest(bytes);
        RawMesh {
            notices: [self.fans.notice(), flat, left_out, rest].into_iter().flatten().collect(),
            positions: self.positions,
            triangles: self.fans.triangles,
            ..RawMesh::default()
        }
    }
}

/// Position of the one number of this name among the properties.
fn find_axis(bytes: &[u8], element: &Element<'_>, name: &str) -> Parsed<usize> {
    let properties = element.properties.iter().enumerate();
    let mut named = properties.filter(|(_, property)| property.name == name.as_bytes());
    match (named.next(), named.next()) {
        (Some((at, property)), None) if property.length.is_none() => Ok(at),
        (Some(_), None) => {
            Err(element.invalid(bytes, format!("the property `{name}` is a list, not a number")))
        }
        (Some(_), Some(_)) => {
            Err(element.invalid(bytes, format!("two properties of `vertex` are called `{name}`")))
        }
        (None, _) => Err(element.invalid(bytes, format!("`vertex` has no property `{name}`"))),
    }
}

/// Position of the list of corners among the properties.
fn find_list(bytes: &[u8], element: &Element<'_>) -> Parsed<usize> {
    let is_corners = |name: &[u8]| name == b"vertex_indices" || name == b"vertex_index";
    let mut properties = element.properties.iter();
    let list = properties.position(|p| p.length.is_some() && is_corners(p.name));
    list.ok_or_else(|| {
        let name = quote(element.name);
        element.invalid(bytes, format!("`{name}` has no list `vertex_indices`"))
    })
}

#[cfg(test)]
mod tests;
