//! `pliant separate`.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{Folder, pliant, reported};

/// A closed box from a corner on, with some sides, as an OBJ file.
fn cuboid(corner: [f64; 3], sides: [f64; 3]) -> String {
    let mut text = String::new();
    for k in 0..8 {
        let at = |axis: usize| corner[axis] + if k >> axis & 1 == 1 { sides[axis] } else { 0.0 };
        text += &format!("v {} {} {}\n", at(0), at(1), at(2));
    }
    let quads =
        [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]];
    for [a, b, c, d] in quads {
        text += &format!("f {a} {b} {c}\nf {a} {c} {d}\n");
    }
    text
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Runs the command on files of a folder with further arguments; the JSON, or null.
fn separate(folder: &Folder, files: &[&str], more: &[&str]) -> (i32, Value, String) {
    let mut arguments = vec!["separate".to_owned()];
    arguments.extend(files.iter().map(|file| text(&folder.0.join(file))));
    arguments.extend(["-o".to_owned(), text(&folder.0.join("out")), "--json".to_owned()]);
    arguments.extend(more.iter().map(|word| (*word).to_owned()));
    let (code, stdout, stderr) = reported(&pliant(&arguments));
    (code, serde_json::from_str(&stdout).unwrap_or(Value::Null), stderr)
}

fn out(folder: &Folder, name: &str) -> PathBuf {
    folder.0.join("out").join(name)
}

/// Lines of an OBJ file that name triangles.
fn faces(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().filter(|line| line.starts_with("f ")).map(str::to_owned).collect()
}

