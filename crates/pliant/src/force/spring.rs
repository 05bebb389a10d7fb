//! Springs with dampers along any set of edges.
//!
//! | here          | lecture | meaning                                              |
//! |---------------|---------|------------------------------------------------------|
//! | `apart`       | xⱼ − xᵢ | from the first end to the second, m                  |
//! | `length`      | l       | its length, m                                        |
//! | `direction`   | rᵢⱼ     | unit vector along it; zero for a spring of no length |
//! | `stiffness`   | k_s     | N/m, or N with the relative law                      |
//! | `damping`     | k_d     | N·s/m                                                |
//! | `rest_length` | l₀      | m                                                    |
//! | `tension`     | f·r     | pull along the spring, N; negative is a push         |
//! | `rate`        | Δv·r    | speed at which the spring grows, m/s                 |

use crate::force::elements::{Corners, Material};
use crate::force::plasticity::{Plasticity, PlasticityError, RestValue};
use crate::force::stiffness::{Form, Tangent};
use crate::id::VertexId;
use crate::math::{Mat3, Vec3, outer};
use crate::snapshot::{Snapshot, SnapshotError};

/// What a spring's stiffness means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpringLaw {
    /// Force per length of stretch: stiffness in N/m.
    #[default]
    Absolute,
    /// Force per strain: stiffness in N; k in N/m is the same as k·l₀ in N.
    Relative,
}

/// Springs that are all alike but for their rest lengths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringSettings {
    /// Which force law.
    pub law: SpringLaw,
    /// N/m with the absolute law, N with the relative one; not negative.
    pub stiffness: f64,
    /// N·s/m with either law; not negative.
    pub damping: f64,
}

/// One spring with its damper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Its two vertices, counted in the scene; not the same.
    pub ends: [VertexId; 2],
    /// N/m with the absolute law, N with the relative one; not negative.
    pub stiffness: f64,
    /// N·s/m with either law; not negative.
    pub damping: f64,
    /// m; not negative, and positive with the relative law.
    pub rest_length: f64,
}

/// Why a spring cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SpringError {
    /// An end that does not exist.
    #[error("spring {spring} ends at vertex {vertex}, but there are {count} vertices")]
    Vertex {
        /// First such spring.
        spring: usize,
        /// Its end.
        vertex: VertexId,
        /// Number of vertices.
        count: usize,
    },
    /// A spring from a vertex to itself.
    #[error("spring {spring} has both ends at vertex {vertex}")]
    Ends {
        /// First such spring.
        spring: usize,
        /// Both of its ends.
        vertex: VertexId,
    },
    /// A stiffness that is negative or not finite, as given or over the rest length.
    #[error("spring {spring} has stiffness {stiffness}: it must be finite and not negative")]
    Stiffness {
        /// First such spring.
        spring: usize,
        /// N/m, or N.
        stiffness: f64,
    },
    /// A damping that is negative or not finite.
    #[error("spring {spring} has damping {damping} N·s/m: it must be finite and not negative")]
    Damping {
        /// First such spring.
        spring: usize,
        /// N·s/m.
        damping: f64,
    },
    /// A rest length that is negative or not finite.
    #[error("spring {spring} has rest length {length} m: it must be finite and not negative")]
    RestLength {
        /// First such spring.
        spring: usize,
        /// m.
        length: f64,
    },
    /// A rest length that the relative law cannot divide by.
    #[error("spring {spring} has rest length 0 m: the relative law needs a positive one")]
    NoRestLength {
        /// First such spring.
        spring: usize,
    },
}

/// Springs with dampers, each between two vertices.
///
/// A spring whose ends coincide has no direction: it pulls nowhere, and its tangent is
/// zero unless the rest length is zero too, where the elastic part is stiffness · identity.
///
/// - Implements: [Zachmann slide "Eine einzelne Feder (mit Dämpfer)"], both force laws.
/// - Implements: [Zachmann slide "Berechnung der Steifigkeitsmatrix"].
/// - Deviates: the tangent has the damper's part too, by position and by velocity (L5b);
///   the relative law's damper is not divided by l₀, as the slide divides the spring alone.
/// - Deviates: the definite form leaves out the transverse part of a spring under pressure
///   (L8) and the damper's part that is not symmetric.
/// - Erratum: the sign and the factor 2 of the last term of the printed Kᵢᵢ (L1); shown by
///   `the_printed_jacobian_repels_along_the_spring`.
/// - Erratum: Kᵢⱼ = −Kⱼᵢ and Kⱼⱼ = Kⱼᵢ (L3); shown by `blocks_are_plus_and_minus_one_matrix`.
#[derive(Clone, Debug)]
pub struct Springs {
    /// Stiffness is in N/m whatever the law.
    springs: Vec<Spring>,
    /// Plasticity settings, and the first rest lengths, m; one per spring, or none.
    plasticity: Option<(Plasticity, Vec<f64>)>,
}

