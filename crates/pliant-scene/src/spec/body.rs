//! Keys of bodies: shape, place, material, what holds them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::outline::OutlineShape;
use super::preset::PresetName;
use super::shape::{Clusters, ShapeGroup, ShapeMode, ShapeVolume};

/// Something that moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Name, unique in the scene; a pattern makes `name-0`, `name-1`, … of it.
    pub name: String,
    /// Shape at rest.
    pub mesh: Mesh,
    /// A fine surface that the tets of `mesh` carry, in its space: pictures and exports show it in
    /// their place.
    #[serde(default)]
    pub render_mesh: Option<Mesh>,
    /// What touches others: the boundary of the tets of `mesh`, or the closed surface of
    /// `render_mesh`, with response `constraint`.
    #[serde(default)]
    pub contact_mesh: Option<ContactMesh>,
    /// Factor for the shape, or one for each axis; positive.
    #[serde(default)]
    pub scale: Scale,
    /// Rotation after scaling: axis times angle, rad.
    #[serde(default)]
    pub rotation: [f64; 3],
    /// Where the origin of the shape goes, m.
    #[serde(default)]
    pub position: [f64; 3],
    /// Velocity of the whole body at the start, m/s.
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Angular velocity about the centre of mass at the start: axis times rate, rad/s.
    #[serde(default)]
    pub spin: [f64; 3],
    /// Many copies; one body when left out.
    #[serde(default)]
    pub pattern: Option<Pattern>,
    /// What it is made of.
    pub material: Material,
    /// Other materials for some of its tets.
    #[serde(default)]
    pub regions: Vec<Region>,
    /// Of the whole body, kg; for spring networks and surfaces, which have no volume, and for rigid bodies
    /// in place of a density.
    #[serde(default)]
    pub mass: Option<f64>,
    /// Part of the mesh that is used.
    #[serde(default)]
    pub extract: Extract,
    /// Pinned vertices.
    #[serde(default)]
    pub pins: Vec<Pin>,
    /// Groups of vertices that keep their shape, such as the buttons of a shirt.
    #[serde(default)]
    pub groups: Vec<ShapeGroup>,
    /// Length constraints, solved by the integrator `pbd`.
    #[serde(default)]
    pub constraints: Vec<Constraint>,
}

/// The surface of a body that touches others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContactMesh {
    /// The boundary of its own mesh, as without this key.
    Mesh,
    /// The surface that it carries.
    RenderMesh,
}

/// Factor for a shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Scale {
    /// The same for all axes.
    Even(f64),
    /// Along x, y, z.
    PerAxis([f64; 3]),
}

impl Default for Scale {
    fn default() -> Scale {
        Scale::Even(1.0)
    }
}

