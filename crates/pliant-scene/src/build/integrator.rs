//! The integrator of a scene, with its constraints and step control.

use std::ops::Range;

use pliant::body::obstacle::Obstacle;
use pliant::id::VertexId;
use pliant::integrate::Integrator;
use pliant::integrate::constraint::{Constraints, ObstacleFn, PbdSettings, PositionConstraint};
use pliant::integrate::euler::{Euler, EulerKind};
use pliant::integrate::free_motion::FreeMotion;
use pliant::integrate::implicit::{Equations, Implicit, ImplicitKind, ImplicitSettings};
use pliant::integrate::midpoint::Midpoint;
use pliant::integrate::pbd::Pbd;
use pliant::integrate::rk4::Rk4;
use pliant::integrate::shape_matching::matching::ShapeMatching;
use pliant::integrate::sleep::SleepSettings;
use pliant::integrate::verlet::{VelocityKind, Verlet};
use pliant::math::Vec3;
use pliant::solve::linear::{LinearSettings, LinearSolver};
use pliant::step::{MatchOrder, Stepper};

use super::BuildError;
use super::bodies::SceneBodies;
use super::contact::SceneResponses;
use super::shapes::After;
use crate::diagnostic::DiagnosticKind;
use crate::spec::body::{ConstraintKind, EdgeKind};
use crate::spec::{self, IntegratorKind, Solver};

/// Halvings of a step at most.
const MOST_HALVINGS: u32 = 62;

/// Pairs of a pin and a vertex that are looked at for tethers at most.
const MOST_TETHERED: f64 = 1e9;

/// Substeps of a step at most.
const MOST_SUBSTEPS: u32 = 100_000;

/// The integrator of a scene in contact; constraints on obstacles need `pbd`.
///
/// Responses act in each substep, and a step that is rejected is repeated
/// with all its substeps.
pub fn make(
    scene: &spec::Scene,
    made: &SceneBodies,
    obstacles: Vec<Obstacle>,
    responses: SceneResponses,
    after: Option<After>,
) -> Result<Stepper, BuildError> {
    let key = &scene.integrator;
    check(key)?;
    let inner: Box<dyn Integrator> = match key.kind {
        IntegratorKind::ExplicitEuler => Box::new(Euler::new(EulerKind::Explicit)),
        IntegratorKind::SymplecticEuler => Box::new(Euler::new(EulerKind::Symplectic)),
        IntegratorKind::Midpoint => Box::new(Midpoint::new()),
        IntegratorKind::Rk4 => Box::new(Rk4::new()),
        IntegratorKind::Verlet => Box::new(Verlet::new(VelocityKind::Backward)),
        IntegratorKind::VerletCentral => Box::new(Verlet::new(VelocityKind::Central)),
        IntegratorKind::ImplicitEuler => implicit(key, ImplicitKind::Euler)?,
        IntegratorKind::ImplicitMidpoint => implicit(key, ImplicitKind::Midpoint)?,
        IntegratorKind::Bdf2 => implicit(key, ImplicitKind::Bdf2)?,
        IntegratorKind::Pbd => {
            let rules = rules(scene, made, obstacles)?;
            let settings = PbdSettings { tolerance: key.slack, sweeps: key.sweeps as usize };
            Box::new(Pbd::new(VelocityKind::Backward, rules, settings))
        }
    };
    let ruled = scene.bodies.iter().position(|body| !body.constraints.is_empty());
    if let (Some(body), false) = (ruled, key.kind == IntegratorKind::Pbd) {
        let message = "only the integrator `pbd` keeps constraints";
        return Err(BuildError::value(format!("bodies.{body}.constraints"), message));
    }
    let mut stepper = Stepper::new(inner)
        .with_responses(responses.others)
        .with_substeps(key.substeps)
        .with_halvings(key.max_halvings.unwrap_or(0))
        .with_convergence_tolerance(scene.contact.convergence_tolerance);
    if let Some(contact) = responses.contact {
        stepper = stepper.with_contact(contact);
    }
    if let Some((groups, velocities)) = after {
        // Contact has the last word: so friction acts on whole shapes.
        let matching = ShapeMatching::new(groups, velocities);
        stepper = stepper.with_matching(matching, MatchOrder::BeforeContact);
    }
    stepper = stepper.with_free_motion(match key.free_motion {
        spec::FreeMotion::Conserving => FreeMotion::Conserving,
        spec::FreeMotion::Gyroscopic => FreeMotion::Explicit,
        spec::FreeMotion::Plain => FreeMotion::Lecture,
    });
    if key.sleep {
        stepper = stepper.with_sleep(SleepSettings::default());
    }
    Ok(stepper)
}

fn check(key: &spec::Integrator) -> Result<(), BuildError> {
    let refuse =
        |name: &str, message: String| Err(BuildError::value(format!("integrator.{name}"), message));
    if !(1..=MOST_SUBSTEPS).contains(&key.substeps) {
        return refuse("substeps", format!("{} substeps: from 1 to {MOST_SUBSTEPS}", key.substeps));
    }
    if let Some(halvings) = key.max_halvings.filter(|halvings| *halvings > MOST_HALVINGS) {
        return refuse("max_halvings", format!("{halvings} halvings: at most {MOST_HALVINGS}"));
    }
    for (name, value) in [("tolerance", key.tolerance), ("slack", key.slack)] {
        if value <= 0.0 {
            return refuse(name, format!("the {name} is {value}: it must be positive"));
        }
    }
    Ok(())
}