impl Springs {
    /// Springs with values of their own, between vertices below `vertex_count`.
    pub fn new(
        vertex_count: usize,
        law: SpringLaw,
        mut springs: Vec<Spring>,
    ) -> Result<Springs, SpringError> {
        for (index, spring) in springs.iter_mut().enumerate() {
            check(index, spring, vertex_count)?;
            if law == SpringLaw::Relative {
                if spring.rest_length == 0.0 {
                    return Err(SpringError::NoRestLength { spring: index });
                }
                spring.stiffness /= spring.rest_length;
                check(index, spring, vertex_count)?;
            }
        }
        Ok(Springs { springs, plasticity: None })
    }

    /// Springs along edges, at rest where the vertices are in `rest`, world space, m.
    pub fn along(
        rest: &[Vec3],
        edges: &[[VertexId; 2]],
        settings: SpringSettings,
    ) -> Result<Springs, SpringError> {
        let SpringSettings { law, stiffness, damping } = settings;
        // Ends out of range get any length: they are rejected below.
        let at = |vertex: VertexId| rest.get(vertex.index()).copied().unwrap_or(Vec3::ZERO);
        let spring = |&ends: &[VertexId; 2]| {
            let rest_length = at(ends[0]).distance(at(ends[1]));
            Spring { ends, stiffness, damping, rest_length }
        };
        Springs::new(rest.len(), law, edges.iter().map(spring).collect())
    }

    /// The same springs with rest lengths that drift.
    ///
    /// Strain is relative to the first rest length, and the stiffness in N/m stays as it
    /// is; a spring with rest length zero does not drift.
    pub fn with_plasticity(self, plasticity: Plasticity) -> Result<Springs, PlasticityError> {
        plasticity.check()?;
        let first = self.springs.iter().map(|spring| spring.rest_length).collect();
        Ok(Springs { plasticity: Some((plasticity, first)), ..self })
    }

    /// All springs; stiffness in N/m whatever the law, rest lengths as they are now.
    pub fn list(&self) -> &[Spring] {
        &self.springs
    }
}

/// Rejects values that no spring can have.
fn check(index: usize, spring: &Spring, vertex_count: usize) -> Result<(), SpringError> {
    let Spring { ends, stiffness, damping, rest_length } = *spring;
    if let Some(&vertex) = ends.iter().find(|end| end.index() >= vertex_count) {
        return Err(SpringError::Vertex { spring: index, vertex, count: vertex_count });
    }
    if ends[0] == ends[1] {
        return Err(SpringError::Ends { spring: index, vertex: ends[0] });
    }
    let sound = |value: f64| value >= 0.0 && value.is_finite();
    if !sound(stiffness) {
        return Err(SpringError::Stiffness { spring: index, stiffness });
    }
    if !sound(damping) {
        return Err(SpringError::Damping { spring: index, damping });
    }
    if !sound(rest_length) {
        return Err(SpringError::RestLength { spring: index, length: rest_length });
    }
    Ok(())
}

impl Material<2> for Springs {
    #[inline]
    fn count(&self) -> usize {
        self.springs.len()
    }

    #[inline]
    fn vertices(&self, element: usize) -> [VertexId; 2] {
        self.springs[element].ends
    }

    fn energy(&self, element: usize, at: &Corners<2>) -> f64 {
        let Spring { stiffness, rest_length, .. } = self.springs[element];
        let stretch = at.positions[0].distance(at.positions[1]) - rest_length;
        0.5 * stiffness * stretch * stretch
    }

    // Called from generic code in other crates, which cannot see into it otherwise.
    #[inline]
    fn forces(&self, element: usize, at: &Corners<2>) -> [Vec3; 2] {
        let Spring { stiffness, damping, rest_length, .. } = self.springs[element];
        let Line { apart, length, inverse, slope } = Line::new(at);
        let tension = stiffness * (length - rest_length) + damping * (slope * inverse);
        // The length is divided out last, so that velocities do not wait for it.
        let pull = (tension * inverse) * apart;
        [pull, -pull]
    }