/// Shape at rest: made from numbers or read from a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Mesh {
    /// A box of equal cells around the origin.
    Cuboid {
        /// Along x, y, z, m.
        size: [f64; 3],
        /// Cells along x, y, z.
        cells: [u32; 3],
        /// Tets of a cell.
        #[serde(default)]
        cut: TetSplit,
    },
    /// A solid sphere in layers, 20 · layers³ tets.
    Ball {
        /// m.
        radius: f64,
        /// Number of concentric layers.
        layers: u32,
    },
    /// The coarsest ball: 20 tets.
    Icosahedron {
        /// From the centre to the corners, m.
        radius: f64,
    },
    /// A flat sheet of tets in the x–z plane.
    Membrane {
        /// Along x and z, m.
        size: [f64; 2],
        /// Along y, m.
        thickness: f64,
        /// Cells along x and z.
        cells: [u32; 2],
        /// Cells along y.
        #[serde(default = "one")]
        layers: u32,
        /// Tets of a cell.
        #[serde(default)]
        cut: TetSplit,
    },
    /// A solid ring around the y axis, as all meshes with an axis; that of the obstacle `torus` is
    /// z. It has 18 · rings² · around tets.
    Torus {
        /// From the axis to the middle of the tube, m.
        ring_radius: f64,
        /// Of the tube, m.
        tube_radius: f64,
        /// Segments around the axis.
        around: u32,
        /// Rings in the cross-section.
        rings: u32,
    },
    /// A hollow cylinder around y.
    Tube {
        /// Of the hole, m.
        inner_radius: f64,
        /// Of the outside, m.
        outer_radius: f64,
        /// Along y, m.
        length: f64,
        /// Segments around the axis.
        around: u32,
        /// Cells through the wall.
        through: u32,
        /// Cells along the axis.
        along: u32,
    },
    /// An L in the x–z plane.
    LBlock {
        /// Outer lengths along x and z, m.
        arms: [f64; 2],
        /// Width of the arms and height along y, m.
        width: f64,
        /// Cells of each arm beyond the corner.
        cells_along: [u32; 2],
        /// Cells across an arm.
        cells_across: u32,
        /// Tets of a cell.
        #[serde(default)]
        cut: TetSplit,
    },
    /// A star-shaped prism in the x–z plane.
    Star {
        /// Number of tips.
        tips: u32,
        /// From the axis to the tips, m.
        outer_radius: f64,
        /// From the axis to the notches, m.
        inner_radius: f64,
        /// Along y, m.
        thickness: f64,
        /// Cells along each edge of the outline.
        cells: u32,
        /// Cells along y.
        #[serde(default = "one")]
        layers: u32,
    },
    /// A spring network in the x–y plane: structural edges along both, shear edges across the cells, bend
    /// edges over two.
    Cloth {
        /// Along x and y, m.
        size: [f64; 2],
        /// Vertices along x and y; at least 2 each.
        vertices: [u32; 2],
    },
    /// A spring network of given vertices and edges.
    SpringNetwork {
        /// Vertices, m.
        positions: Vec<[f64; 3]>,
        /// Pairs of vertices, numbers from 0; structural.
        edges: Vec<[u32; 2]>,
    },
    /// Points that nothing joins.
    Particles {
        /// m; at least one.
        positions: Vec<[f64; 3]>,
    },
    /// A car that stands on the plane z = 0 and faces along x: a closed surface.
    Car {
        /// Length, width and height, m.
        size: [f64; 3],
        /// Segments around it; at least 6.
        points: u32,
    },
    /// Closed rings in the plane z = 0. Such a body moves in the plane and collides only with
    /// other outlines.
    Outline {
        /// Its rings.
        shape: OutlineShape,
    },
    /// A mesh file that `pliant check` can read; lengths in m.
    File {
        /// Relative to the folder of the scene file, or absolute.
        path: String,
        /// How the file is read.
        #[serde(default)]
        read_as: ReadAs,
    },
    /// A closed surface from a mesh file, filled with tets of one size by isosurface stuffing. Of a
    /// file with tets the boundary is filled anew.
    Stuffed {
        /// Relative to the folder of the scene file, or absolute.
        path: String,
        /// Long edge of the lattice, about the size of the tets, m. Thinner features get lost.
        size: f64,
    },
}

fn one() -> u32 {
    1
}

/// Tets of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TetSplit {
    /// Five, mirrored from cell to cell.
    #[default]
    Five,
    /// Six of equal volume.
    Six,
}

/// How a mesh file is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReadAs {
    /// Tets when there are any, otherwise a closed surface.
    #[default]
    Body,
    /// The edges of its triangles as a spring network.
    SpringNetwork,
}

/// Many copies of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Pattern {
    /// On a lattice whose middle is the body's position; x runs fastest.
    Grid {
        /// Copies along x, y, z.
        counts: [u32; 3],
        /// Between neighbours along x, y, z, m.
        spacing: [f64; 3],
        /// Number of copies that are made, the first ones; all when left out.
        #[serde(default)]
        count: Option<u32>,
        /// Each copy is off its place by up to this along each axis, m.
        #[serde(default)]
        jitter: f64,
        /// Rotation of each copy.
        #[serde(default)]
        rotations: Turns,
        /// Random seed; that of the scene when left out.
        #[serde(default)]
        seed: Option<u32>,
    },
    /// Anywhere in a box around the body's position, turned at random, no two bounding
    /// spheres overlapping.
    Pile {
        /// Number of copies.
        count: u32,
        /// Edges of the box along x, y, z, m; 0 along z for bodies in the plane z = 0.
        size: [f64; 3],
        /// Random seed; that of the scene when left out.
        #[serde(default)]
        seed: Option<u32>,
    },
}

/// Rotation of copies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Turns {
    /// All alike.
    #[default]
    Alike,
    /// Each at random.
    Random,
}

