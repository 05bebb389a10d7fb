//! Keys of contact between bodies.

use pliant::solve::constraint::ConstraintSettings;
use pliant::step::UNCONVERGED;
use pliant_papers::bodies::{BodyPenaltySettings, Kind};
use pliant_papers::surface::SurfaceSettings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Contact between bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Response {
    /// Bodies pass through each other.
    None,
    /// Contacts with friction, solved together with the materials; overlap is left by moving
    /// whole bodies. Needs `implicit-euler` with `newton_iterations` 0.
    Constraint,
    /// Springs push vertices out along consistent directions; with any integrator, and the one
    /// of outlines when left out.
    Penalty,
    /// The same towards the closest point of the surface.
    Closest,
    /// Springs that begin before the surface; with any integrator.
    Buffer,
    /// Forces that grow without bound as gaps close; needs short steps, which are made.
    Barrier,
    /// Vertices inside are corrected after each step, position and velocity; outlines never
    /// overlap: steps are cut where they meet, and impulses separate them.
    Impulse,
    /// An explicit contact surface between two bodies, placed where their pressures balance.
    Surface,
}

/// A correction of `surface`, by its erratum in the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Correction {
    /// S1: sign of the other side's penetration directions.
    WayOutSign,
    /// S2: steps of 1/2, 1/4, 1/8 … towards equal pressure.
    HalvingSteps,
    /// S4: forces of the other side over their own areas.
    AreaWeights,
    /// S5: weights of the point where a way out meets its triangle.
    ExitWeights,
    /// S8: vertices inside their own body stay.
    OwnInside,
    /// S12: the own triangle fills up a comparison that lacks weight.
    MissingWeight,
}

/// Which `surface` handles first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Vertices alone, as in the paper.
    #[default]
    Vertices,
    /// The approach of whole bodies ends first, then that of their vertices.
    Approach,
    /// The same; bodies that overlap are also shifted apart as wholes, and contact begins
    /// a margin before the surface. For what lies on others, not for what is squeezed.
    Settling,
}

/// Bodies taken together or in pairs where depth is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DepthScope {
    /// A vertex leaves all others at once.
    Scene,
    /// A vertex leaves each of the others on its own.
    Pairs,
}

/// Normals at the corners of a triangle where depth is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DepthNormals {
    /// Smooth: faces around the vertex weighted by their area.
    Area,
    /// Smooth: faces around the vertex weighted by their angle there.
    Angle,
    /// Flat: the triangle's own normal.
    Face,
}

/// How depth is measured with `penalty`, `closest`, `impulse` and `surface`; `closest` knows the
/// scope alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Depth {
    /// Power of the distance in the weights of crossings and neighbours; positive. 2 in the paper
    /// and when left out; 1 gives the weights of the lecture on mass-spring systems.
    pub exponent: Option<f64>,
    /// Left out, `pairs` with `surface` and `scene` with the others.
    pub scope: Option<DepthScope>,
    /// Left out, `face` with `impulse` and `area` with the others.
    pub normals: Option<DepthNormals>,
}

impl Depth {
    /// Whether all is left out.
    fn is_usual(&self) -> bool {
        *self == Depth::default()
    }
}

/// Settings of the contact response; lengths are per size of the smaller body, which is the
/// shortest side of its box at rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Contact {
    /// Coulomb's coefficient between bodies; at least 0.
    pub friction: f64,
    /// Coefficient of restitution with `constraint` and `impulse`, from 0 to 1; an obstacle has
    /// its own. It falls off at small speeds, but not with `impulse` between meshes.
    pub restitution: f64,
    /// Gap at which contact begins, per size; positive.
    pub offset: f64,
    /// Speculative distance: how far ahead contacts of fast bodies are detected, per size; at
    /// least 0.
    pub speculative_distance: f64,
    /// Maximum speed at which a gap below `offset` is opened, per size, 1/s; at least 0. Where bodies slide in shallow overlap, a tenth of that speed is added.
    pub max_depenetration_speed: f64,
    /// Change of a contact's velocity by one more relaxation that makes a step unconverged, times
    /// the step over the size; positive. Steps are only counted: no result depends on it.
    pub convergence_tolerance: f64,
    /// Of the springs of `penalty`, `closest` and `buffer`, N/m; from masses and step when
    /// left out.
    pub stiffness: Option<f64>,
    /// Share of critical damping of these springs; at least 0.
    pub damping: f64,
    /// Gap at which `buffer` and `barrier` begin to push, per size; a fiftieth when left out.
    pub reach: Option<f64>,
    /// Energy scale of one contact of `barrier`, J; from the masses and a speed of 2 m/s, or the
    /// approach where that is faster, when left out.
    pub strength: Option<f64>,
    /// How depth is measured.
    #[serde(skip_serializing_if = "Depth::is_usual")]
    pub depth: Depth,
    /// Whether these springs are solved together with the materials; they are then
    /// a hundred times stiffer when `stiffness` is left out. Needs `implicit-euler` with
    /// `newton_iterations` 0.
    pub implicit: bool,
    /// Bound of the error of lengths between outlines, m; a hundredth of the shorter side of the
    /// smallest outline when left out. With `penalty`, points of an edge that are looked at are
    /// four times as far apart; with `impulse`, contact begins at this gap.
    pub error: Option<f64>,
    /// Iterations in which `surface` is placed; from 1 to 52.
    pub iterations: u32,
    /// Of each particle, where bodies of particles meet each other, m; half the mean distance of
    /// neighbours when left out.
    pub point_radius: Option<f64>,
    /// Formulas of `surface` that are used as printed, without the correction.
    pub uncorrected: Vec<Correction>,
    /// Which `surface` handles first, vertices or bodies.
    pub order: Order,
}

impl Default for Contact {
    fn default() -> Contact {
        let ConstraintSettings { contacts, max_depenetration_speed, restitution, .. } =
            ConstraintSettings::default();
        let (friction, margin) = (contacts.friction, contacts.margin);
        let BodyPenaltySettings { damping, .. } =
            BodyPenaltySettings::of_step(Kind::Consistent, 1.0);
        Contact {
            friction,
            restitution,
            offset: margin.offset,
            speculative_distance: margin.speculative_distance,
            max_depenetration_speed,
            convergence_tolerance: UNCONVERGED,
            stiffness: None,
            damping,
            reach: None,
            strength: None,
            depth: Depth::default(),
            implicit: false,
            error: None,
            iterations: SurfaceSettings::default().iterations,
            point_radius: None,
            uncorrected: Vec::new(),
            order: Order::default(),
        }
    }
}
