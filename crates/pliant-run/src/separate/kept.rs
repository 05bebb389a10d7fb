//! What a file that was moved keeps of the one that was read, and what it does not.
//!
//! An OBJ file keeps every byte but its positions. Files of other formats are written anew with
//! positions, cells and regions; how they were encoded and what else they held is said.

use pliant::math::Vec3;
use pliant_io::mesh::parse::Format;

use super::read::Source;

/// Bytes in which the header of a file is looked for.
const HEADER: usize = 1 << 16;

/// Bytes of a binary STL file before its triangles, and of each triangle.
const STL: [usize; 2] = [84, 50];

/// Words of legacy VTK files that begin an array of data.
const VTK_ARRAYS: [&str; 8] = [
    "SCALARS",
    "VECTORS",
    "NORMALS",
    "TENSORS",
    "TEXTURE_COORDINATES",
    "COLOR_SCALARS",
    "LOOKUP_TABLE",
    "FIELD",
];

/// The bytes of an OBJ file with other positions: groups, materials and textures stay.
///
/// `None` where lines are continued, or positions are not one to a line.
pub fn with_positions(obj: &[u8], positions: &[Vec3]) -> Option<Vec<u8>> {
    let mut places = positions.iter();
    let mut moved = Vec::with_capacity(obj.len());
    for line in obj.split_inclusive(|byte| *byte == b'\n') {
        let text = line.trim_ascii_end();
        if text.ends_with(b"\\") {
            return None;
        }
        let mut words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        if words.next() != Some(b"v") {
            moved.extend(line);
            continue;
        }
        let Vec3 { x, y, z } = places.next()?;
        moved.extend(format!("v {x} {y} {z}").bytes());
        // A weight or a colour.
        for word in words.skip(3) {
            moved.push(b' ');
            moved.extend(word);
        }
        moved.extend(&line[text.len()..]);
    }
    places.next().is_none().then_some(moved)
}

/// Remarks on an OBJ file that kept all but its positions.
pub fn obj_notices(obj: &[u8]) -> Vec<String> {
    let has = |word: &[u8]| obj.split(|b| *b == b'\n').any(|line| line.starts_with(word));
    let normals = has(b"vn ").then(|| "normals (vn) are as they were read".to_owned());
    let materials = has(b"mtllib ").then(|| {
        "the material files it names (mtllib) are not copied; put them beside it".to_owned()
    });
    normals.into_iter().chain(materials).collect()
}

/// Remarks on a file that was written anew: how it was encoded, and what else it held.
pub fn anew_notices(source: &Source, read: &[u8], written: &[u8]) -> Vec<String> {
    let (before, after) = (encoding(source.format, read), encoding(source.format, written));
    let (Some(before), Some(after)) = (before, after) else { return other_data(source, read) };
    let change = (before != after).then(|| format!("was {before}, is written as {after}"));
    change.into_iter().chain(other_data(source, read)).collect()
}

/// Format, version, text or binary; `None` of formats that are not written.
fn encoding(format: Format, bytes: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEADER)]);
    let mut lines = head.lines().map(str::trim);
    let as_text = |is_text: bool| if is_text { "text" } else { "binary" };
    let words = match format {
        Format::Msh => match lines.find(|line| *line == "$MeshFormat" || *line == "$NOD")? {
            "$NOD" => "MSH 1.0 as text".to_owned(),
            _ => {
                let mut words = lines.next()?.split_ascii_whitespace();
                let version = words.next()?;
                format!("MSH {version} as {}", as_text(words.next() == Some("0")))
            }
        },
        Format::Vtk => {
            let version = lines.next()?.rsplit(' ').next()?.to_owned();
            let is_text = lines.nth(1)?.eq_ignore_ascii_case("ASCII");
            format!("legacy VTK {version} as {}", as_text(is_text))
        }
        Format::Stl => {
            let is_text = head.trim_start().starts_with("solid") && head.contains("facet");
            format!("STL as {}", as_text(is_text))
        }
        Format::Ply => {
            let encoding = lines.find_map(|line| line.strip_prefix("format "))?;
            format!("PLY as {}", encoding.split(' ').next()?)
        }
        Format::Vtu => "VTU".to_owned(),
        Format::Off => "OFF".to_owned(),
        Format::Obj | Format::TetGen | Format::Veg | Format::Medit => return None,
    };
    Some(words)
}