fn implicit(key: &spec::Integrator, kind: ImplicitKind) -> Result<Box<dyn Integrator>, BuildError> {
    let solver = match key.solver {
        Solver::Pcg => LinearSolver::Pcg,
        #[cfg(feature = "direct")]
        Solver::Cholesky => LinearSolver::Cholesky,
        #[cfg(not(feature = "direct"))]
        Solver::Cholesky => {
            let message = "this program was built without the direct solver";
            let wrong = BuildError::value("integrator.solver", message);
            let help = "build it with `cargo build --release -p pliant-cli --features direct`, or \
                        take solver = \"pcg\"";
            return Err(wrong.with_help(help));
        }
    };
    let tolerance = key.tolerance;
    let equations = match key.newton_iterations {
        0 => Equations::LinearisedOnce,
        iterations => Equations::Newton { iterations: iterations as usize, tolerance },
    };
    let linear = LinearSettings { solver, tolerance, iterations: key.iterations as usize };
    Ok(Box::new(Implicit::new(ImplicitSettings { kind, equations, linear, ..Default::default() })))
}

/// Constraints of a scene at most: 100 MB of them.
const MOST_CONSTRAINTS: usize = 3_000_000;

/// Constraints on edges, body after body, then on obstacles.
fn rules(
    scene: &spec::Scene,
    made: &SceneBodies,
    obstacles: Vec<Obstacle>,
) -> Result<Constraints, BuildError> {
    let mut list = Vec::new();
    for (index, (body, group)) in scene.bodies.iter().zip(&made.groups).enumerate() {
        for (k, rule) in body.constraints.iter().enumerate() {
            let path = format!("bodies.{index}.constraints.{k}");
            if rule.stretch <= 0.0 {
                let message = format!("the stretch is {}: it must be positive", rule.stretch);
                return Err(BuildError::value(format!("{path}.stretch"), message));
            }
            let before = list.len();
            for range in &group.ranges {
                let edges: Vec<[VertexId; 2]> = match rule.edges {
                    EdgeKind::Tether => tethers(range.clone(), made, &path)?,
                    kind => {
                        let first = range.start as u32;
                        let edges = group.rest.edges_of(kind);
                        edges.map(|edge| edge.map(|v| VertexId(first + v.0))).collect()
                    }
                };
                if list.len() + edges.len() > MOST_CONSTRAINTS {
                    let message = format!("more than {MOST_CONSTRAINTS} constraints in all");
                    let help = "name each kind of edges once, or take a coarser mesh";
                    return Err(BuildError::value(format!("{path}.edges"), message).with_help(help));
                }
                for ends in edges {
                    let [a, b] = ends.map(|v| made.state.positions[v.index()]);
                    let length = rule.stretch * a.distance(b);
                    list.push(match rule.kind {
                        ConstraintKind::Distance => PositionConstraint::Distance { ends, length },
                        ConstraintKind::AtMost => PositionConstraint::AtMost { ends, length },
                    });
                }
            }
            if list.len() == before {
                return Err(BuildError::value(
                    format!("{path}.edges"),
                    "the body has no such edges",
                ));
            }
        }
    }
    let count = made.state.positions.len();
    for obstacle in 0..obstacles.len() {
        let vertices = (0..count as u32).map(VertexId);
        list.extend(vertices.map(|vertex| PositionConstraint::Outside { vertex, obstacle }));
    }
    let obstacles = obstacles.into_iter().map(|obstacle| -> ObstacleFn {
        Box::new(move |point, time| {
            let here = obstacle.at(time);
            // Where no way out is known, up is as good as any.
            (here.distance(point), here.normal(point).unwrap_or(Vec3::Z))
        })
    });
    Constraints::new(list, obstacles.collect(), count)
        .map_err(|error| BuildError::value("bodies", error))
}

/// From each free vertex of a body to the nearest pinned one; of equally near ones the first.
fn tethers(
    body: Range<usize>,
    made: &SceneBodies,
    path: &str,
) -> Result<Vec<[VertexId; 2]>, BuildError> {
    let pins = made.system.pins.vertices();
    let first = pins.partition_point(|vertex| vertex.index() < body.start);
    let last = pins.partition_point(|vertex| vertex.index() < body.end);
    let pins = &pins[first..last];
    let work = pins.len() as f64 * body.len() as f64;
    if work > MOST_TETHERED {
        let message =
            format!("{} pins and {} vertices are too many to tether", pins.len(), body.len());
        return Err(BuildError::new(DiagnosticKind::TooLarge, path, message));
    }
    let positions = &made.state.positions;
    let mut tethers = Vec::new();
    for vertex in body.map(|k| VertexId(k as u32)) {
        let distance = |pin: &VertexId| positions[pin.index()].distance(positions[vertex.index()]);
        let nearest = pins.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        if let Some(pin) = nearest.filter(|_| pins.binary_search(&vertex).is_err()) {
            tethers.push([*pin, vertex]);
        }
    }
    Ok(tethers)
}
