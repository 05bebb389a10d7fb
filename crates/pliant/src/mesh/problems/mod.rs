//! All problems of a mesh, listed at once.
//!
//! A reader accepts any file; the checks are here. Errors make a mesh unusable as a
//! body; warnings name what a careful user would want to know.

use crate::id::{TetId, TriangleId, VertexId};
use crate::mesh::manifold::SurfaceTopology;
use crate::mesh::topology::Parts;

pub(crate) mod vertices;

mod tets;

mod surfaces;

pub use surfaces::surface_problems;
pub use tets::tet_problems;

/// Most elements that a [`Problem`] names; the rest is only counted.
pub const NAMED: usize = 8;

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Usable, perhaps after a repair that is reported.
    Warning,
    /// Not usable as a body.
    Error,
}

/// A kind of problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// Tets or triangles that name a vertex that does not exist.
    NoSuchVertex,
    /// Vertices with a coordinate that is NaN or infinite.
    NonFinite,
    /// Coordinates so large, or a mesh so small, that volumes overflow or vanish.
    ExtremeCoordinates,
    /// Some tets are inverted.
    InvertedTets,
    /// All tets are inverted; turned around on loading.
    AllInverted,
    /// Tets whose four corners lie in one plane, exactly.
    FlatTets,
    /// Tets with a dihedral angle below [`SLIVER_ANGLE`], or as near to 180°.
    ///
    /// [`SLIVER_ANGLE`]: crate::mesh::quality::SLIVER_ANGLE
    SliverTets,
    /// Faces that three or more tets share.
    NonManifoldFaces,
    /// Pairs of tets on the same side of a face they share.
    OverlappingTets,
    /// Vertices at the same place as an earlier one.
    DuplicateVertices,
    /// Vertices that no tet or triangle uses.
    UnreferencedVertices,
    /// Triangles whose corners lie on one line, exactly.
    DegenerateTriangles,
    /// Edges of the surface with an odd number of triangles, mostly one.
    OpenEdges,
    /// Edges of the surface with more than two triangles.
    NonManifoldEdges,
    /// Vertices of the surface whose triangles form more than one fan.
    NonManifoldVertices,
    /// Edges that both their triangles run through in the same sense.
    InconsistentWinding,
    /// The whole surface is oriented inward; turned around on loading.
    InvertedOrientation,
    /// Some components of the surface are oriented inward with nothing around them.
    InvertedPieces,
    /// The surface is closed but encloses nothing.
    NoVolume,
    /// More than one connected component.
    SeveralParts,
    /// Pairs of surface triangles that meet other than at shared corners and edges.
    SelfOverlap,
    /// Components of the surface that lie inside others: the interiors overlap.
    NestedPieces,
    /// The search for overlaps was ended early: there may be more.
    OverlapUnfinished,
}

/// One element of the mesh that is part of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// By position in the file.
    Vertex(VertexId),
    /// By position among the tets of the file.
    Tet(TetId),
    /// By position among the triangles of the surface.
    Triangle(TriangleId),
    /// By its ends.
    Edge([VertexId; 2]),
    /// By its corners.
    Face([VertexId; 3]),
    /// Two triangles of the surface.
    Triangles([TriangleId; 2]),
    /// Two tets.
    Tets([TetId; 2]),
}

/// One kind of problem, with how often and where it occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub kind: ProblemKind,
    /// How often; for overlaps a lower bound beside `OverlapUnfinished`.
    pub count: usize,
    /// The first few, at most [`NAMED`].
    pub first: Vec<Element>,
}

impl Severity {
    /// The stable name, on which other programs may rely.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

impl std::fmt::Display for Element {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Element::Vertex(v) => write!(f, "vertex {v}"),
            Element::Tet(t) => write!(f, "tet {t}"),
            Element::Triangle(t) => write!(f, "triangle {t}"),
            Element::Edge([a, b]) => write!(f, "edge {a}–{b}"),
            Element::Face([a, b, c]) => write!(f, "face {a}–{b}–{c}"),
            Element::Triangles([a, b]) => write!(f, "triangles {a} and {b}"),
            Element::Tets([a, b]) => write!(f, "tets {a} and {b}"),
        }
    }
}