#[test]
fn two_boxes_come_apart_and_keep_their_triangles() {
    let folder = Folder::new("separate");
    let a = folder.write("a.obj", &cuboid([0.0; 3], [1.0; 3]));
    folder.write("b.obj", &cuboid([0.9, 0.1, 0.2], [1.0; 3]));
    let (code, json, stderr) = separate(&folder, &["a.obj", "b.obj"], &["--by", "rigid"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert_eq!((&json["free"], json["after"].as_array().unwrap().len()), (&true.into(), 0));
    assert_eq!(json["before"][0]["kind"], "crossing");
    // They overlap by 0.1 along x, and the gap is a thousandth of their size.
    let way = json["bodies"][0]["largest_movement"].as_f64().unwrap();
    assert!((way - 0.5 * 0.101).abs() < 1e-4, "{way}");
    assert_eq!(faces(&a), faces(&out(&folder, "a.obj")));
    for file in ["before.png", "after.png", "separation.json", "b.obj"] {
        assert!(out(&folder, file).exists(), "{file}");
    }
    let arguments = ["depth", &text(&out(&folder, "a.obj")), &text(&out(&folder, "b.obj"))];
    let (code, stdout, _) = reported(&pliant(&arguments));
    assert!(code == 0 && stdout.contains("no overlap among 2 bodies"), "{stdout}");
}

#[test]
fn a_format_of_few_digits_is_given_room_for_its_rounding() {
    // 1e4 m away a coordinate of 32 bits has steps of a millimetre: more than the gap.
    let folder = Folder::new("separate-stl");
    for (name, x) in [("a", 1e4), ("b", 1e4 + 0.7)] {
        folder.write(&format!("{name}.obj"), &cuboid([x, 0.3, 0.7], [1.0, 1.1, 1.3]));
        let from = text(&folder.0.join(format!("{name}.obj")));
        let to = text(&folder.0.join(format!("{name}.stl")));
        assert_eq!(reported(&pliant(&["convert", &from, &to])).0, 0);
    }
    let more = ["--gap", "1e-5", "--by", "rigid"];
    let (code, json, stderr) = separate(&folder, &["a.stl", "b.stl"], &more);
    assert_eq!((code, stderr.as_str(), &json["free"]), (0, "", &true.into()));
}

#[test]
fn files_that_do_not_overlap_are_copied_byte_by_byte() {
    let folder = Folder::new("separate-copy");
    let a = folder.write("a.obj", &format!("# kept\n{}", cuboid([0.0; 3], [1.0; 3])));
    folder.write("b.obj", &cuboid([3.0, 0.0, 0.0], [1.0; 3]));
    let (code, json, _) = separate(&folder, &["a.obj", "b.obj"], &[]);
    assert_eq!((code, &json["free"], &json["before"]), (0, &true.into(), &serde_json::json!([])));
    assert_eq!(std::fs::read(a).unwrap(), std::fs::read(out(&folder, "a.obj")).unwrap());
    let files = ["a.obj", "b.obj"].map(|file| text(&folder.0.join(file)));
    let arguments = ["separate", &files[0], &files[1], "-o", &text(&folder.0.join("out"))];
    let (code, stdout, _) = reported(&pliant(&arguments));
    assert!(code == 0 && stdout.contains("files are copied"), "{stdout}");
}

#[test]
fn fixed_bodies_that_overlap_are_named_and_nothing_is_written() {
    let folder = Folder::new("separate-fixed");
    folder.write("a.obj", &cuboid([0.0; 3], [1.0; 3]));
    folder.write("b.obj", &cuboid([0.5, 0.1, 0.2], [1.0; 3]));
    let fixed = ["--fix", "a", "--fix", "b"];
    let (code, json, stderr) = separate(&folder, &["a.obj", "b.obj"], &fixed);
    assert_eq!((code, &json["free"]), (1, &false.into()));
    assert_eq!(json["after"][0]["names"], serde_json::json!(["a", "b"]));
    assert!(stderr.contains("1 pair is left") && stderr.contains("--partial"), "{stderr}");
    assert!(!folder.0.join("out").exists());
    let mut partial = fixed.to_vec();
    partial.push("--partial");
    let (code, json, _) = separate(&folder, &["a.obj", "b.obj"], &partial);
    assert!(code == 1 && out(&folder, "a.obj").exists() && json["written"][0] == "a.obj");
}

#[test]
fn one_file_twice_and_parts_of_one_file_come_apart() {
    let folder = Folder::new("separate-parts");
    folder.write("a.obj", &cuboid([0.0; 3], [1.0, 1.2, 1.4]));
    let (code, json, _) = separate(&folder, &["a.obj", "a.obj"], &[]);
    assert_eq!((code, &json["bodies"][1]["name"]), (0, &"a-2".into()));
    let notices = json["notices"].to_string();
    assert!(
        notices.contains("given 2 times, as a, a-2") && notices.contains("exact copy of a"),
        "{notices}"
    );
    // The shortest way out of itself is its shortest side.
    let depth = json["before"][0]["depth"].as_f64().unwrap();
    assert!((depth - 1.0).abs() < 1e-3, "{depth}");
    assert!(out(&folder, "a-2.obj").exists());
    let second = cuboid([0.8, 0.1, 0.1], [1.0; 3]).replace("f ", "g ");
    let mut both = cuboid([0.0; 3], [1.0; 3]);
    for line in second.lines() {
        match line.strip_prefix("g ") {
            None => both += &format!("{line}\n"),
            Some(corners) => {
                let moved = corners.split(' ').map(|k| (k.parse::<u32>().unwrap() + 8).to_string());
                both += &format!("f {}\n", moved.collect::<Vec<_>>().join(" "));
            }
        }
    }
    folder.write("both.obj", &both);
    let (code, _, stderr) = separate(&folder, &["both.obj"], &[]);
    assert!(code == 2 && stderr.contains("--parts"), "{stderr}");
    let (code, json, _) = separate(&folder, &["both.obj"], &["--parts", "--fix", "both#0"]);
    assert_eq!((code, json["bodies"].as_array().unwrap().len()), (0, 2));
    assert_eq!(json["bodies"][0]["by"], "none");
    assert_eq!(faces(&folder.0.join("both.obj")), faces(&out(&folder, "both.obj")));
}

#[test]
fn nested_shells_stay_nested_when_asked() {
    let folder = Folder::new("separate-nested");
    folder.write("a.obj", &cuboid([0.0; 3], [3.0; 3]));
    folder.write("b.obj", &cuboid([1.0; 3], [1.0; 3]));
    let (code, json, _) = separate(&folder, &["a.obj", "b.obj"], &["--nested", "keep"]);
    assert_eq!((code, &json["kept_nested"]), (0, &serde_json::json!([[0, 1]])));
    let files = ["a.obj", "b.obj"].map(|file| text(&folder.0.join(file)));
    let words = ["--nested", "keep", "-o", &text(&folder.0.join("again"))];
    let arguments = [&["separate", &files[0], &files[1]][..], &words].concat();
    let (code, stdout, _) = reported(&pliant(&arguments));
    assert!(code == 0 && stdout.contains("1 pair nested as before"), "{stdout}");
    let (code, json, _) = separate(&folder, &["a.obj", "b.obj"], &["--by", "rigid"]);
    assert_eq!((code, &json["before"][0]["kind"]), (0, &"nested".into()));
}

#[test]
fn bad_input_is_one_line_and_leaves_nothing() {
    let folder = Folder::new("separate-errors");
    folder.write("a.obj", &cuboid([0.0; 3], [1.0; 3]));
    let open: String =
        cuboid([0.5; 3], [1.0; 3]).lines().take(19).map(|line| format!("{line}\n")).collect();
    folder.write("open.obj", &open);
    folder.write("broken.obj", "v 0 0\n");
    let check = |files: &[&str], more: &[&str], expected: &str| {
        let (code, _, stderr) = separate(&folder, files, more);
        assert_eq!((code, stderr.lines().count()), (2, 1), "{stderr}");
        assert!(stderr.contains(expected), "{stderr}");
        assert!(!folder.0.join("out").exists());
    };
    check(&["a.obj", "open.obj"], &[], "the surface is open at edge");
    check(&["a.obj", "broken.obj"], &[], "broken.obj: line 1");
    check(&["a.obj", "missing.obj"], &[], "missing.obj");
    check(&["missing.obj", "a.obj", "broken.obj"], &[], "2 of 3 files cannot be used");
    check(&["missing.obj", "a.obj", "broken.obj"], &[], "broken.obj: line 1");
    check(&["a.obj"], &[], "one body alone");
    check(&["a.obj", "a.obj"], &["--fix", "b"], "no body has this name");
    check(&["a.obj", "a.obj"], &["--gap", "-1"], "the gap is -1");
    let here = text(&folder.0);
    let file = text(&folder.0.join("a.obj"));
    let (code, _, stderr) = reported(&pliant(&["separate", &file, &file, "-o", &here]));
    assert!(code == 2 && stderr.contains("would replace the file that is read"), "{stderr}");
}

#[test]
fn a_file_to_write_into_is_refused_before_anything_is_read() {
    let folder = Folder::new("separate-out-file");
    folder.write("taken", "text");
    let taken = text(&folder.0.join("taken"));
    let (code, _, stderr) = reported(&pliant(&["separate", "missing.obj", "-o", &taken]));
    assert!(code == 2 && stderr.contains("is a file"), "{stderr}");
}

#[test]
fn an_obj_file_keeps_all_but_its_positions() {
    let folder = Folder::new("separate-obj");
    let with_more = |corner: f64| {
        let plain = cuboid([corner; 3], [1.0; 3]);
        let coloured = plain.replace("v 0 0 0\n", "v 0 0 0 0.5 0.25 1\n");
        format!("mtllib skin.mtl\nvt 0 0\nvn 0 0 1\ng side\nusemtl red\n{coloured}# the end\n")
    };
    folder.write("a.obj", &with_more(0.0));
    folder.write("b.obj", &with_more(0.75));
    let (code, json, _) = separate(&folder, &["a.obj", "b.obj"], &[]);
    assert_eq!(code, 0);
    let notices = json["notices"].to_string();
    assert!(notices.contains("a.obj: the material files it names (mtllib)"), "{notices}");
    let others = |path: &Path| -> Vec<String> {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().filter(|line| !line.starts_with("v ")).map(str::to_owned).collect()
    };
    for file in ["a.obj", "b.obj"] {
        assert_eq!(others(&folder.0.join(file)), others(&out(&folder, file)));
    }
    assert!(json["notices"].to_string().contains("normals (vn)"), "{}", json["notices"]);
}

#[test]
fn bodies_that_were_to_be_deformed_and_were_not_say_why() {
    let folder = Folder::new("separate-undeformed");
    folder.write("plate.obj", &cuboid([0.0; 3], [1.0, 1.0, 1e-3]));
    folder.write("box.obj", &cuboid([0.3, 0.2, -0.4], [0.5; 3]));
    let (code, json, _) = separate(&folder, &["plate.obj", "box.obj"], &["--by", "soft"]);
    assert_eq!((code, &json["bodies"][0]["undeformed"]), (0, &"too-thin".into()));
    let notice =
        "moved as they are, not deformed: plate (thinner than the tets that would fill it)";
    assert!(json["notices"].to_string().contains(notice), "{}", json["notices"]);
    let (code, json, _) = separate(&folder, &["plate.obj", "box.obj"], &["--by", "rigid"]);
    assert_eq!((code, &json["bodies"][0]["undeformed"]), (0, &Value::Null));
}

#[test]
fn deep_boxes_keep_their_volume_and_soft_ones_that_do_not_are_named() {
    let folder = Folder::new("separate-volume");
    folder.write("a.obj", &cuboid([0.0; 3], [1.0; 3]));
    folder.write("b.obj", &cuboid([0.1, 0.05, 0.02], [1.0; 3]));
    let (code, json, _) = separate(&folder, &["a.obj", "b.obj"], &[]);
    assert_eq!(code, 0);
    for body in json["bodies"].as_array().unwrap() {
        assert!(body["volume_change"].as_f64().unwrap().abs() <= 0.1, "{body}");
    }
    let (code, json, _) = separate(&folder, &["a.obj", "b.obj"], &["--by", "soft"]);
    let changed = json["bodies"].as_array().unwrap().iter();
    let is_much = changed.map(|body| body["volume_change"].as_f64().unwrap().abs() > 0.1);
    let notices = json["notices"].to_string();
    assert_eq!(
        (code, notices.contains("volume changed by")),
        (0, is_much.fold(false, |a, b| a | b))
    );
}

/// Two tets on a common face, 0.4 m apart along all axes, as VTU files of the folder.
fn two_tets(folder: &Folder) -> [String; 2] {
    [("a", 0.0), ("b", 0.3)].map(|(name, at)| {
        let veg = folder.write(&format!("{name}.veg"), &vega(at));
        let vtu = text(&folder.0.join(format!("{name}.vtu")));
        assert_eq!(reported(&pliant(&["convert", &text(&veg), &vtu])).0, 0);
        vtu
    })
}

/// Points, cells and types of a legacy VTK file with one tet, from a corner on.
fn legacy_vtk(at: f64) -> String {
    let points = corners(at).map(|[x, y, z]| format!("{x} {y} {z}")).join(" ");
    format!(
        "# vtk DataFile Version 3.0\nheat\nASCII\nDATASET UNSTRUCTURED_GRID\n\
         POINTS 4 float\n{points}\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n\
         POINT_DATA 4\nSCALARS heat float 1\nLOOKUP_TABLE default\n1 2 3 4\n"
    )
}

/// A Gmsh 2.2 file with one tet and a triangle of its surface, from a corner on.
fn gmsh(at: f64) -> String {
    let nodes = corners(at).into_iter().enumerate();
    let nodes: Vec<String> = nodes.map(|(k, [x, y, z])| format!("{} {x} {y} {z}", k + 1)).collect();
    format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n{}\n$EndNodes\n\
         $Elements\n2\n1 2 2 7 1 1 3 2\n2 4 2 5 1 1 2 3 4\n$EndElements\n",
        nodes.join("\n")
    )
}

/// A PLY file of a cuboid with a colour for each vertex.
fn coloured_ply(corner: [f64; 3]) -> String {
    let obj = cuboid(corner, [1.0; 3]);
    let lines = |word: &str| -> Vec<String> {
        obj.lines().filter_map(|line| line.strip_prefix(word)).map(str::to_owned).collect()
    };
    let vertices = lines("v ").iter().map(|v| format!("{v} 200\n")).collect::<String>();
    let zero_based = |face: &String| {
        let corners = face.split(' ').map(|k| (k.parse::<u32>().unwrap() - 1).to_string());
        format!("3 {}\n", corners.collect::<Vec<_>>().join(" "))
    };
    let faces = lines("f ").iter().map(zero_based).collect::<String>();
    format!(
        "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\n\
         property float z\nproperty uchar red\nelement face 12\n\
         property list uchar int vertex_indices\nend_header\n{vertices}{faces}"
    )
}

#[test]
fn what_a_format_does_not_keep_is_named_and_nothing_else() {
    let folder = Folder::new("separate-lost");
    let check = |[a, b]: [&str; 2], contents: [String; 2], expected: &[&str]| {
        for (name, content) in [a, b].iter().zip(contents) {
            folder.write(name, &content);
        }
        let (code, json, _) = separate(&folder, &[a, b], &["--by", "rigid"]);
        assert_eq!(code, 0, "{json}");
        let of_a = json["notices"].as_array().unwrap().iter().filter_map(Value::as_str);
        let of_a: Vec<&str> = of_a.filter_map(|n| n.strip_prefix(&format!("{a}: "))).collect();
        assert_eq!(of_a, expected);
    };
    check(
        ["c.vtk", "d.vtk"],
        [0.0, 0.1].map(legacy_vtk),
        &[
            "was legacy VTK 3.0 as text, is written as legacy VTK 4.2 as binary",
            "not kept: point data",
        ],
    );
    check(
        ["c.msh", "d.msh"],
        [0.0, 0.1].map(gmsh),
        &[
            "was MSH 2.2 as text, is written as MSH 4.1 as binary",
            "not kept: 1 triangle beside its tets",
        ],
    );
    check(
        ["c.ply", "d.ply"],
        [[0.0; 3], [0.8, 0.1, 0.2]].map(coloured_ply),
        &[
            "was PLY as ascii, is written as PLY as binary_little_endian",
            "not kept: properties red",
        ],
    );
    check(["c.obj", "d.obj"], [[0.0; 3], [0.8, 0.1, 0.2]].map(|at| cuboid(at, [1.0; 3])), &[]);
    // What was written by us has nothing to lose.
    let [a, b] = two_tets(&folder);
    assert!(Path::new(&a).exists() && Path::new(&b).exists());
    let (code, json, _) = separate(&folder, &["a.vtu", "b.vtu"], &["--by", "rigid"]);
    assert_eq!((code, &json["notices"]), (0, &serde_json::json!([])));
}

/// Writes a TetGen mesh: its corners, and its tets counted from 1.
fn tetgen(folder: &Folder, name: &str, corners: &[[f64; 3]], tets: &[[usize; 4]]) {
    let mut nodes = format!("{} 3 0 0\n", corners.len());
    for (k, [x, y, z]) in corners.iter().enumerate() {
        nodes += &format!("{} {x} {y} {z}\n", k + 1);
    }
    let mut cells = format!("{} 4 0\n", tets.len());
    for (k, [a, b, c, d]) in tets.iter().enumerate() {
        cells += &format!("{} {a} {b} {c} {d}\n", k + 1);
    }
    folder.write(&format!("{name}.node"), &nodes);
    folder.write(&format!("{name}.ele"), &cells);
}

/// Corners of a tet of edges 1 along the axes, from a corner on.
fn corners(at: f64) -> [[f64; 3]; 4] {
    [[at, at, at], [at + 1.0, at, at], [at, at + 1.0, at], [at, at, at + 1.0]]
}

#[test]
fn a_format_that_is_not_written_becomes_vtu_with_a_notice() {
    let folder = Folder::new("separate-tetgen");
    tetgen(&folder, "a", &corners(0.0), &[[1, 2, 3, 4]]);
    tetgen(&folder, "b", &corners(0.1), &[[1, 2, 3, 4]]);
    let (code, json, _) = separate(&folder, &["a.ele", "b.node"], &["--by", "rigid"]);
    assert_eq!(code, 0);
    let notices = json["notices"].to_string();
    assert!(notices.contains("a: .ele cannot be written, .vtu is"), "{notices}");
    assert!(notices.contains("b: .node cannot be written, .vtu is"), "{notices}");
    for name in ["a.vtu", "b.vtu"] {
        let (code, stdout, _) = reported(&pliant(&["check", &text(&out(&folder, name))]));
        assert!(code == 0 && stdout.contains("4 vertices, 1 tet,"), "{stdout}");
    }
}

/// A VegaFEM mesh of two tets on a common face, from a corner on, each a region of its own.
fn vega(at: f64) -> String {
    let [p, q, r, s] = corners(at).map(|[x, y, z]| format!("{x} {y} {z}"));
    let far = at + 0.7;
    format!(
        "*VERTICES\n5 3 0 0\n1 {p}\n2 {q}\n3 {r}\n4 {s}\n5 {far} {far} {far}\n\
         *ELEMENTS\nTET\n2 4 0\n1 1 2 3 4\n2 5 2 4 3\n\
         *MATERIAL soft\nENU, 1000, 1e5, 0.4\n*MATERIAL hard\nENU, 1000, 1e6, 0.4\n\
         *SET upper\n2\n*REGION\nallElements, soft\n*REGION\nupper, hard\n"
    )
}

#[test]
fn vega_meshes_come_back_as_vtu_with_all_bits_and_regions() {
    let folder = Folder::new("separate-vega");
    let [a, b] = [("a.veg", 0.1), ("b.veg", 0.3)].map(|(name, at)| folder.write(name, &vega(at)));
    let more = ["--by", "rigid", "--fix", "a"];
    let (code, json, stderr) = separate(&folder, &["a.veg", "b.veg"], &more);
    assert_eq!((code, stderr.as_str(), &json["free"]), (0, "", &true.into()));
    let notices = json["notices"].to_string();
    assert!(notices.contains("a: .veg cannot be written, .vtu is"), "{notices}");
    // What stays is what converting the file gives, byte by byte; what moved differs from it.
    for (given, name, stays) in [(a, "a", true), (b, "b", false)] {
        let converted = folder.0.join(format!("{name}-converted.vtu"));
        assert_eq!(reported(&pliant(&["convert", &text(&given), &text(&converted)])).0, 0);
        let [expected, found] = [converted, out(&folder, &format!("{name}.vtu"))]
            .map(|path| std::fs::read(path).unwrap());
        assert_eq!(expected == found, stays, "{name}");
        assert!(String::from_utf8_lossy(&found).contains("Name=\"region\""), "{name}");
        let (code, stdout, _) =
            reported(&pliant(&["check", &text(&out(&folder, &format!("{name}.vtu")))]));
        assert!(code == 0 && stdout.contains("5 vertices, 2 tets"), "{stdout}");
    }
}

#[test]
fn tets_of_which_some_are_inverted_are_refused_by_number() {
    let folder = Folder::new("separate-inverted");
    let mut bad = corners(0.0).to_vec();
    bad.push([1.0, 1.0, 1.0]);
    tetgen(&folder, "a", &corners(0.1), &[[1, 2, 3, 4]]);
    tetgen(&folder, "bad", &bad, &[[1, 2, 3, 4], [2, 3, 4, 5]]);
    tetgen(&folder, "worse", &bad, &[[1, 2, 3, 4], [3, 2, 4, 5]]);
    let codes = ["bad.ele", "worse.ele"].map(|name| {
        let (code, _, stderr) = separate(&folder, &["a.ele", name], &[]);
        (code, stderr)
    });
    // One of the two ways round is right.
    let refused: Vec<_> = codes.iter().filter(|(code, _)| *code == 2).collect();
    assert_eq!(refused.len(), 1, "{codes:?}");
    assert!(refused[0].1.contains("tet 1"), "{codes:?}");
}
