//! Seeds of mesh files: what our writers write, and by hand what they do not.

use pliant::math::Vec3;
use pliant::mesh::generate::icosahedron::icosahedron;
use pliant::mesh::raw::RawMesh;
use pliant_io::mesh::write::{self, Encoding, vtu::VtuEncoding};

fn small() -> RawMesh {
    icosahedron(0.5).unwrap_or_default()
}

/// Seeds of the target of this name.
pub fn vtk() -> Vec<Vec<u8>> {
    let RawMesh { positions, tets, regions, .. } = small();
    let text = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 4 double\n0 0 0 1 0 0 0 1 0 0 0 1\n\
                POLYGONS 4 16\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\nCELL_DATA 4\nSCALARS a int 1\nLOOKUP_TABLE default\n\
                1 2 3 4\nPOINT_DATA 4\nVECTORS v float\n0 0 0 0 0 0 0 0 0 0 0 0\nFIELD f 1\nb 2 4 double\n1 2 3 4 5 6 7 8\n";
    let mut seeds = vec![text.into()];
    for encoding in [Encoding::Ascii, Encoding::Binary] {
        seeds.push(write::vtk::write(&positions, &tets, &regions, encoding));
    }
    seeds
}

/// Seeds of the target of this name.
pub fn vtu() -> Vec<Vec<u8>> {
    let RawMesh { positions, tets, regions, .. } = small();
    let all = [VtuEncoding::Ascii, VtuEncoding::Base64, VtuEncoding::Appended, VtuEncoding::Zlib];
    all.map(|encoding| write::vtu::write(&positions, &tets, &regions, encoding)).to_vec()
}

/// Seeds of the target of this name.
pub fn msh() -> Vec<Vec<u8>> {
    let RawMesh { positions, tets, regions, .. } = small();
    let v1 = "$NOD\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$ENDNOD\n$ELM\n1\n1 4 7 7 4 1 2 3 4\n$ENDELM\n";
    let v2 = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 7 \"a\"\n$EndPhysicalNames\n$Nodes\n4\n\
              1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n2\n1 2 2 7 1 1 2 3\n2 4 2 7 1 1 2 3 4\n$EndElements\n";
    let mut seeds = vec![v1.into(), v2.into()];
    for encoding in [Encoding::Ascii, Encoding::Binary] {
        seeds.extend(write::msh::write(&positions, &tets, &regions, encoding));
    }
    seeds
}

/// Seeds of the target of this name.
pub fn medit() -> Vec<Vec<u8>> {
    let text = "MeshVersionFormatted 2\nDimension 3\nVertices 4\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 1\nTriangles 1\n\
                1 2 3 5\nTetrahedra 1\n1 2 3 4 9\nRequiredVertices 1\n1\nEnd\n";
    vec![text.into()]
}

/// Seeds of the target of this name.
pub fn tetgen() -> Vec<Vec<u8>> {
    let from_one = "4 3 1 1\n1 0 0 0 5 1\n2 1 0 0 5 1\n3 0 1 0 5 1 # a\n4 0 0 1 5 1\n\0# b\n1 4 1\n1 1 2 3 4 7\n";
    let from_zero = "4 3\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n\u{0}1 4 0\n0 0 1 2 3\n";
    vec![from_one.into(), from_zero.into()]
}

/// Seeds of the target of this name.
pub fn veg() -> Vec<Vec<u8>> {
    let whole = "*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n\
                 *MATERIAL m\nENU, 1000, 1e5, 0.4\n*SET s\n1\n*REGION\ns, m\n";
    let nodes = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
    vec![
        whole.into(),
        format!("*VERTICES\n*INCLUDE a.node\n*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n\0{nodes}").into(),
    ]
}

/// Seeds of the target of this name.
pub fn obj() -> Vec<Vec<u8>> {
    let text = "o a\nv 0 0 0 1.0\nv 1 0 0\nv 0 1 0 0.5 0.5 0.5\nv 1 1 1\nvt 0 0\nvn 0 0 1\ng b\nusemtl c\n\
                f 1/1/1 2/1/1 \\\n 3/1/1\nf -4//1 -2//1 -1//1 -3//1\nl 1 2\n";
    let closed = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    vec![text.into(), closed.into()]
}

/// Seeds of the target of this name.
pub fn stl() -> Vec<Vec<u8>> {
    let facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";
    let mut binary = vec![b' '; 80];
    binary.extend(2_u32.to_le_bytes());
    for corner in [0.0_f32, 1.0] {
        let numbers = [0.0, 0.0, 1.0, corner, 0.0, 0.0, 1.0, corner, 0.0, 0.0, 1.0, corner];
        binary.extend(numbers.iter().flat_map(|number: &f32| number.to_le_bytes()));
        binary.extend([0, 0]);
    }
    vec![format!("solid a\n{facet}{facet}endsolid a\n").into(), binary]
}

/// Seeds of the target of this name.
pub fn ply() -> Vec<Vec<u8>> {
    let header = |format: &str| {
        format!(
            "ply\nformat {format} 1.0\ncomment a\nelement vertex 3\nproperty float x\nproperty float y\n\
             property double z\nproperty uchar red\nelement face 1\nproperty list uchar int vertex_indices\n\
             end_header\n"
        )
    };
    let mut seeds = vec![(header("ascii") + "0 0 0 9\n1 0 0 9\n0 1 0 9\n3 0 1 2\n").into_bytes()];
    for (format, big) in [("binary_little_endian", false), ("binary_big_endian", true)] {
        let mut bytes = header(format).into_bytes();
        let single = |value: f32| if big { value.to_be_bytes() } else { value.to_le_bytes() };
        for [x, y] in [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]] {
            bytes.extend([single(x), single(y)].concat());
            bytes.extend([0; 8]);
            bytes.push(9);
        }
        bytes.push(3);
        let index = |value: u32| if big { value.to_be_bytes() } else { value.to_le_bytes() };
        bytes.extend([0, 1, 2].map(index).concat());
        seeds.push(bytes);
    }
    seeds
}

/// Seeds of the target of this name.
pub fn off() -> Vec<Vec<u8>> {
    let text = "OFF\n# a\n4 2 0\n0 0 0\n1 0 0\n0 1 0\n1 1 0.5\n3 0 1 2\n4 0 1 3 2 255 0 0\n";
    vec![text.into(), text.replace("OFF", "COFF").replace(" 0\n", " 0 1 2 3 255\n").into()]
}

/// Seeds of the target of this name.
pub fn check() -> Vec<Vec<u8>> {
    let RawMesh { mut positions, tets, regions, .. } = small();
    let mut seeds = [obj(), vtk()].concat();
    // One tet is turned inside out, others are flat.
    if let Some(first) = positions.first_mut() {
        *first += Vec3::new(2.0, 0.0, 0.0);
    }
    seeds.push(write::vtk::write(&positions, &tets, &regions, Encoding::Ascii));
    seeds
}