impl ProblemKind {
    /// Every kind there is.
    pub const ALL: [ProblemKind; 23] = [
        ProblemKind::NoSuchVertex,
        ProblemKind::NonFinite,
        ProblemKind::ExtremeCoordinates,
        ProblemKind::InvertedTets,
        ProblemKind::AllInverted,
        ProblemKind::FlatTets,
        ProblemKind::SliverTets,
        ProblemKind::NonManifoldFaces,
        ProblemKind::OverlappingTets,
        ProblemKind::DuplicateVertices,
        ProblemKind::UnreferencedVertices,
        ProblemKind::DegenerateTriangles,
        ProblemKind::OpenEdges,
        ProblemKind::NonManifoldEdges,
        ProblemKind::NonManifoldVertices,
        ProblemKind::InconsistentWinding,
        ProblemKind::InvertedOrientation,
        ProblemKind::InvertedPieces,
        ProblemKind::NoVolume,
        ProblemKind::SeveralParts,
        ProblemKind::SelfOverlap,
        ProblemKind::NestedPieces,
        ProblemKind::OverlapUnfinished,
    ];

    /// How bad it is.
    pub fn severity(self) -> Severity {
        use ProblemKind as Kind;
        match self {
            Kind::NoSuchVertex
            | Kind::NonFinite
            | Kind::ExtremeCoordinates
            | Kind::InvertedTets
            | Kind::FlatTets
            | Kind::NonManifoldFaces
            | Kind::OverlappingTets
            | Kind::OpenEdges
            | Kind::InconsistentWinding
            | Kind::InvertedPieces
            | Kind::NoVolume => Severity::Error,
            Kind::AllInverted
            | Kind::SliverTets
            | Kind::DuplicateVertices
            | Kind::UnreferencedVertices
            | Kind::DegenerateTriangles
            | Kind::NonManifoldEdges
            | Kind::NonManifoldVertices
            | Kind::InvertedOrientation
            | Kind::SeveralParts
            | Kind::SelfOverlap
            | Kind::NestedPieces
            | Kind::OverlapUnfinished => Severity::Warning,
        }
    }

    /// The stable name, on which other programs may rely.
    pub fn name(self) -> &'static str {
        match self {
            ProblemKind::NoSuchVertex => "no_such_vertex",
            ProblemKind::NonFinite => "non_finite",
            ProblemKind::ExtremeCoordinates => "extreme_coordinates",
            ProblemKind::InvertedTets => "inverted_tets",
            ProblemKind::AllInverted => "all_inverted",
            ProblemKind::FlatTets => "flat_tets",
            ProblemKind::SliverTets => "sliver_tets",
            ProblemKind::NonManifoldFaces => "non_manifold_faces",
            ProblemKind::OverlappingTets => "overlapping_tets",
            ProblemKind::DuplicateVertices => "duplicate_vertices",
            ProblemKind::UnreferencedVertices => "unreferenced_vertices",
            ProblemKind::DegenerateTriangles => "degenerate_triangles",
            ProblemKind::OpenEdges => "open_edges",
            ProblemKind::NonManifoldEdges => "non_manifold_edges",
            ProblemKind::NonManifoldVertices => "non_manifold_vertices",
            ProblemKind::InconsistentWinding => "inconsistent_winding",
            ProblemKind::InvertedOrientation => "inverted_orientation",
            ProblemKind::InvertedPieces => "inverted_pieces",
            ProblemKind::NoVolume => "no_volume",
            ProblemKind::SeveralParts => "several_parts",
            ProblemKind::SelfOverlap => "self_overlap",
            ProblemKind::NestedPieces => "nested_pieces",
            ProblemKind::OverlapUnfinished => "overlap_unfinished",
        }
    }

    /// What it means and what to do, one clause without a full stop.
    pub fn advice(self) -> &'static str {
        match self {
            ProblemKind::NoSuchVertex => "a corner beyond the last vertex; fix the indices",
            ProblemKind::NonFinite => "coordinates are NaN or infinite; fix the file",
            ProblemKind::ExtremeCoordinates => "volumes overflow or vanish; change the unit",
            ProblemKind::InvertedTets => "some tets are inside out; swap two corners of each",
            ProblemKind::AllInverted => "every tet was inside out and has been turned around",
            ProblemKind::FlatTets => "no volume, so no mass or stiffness; remove or remesh",
            ProblemKind::SliverTets => "a dihedral angle near 0° or 180°; stiff and inaccurate",
            ProblemKind::NonManifoldFaces => {
                "three or more tets share a face; remove the extra ones"
            }
            ProblemKind::OverlappingTets => "two tets on the same side of a face; remove one",
            ProblemKind::DuplicateVertices => "same place as an earlier vertex; merge if one body",
            ProblemKind::UnreferencedVertices => "used by nothing; they take no part",
            ProblemKind::DegenerateTriangles => "no area; they take no part in tests",
            ProblemKind::OpenEdges => "a hole, or no closed surface at all; close it",
            ProblemKind::NonManifoldEdges => {
                "more than two triangles; inside may be ambiguous there"
            }
            ProblemKind::NonManifoldVertices => "the surface only touches itself at a point there",
            ProblemKind::InconsistentWinding => {
                "neighbours disagree on which side is out; turn one"
            }
            ProblemKind::InvertedOrientation => {
                "the surface looked inward and has been turned around"
            }
            ProblemKind::InvertedPieces => "these pieces look inward; turn their triangles",
            ProblemKind::NoVolume => "nothing inside, so no body; is it a sheet?",
            ProblemKind::SeveralParts => "disconnected components, which count as one body",
            ProblemKind::SelfOverlap => "the rest shape touches or runs through itself",
            ProblemKind::OverlapUnfinished => "not searched to the end: there may be more overlap",
            ProblemKind::NestedPieces => "a part of the body lies inside another part of it",
        }
    }
}