/// Remarks on what else a file held.
fn other_data(source: &Source, bytes: &[u8]) -> Vec<String> {
    let raw = &source.raw;
    // The array of regions is written again.
    let regions = usize::from(!raw.regions.is_empty());
    let mut lost: Vec<String> = match source.format {
        Format::Vtu => vtu_data(bytes, regions),
        Format::Vtk => vtk_data(bytes, regions),
        Format::Ply => ply_properties(bytes).into_iter().collect(),
        Format::Stl => {
            has_attributes(bytes).then(|| "attribute bytes".to_owned()).into_iter().collect()
        }
        Format::Off => {
            let word = bytes.split(u8::is_ascii_whitespace).next().unwrap_or_default();
            let word = String::from_utf8_lossy(word).into_owned();
            (word.ends_with("OFF") && word != "OFF")
                .then(|| format!("what {word} has beside positions"))
                .into_iter()
                .collect()
        }
        Format::Msh | Format::Obj | Format::TetGen | Format::Veg | Format::Medit => Vec::new(),
    };
    if !raw.tets.is_empty() && !raw.triangles.is_empty() {
        let count = raw.triangles.len();
        let triangles = if count == 1 { "triangle" } else { "triangles" };
        lost.push(format!("{count} {triangles} beside its tets"));
    }
    if lost.is_empty() { Vec::new() } else { vec![format!("not kept: {}", lost.join(", "))] }
}

/// Arrays of a VTU file that are not written again.
fn vtu_data(bytes: &[u8], regions: usize) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let arrays = |section: &str| -> Vec<String> {
        let Some((_, rest)) = text.split_once(&format!("<{section}")) else { return Vec::new() };
        let inside = rest.split_once(&format!("</{section}>")).map_or("", |(inside, _)| inside);
        let names = inside.split("<DataArray").skip(1).map(|array| {
            let name = array.split_once("Name=\"").and_then(|(_, rest)| rest.split_once('"'));
            name.map_or("without a name", |(name, _)| name).to_owned()
        });
        names.collect()
    };
    let (points, cells) = (arrays("PointData"), arrays("CellData"));
    let points = (!points.is_empty()).then(|| format!("point data ({})", points.join(", ")));
    let more = cells.len() > regions;
    let cells = more.then(|| format!("cell data but regions ({})", cells.join(", ")));
    points.into_iter().chain(cells).collect()
}

/// The same of a legacy VTK file.
fn vtk_data(bytes: &[u8], regions: usize) -> Vec<String> {
    let (mut section, mut counts) = (None, [0, 0]);
    for line in bytes.split(|byte| *byte == b'\n') {
        let Ok(line) = std::str::from_utf8(line.trim_ascii_end()) else { continue };
        match line.split_ascii_whitespace().next() {
            Some("POINT_DATA") => section = Some(0),
            Some("CELL_DATA") => section = Some(1),
            Some("LOOKUP_TABLE") if line.ends_with("default") => {}
            Some(word) if VTK_ARRAYS.contains(&word) => {
                section.into_iter().for_each(|section: usize| counts[section] += 1);
            }
            _ => {}
        }
    }
    let points = (counts[0] > 0).then(|| "point data".to_owned());
    let more = counts[1] > regions;
    points.into_iter().chain(more.then(|| "cell data but regions".to_owned())).collect()
}

/// Properties of vertices and faces of a PLY file other than places and corners.
fn ply_properties(bytes: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEADER)]);
    let header = head.lines().map(str::trim).take_while(|line| *line != "end_header");
    let names = header.filter_map(|line| line.strip_prefix("property ")?.rsplit(' ').next());
    let known = ["x", "y", "z", "vertex_indices", "vertex_index"];
    let others: Vec<&str> = names.filter(|name| !known.contains(name)).collect();
    (!others.is_empty()).then(|| format!("properties {}", others.join(", ")))
}