/// What a body is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Material {
    /// Springs with dampers along all edges.
    Springs {
        /// Of structural edges, N/m, or N with the relative law; all edges but those of a
        /// cloth are structural.
        stiffness: f64,
        /// What stiffness means.
        #[serde(default)]
        law: SpringLaw,
        /// Of each edge, N·s/m.
        #[serde(default)]
        damping: f64,
        /// Of the shear edges of a cloth, in the unit of `stiffness`; 0 for none.
        #[serde(default)]
        shear: f64,
        /// Of the bend edges of a cloth, in the unit of `stiffness`; 0 for none.
        #[serde(default)]
        bend: f64,
        /// Of tets, kg/m³.
        #[serde(default = "density")]
        density: f64,
        /// Plastic flow of the rest lengths; none when left out.
        #[serde(default)]
        plasticity: Option<Plasticity>,
    },
    /// The distance–area–volume solid. Stiffness is per element, in J: elements of half the
    /// size need an eighth of it to be as soft.
    Solid {
        /// Of each edge, J.
        distance: f64,
        /// Of each surface triangle, J.
        #[serde(default)]
        area: f64,
        /// Of each tet, J.
        volume: f64,
        /// Of each edge, J·s.
        #[serde(default)]
        distance_damping: f64,
        /// Of each surface triangle, J·s.
        #[serde(default)]
        area_damping: f64,
        /// Of each tet, J·s.
        #[serde(default)]
        volume_damping: f64,
        /// kg/m³.
        #[serde(default = "density")]
        density: f64,
        /// Plastic flow of the rest values; none when left out.
        #[serde(default)]
        plasticity: Option<Plasticity>,
    },
    /// Rigid body: tets, a closed surface, or an outline.
    Rigid {
        /// kg/m³, of an outline kg/m²; a `mass` of the body takes its place.
        #[serde(default = "density")]
        density: f64,
    },
    /// Shape matching instead of internal forces; for any mesh, and for points.
    ShapeMatched {
        /// What may change.
        #[serde(default)]
        mode: ShapeMode,
        /// Share of the best `linear` or `quadratic` match in the goal, from 0 to 1; the
        /// rest is rigid.
        #[serde(default = "blend")]
        blend: f64,
        /// What happens to the volume of `linear` shapes.
        #[serde(default)]
        volume: ShapeVolume,
        /// How fast a vertex swings about its goal, rad/s; firm when `share` is left out too.
        #[serde(default)]
        rate: Option<f64>,
        /// Share of the way to the goal in each step; instead of `rate`.
        #[serde(default)]
        share: Option<f64>,
        /// Plastic flow of the shape; none when left out.
        #[serde(default)]
        plasticity: Option<Plasticity>,
        /// Several overlapping groups; one of all vertices when left out.
        #[serde(default)]
        clusters: Option<Clusters>,
        /// Of tets, kg/m³.
        #[serde(default = "density")]
        density: f64,
    },
    /// Finite elements, corotational linear elasticity.
    Corotational {
        /// Young's modulus, Pa.
        young: f64,
        /// Poisson's ratio; above −1, below 0.5.
        #[serde(default = "poisson")]
        poisson: f64,
        /// Stress of a strain rate over that of a strain, s.
        #[serde(default)]
        damping: f64,
        /// kg/m³.
        #[serde(default = "density")]
        density: f64,
    },
    /// Finite elements, neo-Hookean elasticity.
    NeoHookean {
        /// Young's modulus, Pa.
        young: f64,
        /// Poisson's ratio; above −1, below 0.5.
        #[serde(default = "poisson")]
        poisson: f64,
        /// Stress of a strain rate over that of a strain, s.
        #[serde(default)]
        damping: f64,
        /// kg/m³.
        #[serde(default = "density")]
        density: f64,
    },
    /// A material by name: finite elements with constants from the literature. The scene as resolved
    /// has its numbers.
    Preset {
        /// Which.
        name: PresetName,
        /// Stress of a strain rate over that of a strain, s; that of the preset when left out.
        #[serde(default)]
        damping: Option<f64>,
    },
    /// A soft outline: springs along its rings, and an area that it keeps.
    Ring {
        /// Of each segment, N/m, or N with the relative law.
        stiffness: f64,
        /// What stiffness means.
        #[serde(default)]
        law: SpringLaw,
        /// Of each spring, N·s/m.
        #[serde(default)]
        damping: f64,
        /// Of springs over two segments, in the unit of `stiffness`; 0 for none.
        #[serde(default)]
        bend: f64,
        /// Length of the segments at the start over that at rest; above 1 they pull.
        #[serde(default = "stretch")]
        stretch: f64,
        /// k in the energy ½ k (A − A₀)² / A₀ of the area A, N/m; 0 for none.
        #[serde(default)]
        area: f64,
        /// kg/m²; a `mass` of the body takes its place.
        #[serde(default = "density")]
        density: f64,
    },
    /// An outline that never moves, as a wall; pins with keyframes can move it.
    Fixed {},
    /// No internal forces: vertices are free, or held by constraints.
    None {
        /// Of tets, kg/m³.
        #[serde(default = "density")]
        density: f64,
    },
}