/// The cells that name a vertex beyond the last, if any.
fn no_such_vertex<const N: usize>(
    vertex_count: usize,
    cells: &[[VertexId; N]],
    element: impl Fn(u32) -> Element,
) -> Option<Problem> {
    let bad = |cell: &[VertexId; N]| cell.iter().any(|v| v.index() >= vertex_count);
    let cells = cells.iter().enumerate().filter(|(_, cell)| bad(cell));
    let mut list = List::default();
    list.add(ProblemKind::NoSuchVertex, cells.map(|(cell, _)| element(cell as u32)).collect());
    list.0.pop()
}

/// Problems as they are found.
#[derive(Default)]
struct List(Vec<Problem>);

impl List {
    /// Adds a kind of problem, unless no element has it.
    fn add(&mut self, kind: ProblemKind, elements: Vec<Element>) {
        let count = elements.len();
        if count > 0 {
            let first = elements.into_iter().take(NAMED).collect();
            self.0.push(Problem { kind, count, first });
        }
    }

    /// Adds the first cell of each component, when there are several.
    fn add_parts(&mut self, parts: &Parts, element: impl Fn(u32) -> Element) {
        if parts.count > 1 {
            let firsts = parts.first_cells().into_iter().map(element).collect();
            self.add(ProblemKind::SeveralParts, firsts);
        }
    }

    /// Adds what keeps a surface from being a closed manifold.
    fn add_form(&mut self, form: &SurfaceTopology) {
        let edges = |list: &[[VertexId; 2]]| list.iter().map(|&edge| Element::Edge(edge)).collect();
        self.add(ProblemKind::OpenEdges, edges(&form.open));
        self.add(ProblemKind::NonManifoldEdges, edges(&form.non_manifold));
        let pinched = form.pinched.iter().map(|&vertex| Element::Vertex(vertex)).collect();
        self.add(ProblemKind::NonManifoldVertices, pinched);
    }

    /// Adds that overlap was not searched to the end, reported at any one cell.
    fn add_unfinished(&mut self, cell: Option<Element>) {
        self.add(ProblemKind::OverlapUnfinished, cell.into_iter().collect());
    }

    /// Whether exact signs hold for all coordinates, so that a search for overlap means anything.
    fn allows_search(&self) -> bool {
        !self.0.iter().any(|problem| problem.kind == ProblemKind::ExtremeCoordinates)
    }