/// Whether the bytes behind a triangle of a binary STL file hold anything, as colours.
fn has_attributes(bytes: &[u8]) -> bool {
    let [header, record] = STL;
    let Some(count) = bytes.get(header - 4..header).and_then(|bytes| bytes.try_into().ok()) else {
        return false;
    };
    // As the reader does: a file with room for as many triangles as it announces is binary.
    let length = u64::from(u32::from_le_bytes(count)) * record as u64;
    let own = usize::try_from(length).ok().and_then(|length| bytes[header..].get(..length));
    let mut records = own.unwrap_or_default().chunks_exact(record);
    records.any(|one| one[record - 2..] != [0, 0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_an_obj_file_stays_but_positions() {
        let obj = b"# caf\xe9\r\nvt 0 0\n  v  1 2 3 0.5 0 1\r\nv 4 5 6\nf 1/1 2/1 1/1\nv 7 8 9";
        let places = [Vec3::X, Vec3::new(0.1, 0.0, -2.5), Vec3::ZERO];
        let expected =
            b"# caf\xe9\r\nvt 0 0\nv 1 0 0 0.5 0 1\r\nv 0.1 0 -2.5\nf 1/1 2/1 1/1\nv 0 0 0";
        assert_eq!(with_positions(obj, &places).unwrap(), expected);
        assert_eq!(with_positions(obj, &places[1..]), None);
        assert_eq!(with_positions(b"v 1 2 \\\n3\n", &places[..1]), None);
    }

    #[test]
    fn encodings_are_named_by_format_version_and_kind() {
        let check = |format: Format, bytes: &[u8], expected: &str| {
            assert_eq!(encoding(format, bytes).unwrap(), expected);
        };
        check(Format::Msh, b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n", "MSH 2.2 as text");
        check(Format::Msh, b"$MeshFormat\n4.1 1 8\n\x01\0\0\0", "MSH 4.1 as binary");
        check(Format::Msh, b"$NOD\n1\n", "MSH 1.0 as text");
        let vtk = b"# vtk DataFile Version 3.0\na title\nASCII\nDATASET UNSTRUCTURED_GRID\n";
        check(Format::Vtk, vtk, "legacy VTK 3.0 as text");
        check(Format::Stl, b"solid a\nfacet normal 0 0 1\n", "STL as text");
        check(Format::Stl, &[0; 84], "STL as binary");
        let ply = b"ply\nformat binary_big_endian 1.0\nelement vertex 0\nend_header\n";
        check(Format::Ply, ply, "PLY as binary_big_endian");
    }

    #[test]
    fn data_that_is_not_written_again_is_named() {
        let ply = b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n\
            property float z\nproperty uchar red\nelement face 0\n\
            property list uchar int vertex_indices\nend_header\n0 0 0 9\nproperty float late\n";
        assert_eq!(ply_properties(ply).unwrap(), "properties red");
        let vtu = b"<PointData><DataArray type=\"Float64\" Name=\"heat\"/></PointData>\
            <CellData><DataArray Name=\"region\"/><DataArray Name=\"age\"/></CellData>";
        assert_eq!(vtu_data(vtu, 1), ["point data (heat)", "cell data but regions (region, age)"]);
        assert_eq!(vtu_data(b"<CellData><DataArray Name=\"region\"/></CellData>", 1), [""; 0]);
        let vtk = b"CELL_DATA 1\nSCALARS region int 1\nLOOKUP_TABLE default\n3\n\
            POINT_DATA 4\nVECTORS speed float\n";
        assert_eq!(vtk_data(vtk, 1), ["point data"]);
        assert_eq!(vtk_data(vtk, 0), ["point data", "cell data but regions"]);
        let lines = String::from_utf8_lossy(vtk).replace('\n', "\r\n");
        assert_eq!(vtk_data(lines.as_bytes(), 1), ["point data"]);
        let mut stl = vec![0; 84 + 2 * 50];
        stl[80] = 2;
        assert!(!has_attributes(&stl));
        stl.push(7); // behind the triangles
        assert!(!has_attributes(&stl));
        stl[84 + 49] = 1;
        assert!(has_attributes(&stl));
        assert!(!has_attributes(&[b' '; 84 + 50])); // text of the length of one triangle
    }
}