fn density() -> f64 {
    1000.0
}

fn poisson() -> f64 {
    0.3
}

fn blend() -> f64 {
    0.5
}

/// Part of a mesh that is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Extract {
    /// All of it.
    #[default]
    Mesh,
    /// Its vertices, as points that nothing joins.
    Points,
    /// The outline of its shadow on the plane z = 0, in which the body moves; the rest is carried
    /// along. For rigid bodies.
    Outline,
}

/// What the stiffness of a spring means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpringLaw {
    /// Force per stretch, N/m.
    #[default]
    Absolute,
    /// Force per strain, N.
    Relative,
}

/// Plasticity: when and how fast rest values follow the shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plasticity {
    /// Strain up to which deformation is elastic.
    pub yield_strain: f64,
    /// Share of the strain beyond that is lost per second, 1/s.
    pub creep_rate: f64,
    /// Largest drift of a rest value, relative to its first; below 1.
    pub max_drift: f64,
}

/// Another material for some tets, selected by one of `region` and `plane`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// Region of the tets, as numbered in the mesh file.
    #[serde(default)]
    pub region: Option<u32>,
    /// All tets whose middle is on the far side of a plane, in the space of the mesh, before
    /// scale, rotation and position, m; of several planes the first counts.
    #[serde(default)]
    pub plane: Option<PinPlane>,
    /// What they are made of.
    pub material: Material,
}

/// Pinned vertices, selected by one of `box`, `plane` and `vertices`.
///
/// Coordinates are in the space of the mesh, before scale, rotation and position.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Pin {
    /// All vertices in a box, its border included, m.
    #[serde(rename = "box")]
    pub space: Option<PinBox>,
    /// All vertices on the far side of a plane, the plane included, m.
    pub plane: Option<PinPlane>,
    /// Vertices by number, from 0 in the order of the file.
    pub vertices: Option<Vec<u32>>,
    /// Their motion: translation, m, and rotation about the body's position, rad, by time; fixed
    /// when left out.
    pub keyframes: Vec<Keyframe>,
}

/// A box, edges along the axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PinBox {
    /// Smallest coordinates, m.
    pub min: [f64; 3],
    /// Largest coordinates, m.
    pub max: [f64; 3],
}

/// A plane with a far side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PinPlane {
    /// A point of it, m.
    pub point: [f64; 3],
    /// Direction to the far side, any length.
    pub normal: [f64; 3],
}

/// A keyframe: where something is at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Keyframe {
    /// Time, s.
    pub time: f64,
    /// Position or translation, m.
    #[serde(default)]
    pub position: [f64; 3],
    /// Rotation: axis times angle, rad.
    #[serde(default)]
    pub rotation: [f64; 3],
}

/// A constraint on the lengths of edges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Constraint {
    /// Kind of constraint.
    pub kind: ConstraintKind,
    /// Which edges.
    #[serde(default)]
    pub edges: EdgeKind,
    /// Target length over the rest length.
    #[serde(default = "stretch")]
    pub stretch: f64,
}

fn stretch() -> f64 {
    1.0
}

/// Kind of constraint on an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ConstraintKind {
    /// Its length is kept.
    Distance,
    /// Its length does not grow.
    AtMost,
}

/// A group of edges; only a cloth has others than structural ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EdgeKind {
    /// All of them.
    All,
    /// Along the rows of a cloth; all edges of other meshes.
    #[default]
    Structural,
    /// Across the cells of a cloth.
    Shear,
    /// Over two cells of a cloth.
    Bend,
    /// Not edges: from each free vertex to the nearest pinned one, so that a long cloth does
    /// not sag.
    Tether,
}