    /// Errors first, otherwise in the order of discovery.
    fn sorted(mut self) -> Vec<Problem> {
        self.0.sort_by_key(|problem| problem.kind.severity() == Severity::Warning);
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;
    use crate::mesh::raw::RawMesh;
    use crate::mesh::{manifold, topology};

    /// A unit cube of five tets, 0.5 m from the origin, moved; its vertices appended.
    fn add_cube(mesh: &mut RawMesh, by: Vec3, size: f64) {
        let base = mesh.positions.len() as u32;
        for corner in 0..8 {
            let bit = |b: u32| if corner & b == 0 { -0.5 } else { 0.5 };
            mesh.positions.push(by + size * Vec3::new(bit(1), bit(2), bit(4)));
        }
        let tets = [[0, 1, 2, 4], [3, 2, 1, 7], [5, 4, 7, 1], [6, 7, 4, 2], [1, 2, 4, 7]];
        mesh.tets.extend(tets.map(|tet| tet.map(|corner| VertexId(base + corner))));
        mesh.regions.resize(mesh.tets.len(), 0);
    }

    fn cubes(list: &[(Vec3, f64)]) -> RawMesh {
        let mut mesh = RawMesh::default();
        list.iter().for_each(|&(by, size)| add_cube(&mut mesh, by, size));
        mesh
    }

    /// The same body as a surface file would hold it.
    fn skin(mut mesh: RawMesh) -> RawMesh {
        mesh.triangles = topology::boundary(mesh.positions.len(), &mesh.tets).triangles;
        mesh.tets.clear();
        mesh.regions.clear();
        mesh
    }

    #[track_caller]
    fn check(found: &[Problem], expected: &[(&str, usize)]) {
        let found: Vec<_> = found.iter().map(|p| (p.kind.name(), p.count)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_sound_body_has_no_problems() {
        let mesh = cubes(&[(Vec3::ZERO, 1.0)]);
        check(&tet_problems(&mesh), &[]);
        check(&surface_problems(&skin(mesh)), &[]);
    }

    #[test]
    fn tets_inside_out_flat_or_thin_are_told_apart() {
        let mut mesh = cubes(&[(Vec3::ZERO, 1.0)]);
        mesh.tets.iter_mut().for_each(|tet| tet.swap(0, 1));
        check(&tet_problems(&mesh), &[("all_inverted", 5)]);
        mesh.tets[2].swap(0, 1);
        check(&tet_problems(&mesh), &[("inverted_tets", 4)]);

        let mut mesh = cubes(&[(Vec3::ZERO, 1.0)]);
        // In the plane x + y + z = −1/2 of corners 1, 2 and 4.
        mesh.positions[0] = Vec3::new(-0.25, -0.25, 0.0);
        check(&tet_problems(&mesh), &[("flat_tets", 1)]);
        mesh.positions[0] -= Vec3::splat(1e-3);
        check(&tet_problems(&mesh), &[("sliver_tets", 1)]);
    }

    #[test]
    fn vertices_unused_doubled_or_without_place_are_named() {
        let mut mesh = cubes(&[(Vec3::ZERO, 1.0)]);
        mesh.positions.extend([mesh.positions[3], Vec3::NAN]);
        let found = tet_problems(&mesh);
        let expected = [("non_finite", 1), ("duplicate_vertices", 1), ("unreferenced_vertices", 2)];
        check(&found, &expected);
        assert_eq!(found[0].first, [Element::Vertex(VertexId(9))]);
        assert_eq!(found[1].first, [Element::Vertex(VertexId(8))]);

        let mut mesh = cubes(&[(Vec3::ZERO, 1e-75)]);
        assert_eq!(tet_problems(&mesh)[0].kind.name(), "extreme_coordinates");
        mesh.positions[1].x = 1e200;
        assert_eq!(tet_problems(&mesh)[0].first, [Element::Vertex(VertexId(1))]);
    }

    #[test]
    fn parts_apart_touching_crossing_and_nested() {
        let several = ("several_parts", 2);
        check(&tet_problems(&cubes(&[(Vec3::ZERO, 1.0), (Vec3::X * 2.0, 1.0)])), &[several]);
        let nested = cubes(&[(Vec3::ZERO, 3.0), (Vec3::ZERO, 1.0)]);
        check(&tet_problems(&nested), &[several, ("nested_pieces", 1)]);
        check(&surface_problems(&skin(nested)), &[several, ("nested_pieces", 1)]);
        let crossing = cubes(&[(Vec3::ZERO, 1.0), (Vec3::splat(0.6), 1.0)]);
        let found = tet_problems(&crossing);
        assert_eq!(found[1].kind, ProblemKind::SelfOverlap);
        assert!(matches!(found[1].first[0], Element::Tets(_)));
        let found = surface_problems(&skin(crossing));
        assert!(matches!(found[1].first[0], Element::Triangles(_)));
    }

    #[test]
    fn a_tet_used_twice_and_three_on_a_face() {
        let mut mesh = cubes(&[(Vec3::ZERO, 1.0)]);
        mesh.tets.push(mesh.tets[0]);
        mesh.regions.push(0);
        let found = tet_problems(&mesh);
        // Three faces on the outside, each with its copy; the inner one has a third tet.
        check(&found, &[("non_manifold_faces", 1), ("overlapping_tets", 3), ("open_edges", 3)]);
        assert_eq!(found[0].first, [Element::Face([1, 2, 4].map(VertexId))]);
    }

    #[test]
    fn a_tet_inside_another_at_a_common_corner_is_nested() {
        let corners =
            [[0, 0, 0], [10, 0, 0], [0, 10, 0], [0, 0, 10], [2, 1, 1], [1, 2, 1], [1, 1, 2]];
        let mesh = RawMesh {
            positions: corners.map(|c| Vec3::from(c.map(f64::from))).to_vec(),
            tets: vec![[0, 1, 2, 3].map(VertexId), [0, 4, 5, 6].map(VertexId)],
            regions: vec![0; 2],
            ..RawMesh::default()
        };
        check(&tet_problems(&mesh), &[("non_manifold_vertices", 1), ("nested_pieces", 1)]);
        let mut skin = skin(mesh);
        check(&surface_problems(&skin), &[("non_manifold_vertices", 1), ("nested_pieces", 1)]);
        manifold::turn(&mut skin.triangles[4..]); // a cavity that reaches the corner
        check(&surface_problems(&skin), &[("non_manifold_vertices", 1)]);
    }

    #[test]
    fn a_stray_triangle_without_area_takes_no_part() {
        let mut mesh = skin(cubes(&[(Vec3::ZERO, 1.0)]));
        let next = mesh.positions.len() as u32;
        mesh.positions.extend([Vec3::splat(5.0); 3]);
        mesh.triangles.push([next, next + 1, next + 2].map(VertexId));
        let found = surface_problems(&mesh);
        check(&found, &[("duplicate_vertices", 2), ("degenerate_triangles", 1)]);
    }

    #[test]
    fn touching_elsewhere_does_not_hide_a_piece_inside_out() {
        let list = [(Vec3::ZERO, 2.0), (Vec3::X * 9.0, 1.0), (Vec3::new(9.2, 0.3, 1.0), 1.0)];
        let mut mesh = skin(cubes(&[list[0], list[1], list[2], (Vec3::Y * 9.0, 1.0)]));
        manifold::turn(&mut mesh.triangles[36..]);
        let found = surface_problems(&mesh);
        assert_eq!((found[0].kind.name(), found[0].count), ("inverted_pieces", 1));
        assert!(found.iter().any(|p| p.kind == ProblemKind::SelfOverlap));
    }

    #[test]
    fn a_corner_beyond_the_last_vertex_is_told_first() {
        let mut mesh = cubes(&[(Vec3::ZERO, 1.0)]);
        mesh.tets[3][1] = VertexId(99);
        let found = tet_problems(&mesh);
        check(&found, &[("no_such_vertex", 1)]);
        assert_eq!(found[0].first, [Element::Tet(TetId(3))]);
        let mut mesh = skin(cubes(&[(Vec3::ZERO, 1.0)]));
        mesh.triangles[0][0] = VertexId(8);
        check(&surface_problems(&mesh), &[("no_such_vertex", 1)]);
    }

    #[test]
    fn constructors_refuse_exactly_what_is_called_an_error() {
        use crate::math::random::Random;
        use crate::mesh::surface::Surface;
        use crate::mesh::tet::TetMesh;
        let is_error = |p: &Problem| p.kind.severity() == Severity::Error;
        let mut random = Random::new(11);
        let mut below = |end| random.below(end);
        for round in 0..2000 {
            // A sound body, damaged in up to three places.
            let mut mesh = cubes(&[(Vec3::ZERO, 2.0), (Vec3::X * below(4) as f64, 1.0)]);
            let mut skin = skin(mesh.clone());
            for _ in 0..round % 4 {
                let vertex = below(mesh.positions.len());
                let place = Vec3::new(below(4) as f64, below(3) as f64, below(3) as f64) * 0.5;
                let place = if below(9) == 0 { Vec3::NAN } else { place };
                mesh.positions[vertex] = place;
                skin.positions[vertex] = place;
                let (tet, triangle) = (below(mesh.tets.len()), below(skin.triangles.len()));
                mesh.tets[tet][below(4)] = VertexId(below(17) as u32);
                skin.triangles[triangle][below(3)] = VertexId(below(17) as u32);
            }
            let problems = tet_problems(&mesh);
            let made = TetMesh::from_raw(mesh);
            assert_eq!(made.is_err(), problems.iter().any(is_error), "{problems:?} {made:?}");
            let problems = surface_problems(&skin);
            let made = Surface::from_raw(skin);
            assert_eq!(made.is_err(), problems.iter().any(is_error), "{problems:?} {made:?}");
        }
    }

    #[test]
    fn coordinates_beyond_exact_signs_are_reported_without_a_search() {
        use crate::mesh::surface::{Surface, SurfaceError};
        use crate::mesh::tet::{TetMesh, TetMeshError};
        for scale in [1e100, 1e-100] {
            // Two boxes through each other: a search would find pairs.
            let mut mesh = cubes(&[(Vec3::ZERO, 1.0), (Vec3::splat(0.4), 1.0)]);
            mesh.positions.iter_mut().for_each(|p| *p *= scale);
            let found = tet_problems(&mesh);
            check(&found[..1], &[("extreme_coordinates", 16)]);
            assert!(found.iter().all(|p| p.kind != ProblemKind::SelfOverlap), "{found:?}");
            assert!(found.iter().any(|p| p.kind == ProblemKind::OverlapUnfinished), "{found:?}");
            let skin = skin(mesh.clone());
            let found = surface_problems(&skin);
            check(&found[..1], &[("extreme_coordinates", 16)]);
            assert!(found.iter().all(|p| p.kind != ProblemKind::SelfOverlap), "{found:?}");
            let refused = TetMesh::from_raw(mesh).unwrap_err();
            assert!(matches!(refused, TetMeshError::Extreme { .. }), "{refused}");
            let refused = Surface::from_raw(skin).unwrap_err();
            assert!(matches!(refused, SurfaceError::Extreme { .. }), "{refused}");
        }
    }

    #[test]
    fn a_doubled_triangle_encloses_nothing() {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
        let triangles = [[0, 1, 2], [0, 2, 1]].map(|t| t.map(VertexId)).to_vec();
        let mesh = RawMesh { positions, triangles, ..RawMesh::default() };
        check(&surface_problems(&mesh), &[("no_volume", 2), ("self_overlap", 1)]);
    }

    #[test]
    fn surfaces_open_turned_inward_or_torn_are_told_apart() {
        let mesh = || skin(cubes(&[(Vec3::ZERO, 1.0)]));
        let mut open = mesh();
        open.triangles.pop();
        check(&surface_problems(&open), &[("open_edges", 3)]);
        let mut torn = mesh();
        manifold::turn(&mut torn.triangles[..1]);
        check(&surface_problems(&torn), &[("inconsistent_winding", 3)]);
        let mut inward = mesh();
        manifold::turn(&mut inward.triangles);
        check(&surface_problems(&inward), &[("inverted_orientation", 12)]);
    }

    #[test]
    fn one_piece_inside_out_beside_a_sound_one() {
        let mut two = skin(cubes(&[(Vec3::ZERO, 2.0), (Vec3::X * 4.0, 1.0)]));
        manifold::turn(&mut two.triangles[12..]);
        check(&surface_problems(&two), &[("inverted_pieces", 1), ("several_parts", 2)]);
    }

    #[test]
    fn a_cavity_is_no_problem() {
        let mut hollow = skin(cubes(&[(Vec3::ZERO, 3.0), (Vec3::ZERO, 1.0)]));
        manifold::turn(&mut hollow.triangles[12..]);
        check(&surface_problems(&hollow), &[("several_parts", 2)]);
    }

    #[test]
    fn only_the_first_culprits_are_named() {
        let mut mesh = cubes(&[(Vec3::ZERO, 1.0)]);
        mesh.positions.resize(100, Vec3::X);
        let found = tet_problems(&mesh);
        assert!(found.iter().all(|problem| problem.first.len() <= NAMED));
        assert_eq!(found[1].count, 92);
    }

    #[test]
    fn the_book_explains_every_kind_with_its_severity() {
        let page = include_str!("../../../../../book/src/mesh-problems.md");
        for kind in ProblemKind::ALL {
            let row = format!("| `{}` | {} |", kind.name(), kind.severity().name());
            assert!(page.contains(&row), "no row starts with {row}");
        }
    }

    #[test]
    fn nothing_has_no_problems() {
        check(&tet_problems(&RawMesh::default()), &[]);
        check(&surface_problems(&RawMesh::default()), &[]);
    }
}