    #[inline(always)]
    fn tangent(&self, element: usize, at: &Corners<2>, tangent: Tangent) -> [[Mat3; 2]; 2] {
        let Spring { stiffness, damping, rest_length, .. } = self.springs[element];
        let Line { apart, length, inverse, slope } = Line::new(at);
        if length == 0.0 {
            let elastic = if rest_length == 0.0 { tangent.stiffness * stiffness } else { 0.0 };
            return blocks(Mat3::from_diagonal(Vec3::splat(elastic)));
        }
        let direction = apart * inverse;
        let tension = stiffness * (length - rest_length) + damping * (slope * inverse);
        let felt = match tangent.form {
            Form::Exact => tension,
            Form::Definite => tension.max(0.0),
        };
        let across = tangent.stiffness * (felt * inverse);
        let along = tangent.stiffness * stiffness + tangent.damping * damping;
        // Of products in this order, so that the bits are symmetric.
        let mut block = outer(direction, direction) * (along - across);
        block.x_axis.x += across;
        block.y_axis.y += across;
        block.z_axis.z += across;
        if tangent.form == Form::Exact {
            // Rotation changes which part of the velocity acts.
            let apart_rate = at.velocities[1] - at.velocities[0];
            let slip = apart_rate - direction.dot(apart_rate) * direction;
            block += outer(direction, slip) * (tangent.stiffness * (damping * inverse));
        }
        blocks(block)
    }

    fn flow(&mut self, element: usize, at: &Corners<2>, dt: f64) {
        let Some((plasticity, first)) = &self.plasticity else { return };
        let (spring, start) = (&mut self.springs[element], first[element]);
        let drift = RestValue { now: spring.rest_length, start, scale: start };
        let length = at.positions[0].distance(at.positions[1]);
        spring.rest_length = plasticity.rest_after(drift, length, dt);
    }

    fn save(&self, memory: &mut Snapshot) {
        if self.flows() {
            self.springs.iter().for_each(|spring| memory.write(spring.rest_length));
        }
    }

    fn restore(&mut self, memory: &mut Snapshot) -> Result<(), SnapshotError> {
        if self.flows() {
            for spring in &mut self.springs {
                spring.rest_length = memory.read("springs")?;
            }
        }
        Ok(())
    }

    fn flows(&self) -> bool {
        self.plasticity.is_some()
    }
}

/// Offset, length and rate of a spring.
#[derive(Clone, Copy)]
struct Line {
    /// From the first end to the second, m.
    apart: Vec3,
    /// m.
    length: f64,
    /// 1/m; zero without length.
    inverse: f64,
    /// Length times the speed at which it grows, m²/s.
    slope: f64,
}

impl Line {
    #[inline]
    fn new(at: &Corners<2>) -> Line {
        let apart = at.positions[1] - at.positions[0];
        let length = apart.length();
        let inverse = if length > 0.0 { 1.0 / length } else { 0.0 };
        let slope = (at.velocities[1] - at.velocities[0]).dot(apart);
        Line { apart, length, inverse, slope }
    }
}

/// Blocks of both ends: the force on an end is −`block` times its own displacement.
#[inline(always)]
fn blocks(block: Mat3) -> [[Mat3; 2]; 2] {
    [[block, -block], [-block, block]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::check;

    const ENDS: [VertexId; 2] = [VertexId(0), VertexId(1)];
    const SPRING: Spring = Spring { ends: ENDS, stiffness: 3.0, damping: 0.7, rest_length: 1.25 };
    const EXACT: Tangent = Tangent { stiffness: 1.0, damping: 0.0, form: Form::Exact };
    /// Relative error of sums of a few products.
    const ROUNDING: f64 = 1e-14;
    /// Bound on what a creep of 1e9 per second leaves after a second.
    const SHORT_OF_ENDLESS: f64 = 1e-8;

    fn springs(spring: Spring) -> Springs {
        Springs::new(2, SpringLaw::Absolute, vec![spring]).unwrap()
    }

    fn still(apart: Vec3) -> Corners<2> {
        Corners { positions: [Vec3::ZERO, apart], velocities: [Vec3::ZERO; 2], time: 0.0 }
    }

    /// Stretched, compressed, and not far from rest.
    fn states() -> [[Vec3; 2]; 3] {
        let start = Vec3::new(0.3, -0.2, 0.1);
        [2.0, 0.5, 1.3].map(|length| [start, start + length * Vec3::new(0.6, 0.0, 0.8)])
    }

    #[test]
    fn a_stretched_spring_pulls_and_a_growing_one_is_held() {
        let mut at = still(2.0 * Vec3::X);
        at.velocities[1] = Vec3::new(4.0, 9.0, 0.0); // only the 4 m/s along it count
        let pull = 3.0 * (2.0 - 1.25) + 0.7 * 4.0;
        assert_eq!(springs(SPRING).forces(0, &at), [pull * Vec3::X, -pull * Vec3::X]);
        assert_eq!(springs(SPRING).energy(0, &at), 0.5 * 3.0 * 0.75 * 0.75);
    }

    #[test]
    fn springs_pass_what_every_material_must() {
        let material = springs(SPRING);
        check::derivatives(&material, &states(), 1.0);
        check::balance(&material, &states(), 1.0);
        check::definite(&material, &states());
        let (soft, loose) =
            (Spring { stiffness: 0.0, ..SPRING }, Spring { rest_length: 0.0, ..SPRING });
        check::derivatives(&springs(soft), &states(), 1.0);
        check::derivatives(&springs(loose), &states(), 1.0);
    }

    #[test]
    fn the_printed_jacobian_repels_along_the_spring() {
        let apart = Vec3::new(0.9, -1.2, 1.0);
        let (k, l0, l) = (SPRING.stiffness, SPRING.rest_length, apart.length());
        let direction = apart / l;
        // K of the lecture is the derivative itself, the tangent minus it (L15).
        let right = springs(SPRING).tangent(0, &still(apart), EXACT)[0][0] * -1.0;
        let printed = Mat3::IDENTITY * (-k + k * l0 / l)
            + outer(apart, apart) * (2.0 * k * l0 / crate::math::powi(l, 3));
        let corrected = Mat3::IDENTITY * (-k + k * l0 / l)
            - outer(apart, apart) * (k * l0 / crate::math::powi(l, 3));
        assert!(right.abs_diff_eq(corrected, k * ROUNDING), "{right} {corrected}");
        let push = |matrix: Mat3| direction.dot(matrix * direction);
        assert!((push(right) + k).abs() < k * ROUNDING, "{}", push(right));
        // −k + 3 k l0/l, which repels wherever l < 3 l0.
        assert!((push(printed) - (-k + 3.0 * k * l0 / l)).abs() < k * ROUNDING);
        assert!(push(printed) > 0.0);
    }

    #[test]
    fn blocks_are_plus_and_minus_one_matrix() {
        for state in states() {
            let at = Corners { positions: state, velocities: [Vec3::ZERO; 2], time: 0.0 };
            let [[ii, ij], [ji, jj]] = springs(SPRING).tangent(0, &at, EXACT);
            assert_eq!((ij, jj, ji), (-ii, ii, ij));
            assert!(ii.abs_diff_eq(ii.transpose(), 0.0));
            assert_ne!(ii, Mat3::ZERO);
        }
    }

    #[test]
    fn the_dampers_derivative_by_position_is_not_symmetric() {
        let mut at = still(Vec3::X);
        at.velocities[1] = Vec3::Y;
        let damper = springs(Spring { stiffness: 0.0, ..SPRING });
        // L5b: k_d/l (r (Δvᵀ P) + (Δv·r) P) with r = x, Δv = y.
        let expected = outer(Vec3::X, Vec3::Y) * SPRING.damping;
        assert_eq!(damper.tangent(0, &at, EXACT)[0][0], expected);
        let definite = Tangent { form: Form::Definite, ..EXACT };
        assert_eq!(damper.tangent(0, &at, definite)[0][0], Mat3::ZERO);
    }

    #[test]
    fn a_compressed_spring_is_indefinite_beyond_the_step_of_l8() {
        let spring = Spring { stiffness: 100.0, damping: 0.0, rest_length: 1.0, ends: ENDS };
        let at = still(0.5 * Vec3::X);
        // Masses 1 kg moving apart across the spring: their inertia is 2, each block counts
        // four times with one sign. The limit is 1/√(k (l0/l − 1) (1/m1 + 1/m2)).
        let across = |form: Form, dt: f64| {
            let [[ii, ij], [ji, jj]] = springs(spring).tangent(0, &at, Tangent { form, ..EXACT });
            2.0 + dt * dt * Vec3::Y.dot((ii - ij - ji + jj) * Vec3::Y)
        };
        let limit = 1.0 / (100.0 * 1.0 * 2.0_f64).sqrt();
        assert!(across(Form::Exact, 0.999 * limit) > 0.0);
        assert!(across(Form::Exact, 1.001 * limit) < 0.0);
        assert_eq!(across(Form::Definite, 1e6), 2.0);
    }

    #[test]
    fn relative_stiffness_is_absolute_stiffness_times_rest_length() {
        let rest = [Vec3::ZERO, 0.5 * Vec3::X]; // a power of two: the same bits
        let along = |law, stiffness| {
            Springs::along(&rest, &[ENDS], SpringSettings { law, stiffness, damping: 0.3 }).unwrap()
        };
        let (absolute, relative) =
            (along(SpringLaw::Absolute, 7.0), along(SpringLaw::Relative, 7.0 * 0.5));
        for state in states() {
            let at = Corners { positions: state, velocities: [Vec3::Y, Vec3::Z], time: 0.0 };
            assert_eq!(absolute.forces(0, &at), relative.forces(0, &at));
            assert_eq!(absolute.energy(0, &at), relative.energy(0, &at));
            assert_eq!(absolute.tangent(0, &at, EXACT), relative.tangent(0, &at, EXACT));
        }
        // By hand, from the slide: k (l − l0)/l0 = 3.5 (2 − 0.5)/0.5.
        assert_eq!(relative.forces(0, &still(2.0 * Vec3::X))[0], 10.5 * Vec3::X);
    }

    #[test]
    fn a_spring_without_length_pulls_nowhere() {
        let mut at = still(Vec3::ZERO);
        at.velocities[1] = Vec3::X;
        for form in [Form::Exact, Form::Definite] {
            let tangent = Tangent { stiffness: 1.0, damping: 1.0, form };
            assert_eq!(springs(SPRING).forces(0, &at), [Vec3::ZERO; 2]);
            assert_eq!(springs(SPRING).tangent(0, &at, tangent), [[Mat3::ZERO; 2]; 2]);
            let loose = springs(Spring { rest_length: 0.0, ..SPRING });
            assert_eq!(loose.tangent(0, &at, tangent)[0][0], Mat3::IDENTITY * 3.0);
        }
        at.positions[1] = 1e-161 * Vec3::X; // its square is the smallest number
        assert!(springs(SPRING).forces(0, &at)[0].is_finite());
    }

    #[test]
    fn what_is_no_spring_is_named() {
        let message = |spring: Spring, law| {
            Springs::new(2, law, vec![SPRING, spring]).unwrap_err().to_string()
        };
        let absolute = |spring| message(spring, SpringLaw::Absolute);
        let far = Spring { ends: [VertexId(0), VertexId(2)], ..SPRING };
        assert_eq!(absolute(far), "spring 1 ends at vertex 2, but there are 2 vertices");
        let loop_ = Spring { ends: [VertexId(1); 2], ..SPRING };
        assert_eq!(absolute(loop_), "spring 1 has both ends at vertex 1");
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            let found = absolute(Spring { stiffness: bad, ..SPRING });
            assert!(found.starts_with(&format!("spring 1 has stiffness {bad}")), "{found}");
            let found = absolute(Spring { damping: bad, ..SPRING });
            assert!(found.starts_with(&format!("spring 1 has damping {bad} N·s/m")), "{found}");
            let found = absolute(Spring { rest_length: bad, ..SPRING });
            assert!(found.starts_with(&format!("spring 1 has rest length {bad} m")), "{found}");
        }
        let none = Spring { rest_length: 0.0, ..SPRING };
        assert!(message(none, SpringLaw::Relative).contains("rest length 0 m"));
        assert!(Springs::new(2, SpringLaw::Absolute, vec![none]).is_ok());
        let steep = Spring { stiffness: 1e300, rest_length: 1e-300, ..SPRING };
        assert!(message(steep, SpringLaw::Relative).contains("stiffness inf"));
        let lost = Springs::along(
            &[Vec3::ZERO],
            &[ENDS],
            SpringSettings { law: SpringLaw::Absolute, stiffness: 1.0, damping: 0.0 },
        );
        assert_eq!(
            lost.unwrap_err(),
            SpringError::Vertex { spring: 0, vertex: VertexId(1), count: 1 }
        );
    }

    #[test]
    fn a_spring_keeps_what_it_was_stretched_past_its_yield() {
        let clay = Plasticity { yield_strain: 0.1, creep_rate: 1e9, max_drift: 0.5 };
        let mut springs = springs(SPRING).with_plasticity(clay).unwrap();
        springs.flow(0, &still(1.09 * 1.25 * Vec3::X), 1.0);
        assert_eq!(springs.list()[0].rest_length, 1.25);
        // A strain of 0.3 leaves one of 0.1: the rest length is 20 % longer.
        springs.flow(0, &still(1.3 * 1.25 * Vec3::X), 1.0);
        assert!(
            (springs.list()[0].rest_length - 1.2 * 1.25).abs() < SHORT_OF_ENDLESS,
            "{springs:?}"
        );
        assert!(springs.flows());
    }
}
