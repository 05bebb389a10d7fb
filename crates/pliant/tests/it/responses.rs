//! What every response between bodies conserves, one table for all.

use pliant::body::Bodies;
use pliant::body::soft::{Masses, State};
use pliant::contact::output::ContactOutput;
use pliant::contact::response::{Response, ResponseError, StepContext, Stiffness};
use pliant::depth::DepthSettings;
use pliant::force::elastic::{Corotational, Elastic};
use pliant::id::{BodyId, VertexId};
use pliant::integrate::Integrator;
use pliant::integrate::euler::{Euler, EulerKind};
use pliant::integrate::implicit::{Implicit, ImplicitSettings};
use pliant::math::{Quat, Vec3};
use pliant::mesh::generate::ball::ball;
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::normals::Normals;
use pliant::mesh::raw::RawMesh;
use pliant::mesh::surface::Surface;
use pliant::mesh::tet::TetMesh;
use pliant::prelude::{ElasticSettings, SoftMaterial};
use pliant::solve::constraint::{ConstraintResponse, ConstraintSettings};
use pliant::step::Stepper;
use pliant_papers::bodies::barrier::{BodyBarrier, BodyBarrierSettings, Strength};
use pliant_papers::bodies::buffer::{Buffer, BufferSettings};
use pliant_papers::bodies::impulse::{BodyImpulseSettings, BodyImpulses};
use pliant_papers::bodies::{BodyPenalty, BodyPenaltySettings, Kind};
use pliant_papers::surface::{ContactSurface, SurfaceSettings};

use crate::placed::{Place, Placed};

/// Sums of some hundred terms, or of some hundred steps, relative to their sizes.
const KEPT: f64 = 1e-10;
/// Rounding of the friction cone's border.
const ROUNDING: f64 = 1e-12;
/// Of the material, Pa and kg/m³.
const YOUNG: f64 = 3e4;
const DENSITY: f64 = 100.0;

/// The row of a table: one response, with the integrator that it is made for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Penalty,
    Closest,
    Buffer,
    Springs,
    Barrier,
    Impulse,
    Surface,
    /// With a margin, and with split-impulse position correction.
    WholeSurface,
    /// Small bodies: dense PGS.
    Direct,
    /// Bodies of any size: augmented Lagrangian with PCG.
    Iterative,
}

const ALL: [Way; 10] = [
    Way::Penalty,
    Way::Closest,
    Way::Buffer,
    Way::Springs,
    Way::Barrier,
    Way::Impulse,
    Way::Surface,
    Way::WholeSurface,
    Way::Direct,
    Way::Iterative,
];

/// Lengths, masses and times of another system of units, per SI unit.
#[derive(Clone, Copy, Debug)]
struct Units {
    length: f64,
    mass: f64,
    time: f64,
}

const SI: Units = Units { length: 1.0, mass: 1.0, time: 1.0 };

/// A response and its settings, as far as a test chooses them.
#[derive(Clone, Copy, Debug)]
struct Made {
    way: Way,
    friction: f64,
    units: Units,
    /// Instead of the default of responses that have one, N/m or J.
    stiffness: Option<f64>,
}

impl Made {
    fn of(way: Way) -> Made {
        Made { way, friction: 0.3, units: SI, stiffness: None }
    }

    fn smooth(way: Way) -> Made {
        Made { friction: 0.0, ..Made::of(way) }
    }

    fn is_implicit(self) -> bool {
        matches!(
            self.way,
            Way::Springs | Way::Surface | Way::WholeSurface | Way::Direct | Way::Iterative
        )
    }

    /// Length of a step, s.
    fn dt(self) -> f64 {
        // Powers of two, so that units scale without rounding.
        self.units.time * if self.is_implicit() { 1.0 / 64.0 } else { 1.0 / 1024.0 }
    }

    fn response(self, rest: &[Vec3], bodies: &Bodies) -> Result<Box<dyn Response>, ResponseError> {
        let (dt, friction) = (self.dt(), self.friction);
        let fixed = |default| self.stiffness.map_or(default, Stiffness::Fixed);
        // Of flat faces the normals are exact.
        let flat = |depth| DepthSettings { normals: Normals::Face, ..depth };
        let bodily = |kind| {
            let settings = BodyPenaltySettings::of_step(kind, dt);
            let (stiffness, depth) = (fixed(settings.stiffness), flat(settings.depth));
            BodyPenalty::new(
                rest,
                bodies,
                BodyPenaltySettings { stiffness, depth, friction, ..settings },
            )
        };
        let buffer = |settings: BufferSettings| {
            let stiffness = fixed(settings.stiffness);
            Buffer::new(rest, bodies, BufferSettings { stiffness, friction, ..settings })
        };
        let surface = |settings: SurfaceSettings| {
            let depth = flat(settings.depth);
            ContactSurface::new(rest, bodies, SurfaceSettings { depth, friction, ..settings })
        };
        Ok(match self.way {
            Way::Penalty => Box::new(bodily(Kind::Consistent)?),
            Way::Closest => Box::new(bodily(Kind::Closest)?),
            Way::Buffer => Box::new(buffer(BufferSettings::of_step(dt))?),
            Way::Springs => Box::new(buffer(BufferSettings::implicit(dt))?),
            Way::Barrier => {
                let speed = 2.0 * self.units.length / self.units.time;
                let strength = self.stiffness.map_or(Strength::OfSpeed(speed), Strength::Fixed);
                let settings = BodyBarrierSettings::default();
                let settings = BodyBarrierSettings { strength, friction, ..settings };
                Box::new(BodyBarrier::new(rest, bodies, settings)?)
            }
            Way::Impulse => {
                let settings = BodyImpulseSettings::default();
                let depth = flat(settings.depth);
                let settings = BodyImpulseSettings { depth, friction, ..settings };
                Box::new(BodyImpulses::new(rest, bodies, settings)?)
            }
            Way::Surface => Box::new(surface(SurfaceSettings::default())?),
            Way::WholeSurface => Box::new(surface(SurfaceSettings::settling())?),
            Way::Direct | Way::Iterative => {
                let mut settings = ConstraintSettings::default();
                settings.contacts.friction = friction;
                settings.max_depenetration_speed /= self.units.time;
                Box::new(ConstraintResponse::new(rest, bodies, Vec::new(), settings)?)
            }
        })
    }

    fn stepper(self, rest: &[Vec3], bodies: &Bodies) -> Stepper {
        let mut implicit = ImplicitSettings::default();
        implicit.rows.max_dense_vertices = if self.way == Way::Iterative { 0 } else { usize::MAX };
        let inner: Box<dyn Integrator> = match self.is_implicit() {
            true => Box::new(Implicit::new(implicit)),
            false => Box::new(Euler::new(EulerKind::Symplectic)),
        };
        let response = self.response(rest, bodies).unwrap();
        Stepper::new(inner).with_responses(vec![response]).with_halvings(30)
    }

    /// Lets a world step by it.
    fn steps(self, scene: &mut Placed) {
        scene.world.set_time_step(self.dt()).unwrap();
        scene.step_by(move |rest, bodies| self.stepper(rest, bodies));
    }

    /// Its output before and after the step, nothing applied.
    fn output(self, scene: &Placed) -> [ContactOutput; 2] {
        let mut response = self.response(&scene.rest, scene.bodies()).unwrap();
        let context = StepContext { dt: self.dt(), ..scene.context() };
        let mut both = [ContactOutput::default(), ContactOutput::default()];
        response.pre_step(context, &mut both[0]);
        response.post_step_with_forces(context, &scene.system().forces, &mut both[1]);
        both
    }
}

fn scene(places: &[Place]) -> Placed {
    measured_in(SI, places)
}

/// Elastic bodies of one material, measured in other units.
fn measured_in(units: Units, places: &[Place]) -> Placed {
    let Units { length, mass, time } = units;
    let scaled = |(mesh, turn, shift): &Place| {
        let positions = mesh.positions().iter().map(|p| length * *p).collect();
        let mesh = TetMesh::new(positions, mesh.tets().to_vec(), mesh.regions().to_vec());
        (mesh.unwrap(), *turn, length * *shift)
    };
    let density = DENSITY * mass / (length * length * length);
    let young = YOUNG * mass / (length * time * time);
    let soft = ElasticSettings { young, poisson: 0.3, damping: 0.0 };
    let places: Vec<Place> = places.iter().map(scaled).collect();
    Placed::new(&places, &SoftMaterial::Corotational(soft), density)
}

/// Two cubes of 1 m, 0.05 m apart, that approach at 2 m/s, one of them tilted.
fn meeting(units: Units) -> Placed {
    let cube = block([2; 3], Vec3::ONE);
    let turn = Quat::from_rotation_y(0.2) * Quat::from_rotation_z(0.1);
    let at = Vec3::new(1.2, 0.1, 0.07);
    let meshes = [(cube.clone(), Quat::IDENTITY, Vec3::ZERO), (cube, turn, at)];
    let mut scene = measured_in(units, &meshes);
    let half = scene.rest.len() / 2;
    let speed = units.length / units.time;
    scene.state_mut().velocities[..half].fill(speed * Vec3::new(1.0, 0.3, 0.0));
    scene.state_mut().velocities[half..].fill(speed * Vec3::new(-1.0, 0.0, 0.2));
    scene
}

/// Three balls that overlap each other, with pseudo-random velocities.
fn balls() -> Placed {
    let mesh = TetMesh::from_raw(ball(1.0, 3).unwrap()).unwrap().0;
    let turn = |k: f64| Quat::from_rotation_x(k) * Quat::from_rotation_z(1.3 * k);
    let places = [Vec3::ZERO, Vec3::new(1.75, 0.1, 0.05), Vec3::new(0.8, 1.6, 0.2)];
    let place = |(k, at): (usize, Vec3)| (mesh.clone(), turn(k as f64), at);
    let mut scene = scene(&places.into_iter().enumerate().map(place).collect::<Vec<_>>());
    for (k, velocity) in scene.state_mut().velocities.iter_mut().enumerate() {
        let k = k as f64;
        *velocity = Vec3::new(libm::sin(7.1 * k), libm::sin(5.3 * k), libm::cos(3.7 * k));
    }
    scene
}

/// A cube of 0.6 m that falls on a plate and slides fast: normals are vertical.
///
/// The plate has no vertex under the cube, whose lower face is at `height` m above it.
fn sliding(height: f64) -> Placed {
    let (plate, cube) = (block([1; 3], Vec3::new(2.0, 2.0, 1.0)), block([2; 3], 0.6 * Vec3::ONE));
    let at = Vec3::new(0.03, 0.07, 0.8 + height);
    let meshes = [(plate, Quat::IDENTITY, Vec3::ZERO), (cube, Quat::IDENTITY, at)];
    let mut scene = scene(&meshes);
    let upper = scene.bodies().vertices(BodyId(1));
    scene.state_mut().velocities[upper].fill(Vec3::new(5.0, 1.0, -1.0));
    scene
}

fn block(cells: [u32; 3], size: Vec3) -> TetMesh {
    TetMesh::from_raw(cuboid(cells, size, TetSplit::Six).unwrap()).unwrap().0
}

#[test]
fn a_collision_keeps_momentum() {
    for way in ALL {
        let (made, mut scene) = (Made::of(way), meeting(SI));
        made.steps(&mut scene);
        let (before, mut met) = (scene.state().clone(), 0);
        for _ in 0..(0.4 / made.dt()) as usize {
            let report = scene.step();
            met += report.contact.contacts;
            let error = scene.momentum_error(&before);
            assert!(error < KEPT, "{way:?}: {error}");
        }
        let half = scene.rest.len() / 2;
        let slowed =
            scene.state().velocities[..half].iter().map(|v| v.x).sum::<f64>() / half as f64;
        assert!(met > 0 && slowed < 0.5, "{way:?}: {met} {slowed}");
    }
}

/// Sum of impulses and of their moments, over the sum of their sizes.
fn sums(positions: &[Vec3], pushes: &[(VertexId, Vec3)]) -> [f64; 2] {
    let total: f64 = pushes.iter().map(|(_, push)| push.length()).sum();
    let push: Vec3 = pushes.iter().map(|(_, push)| *push).sum();
    let turn: Vec3 = pushes.iter().map(|(v, push)| positions[v.index()].cross(*push)).sum();
    [push.length() / total, turn.length() / total]
}

#[test]
fn pushes_without_friction_sum_to_nothing_and_turn_nothing() {
    for way in ALL {
        let scene = balls();
        let [before, after] = Made::smooth(way).output(&scene);
        // A barrier acts where its shifts have led.
        let mut positions = scene.state().positions.clone();
        if way == Way::Barrier {
            for shift in &before.rigid_shifts {
                shift.apply(&mut positions[scene.bodies().vertices(shift.body)]);
            }
        }
        let mut pushes = before.forces.clone();
        pushes.extend(after.impulses);
        // The solution of rows and springs acts along their normals.
        let rows = before.rows.iter().chain(before.springs.iter().map(|spring| &spring.contact));
        for row in rows {
            pushes.extend(row.terms().map(|(v, weight)| (v, weight * row.normal)));
        }
        let [push, turn] = sums(&positions, &pushes);
        assert!(pushes.len() > 3 && push < KEPT && turn < KEPT, "{way:?}: {push} {turn}");
    }
}

#[test]
fn shifts_tell_how_far_they_lead() {
    for way in ALL {
        let scene = balls();
        for output in Made::of(way).output(&scene) {
            let moved = output.shifts.iter().map(|(_, shift)| shift.length());
            let longest = moved.fold(output.longest_shift(), f64::max);
            assert_eq!(output.stats.shift, longest, "{way:?}");
            // Whole bodies, or vertices, or none.
            let shifts = matches!(way, Way::Impulse | Way::Surface) && !output.shifts.is_empty();
            let splits =
                matches!(way, Way::Barrier | Way::Direct | Way::Iterative | Way::WholeSurface);
            assert!(longest == 0.0 || shifts || splits, "{way:?}");
        }
    }
}

#[test]
fn friction_stays_within_its_cone_and_reaches_its_border() {
    const FRICTION: f64 = 0.3;
    for way in ALL {
        let height = if way == Way::Barrier { 0.005 } else { -0.01 };
        let (made, mut scene) = (Made::of(way), sliding(height));
        let mut shares: Vec<f64> = Vec::new();
        match way {
            Way::Direct | Way::Iterative => {
                made.steps(&mut scene);
                scene.step();
                let solved =
                    scene.system().scratch.contact.row_impulses.iter().filter(|p| p.normal > 0.0);
                shares.extend(solved.map(|p| p.tangent.length() / p.normal));
            }
            Way::Springs => {
                let [before, _] = made.output(&scene);
                let pairs = before.springs.iter().zip(before.forces.chunks(4));
                shares
                    .extend(pairs.map(|(spring, rub)| {
                        rub[0].1.length() / (spring.stiffness * spring.depth)
                    }));
            }
            Way::Surface | Way::WholeSurface => {
                // Whole bodies are turned too: only the sum is a sum of cones.
                let upper = scene.bodies().vertices(BodyId(1));
                let [_, after] = made.output(&scene);
                let own = after.impulses.iter().filter(|(v, _)| upper.contains(&v.index()));
                let push: Vec3 = own.map(|(_, push)| *push).sum();
                shares.extend([libm::hypot(push.x, push.y) / push.z; 4]);
            }
            _ => {
                let [before, after] = made.output(&scene);
                let pushes = before.forces.iter().chain(&after.impulses);
                let pressing = pushes.filter(|(_, push)| push.length() > 0.0);
                shares.extend(pressing.map(|(_, p)| libm::hypot(p.x, p.y) / p.z.abs()));
            }
        }
        let most = shares.iter().copied().fold(0.0, f64::max);
        assert!(shares.len() >= 4, "{way:?}: {shares:?}");
        assert!(most <= FRICTION * (1.0 + ROUNDING), "{way:?}: {most}");
        // Springs press so hard that sliding contacts stick at once.
        let border = if way == Way::Springs { 0.0 } else { 0.99 * FRICTION };
        assert!(most > border, "{way:?}: {most}");
    }
}

/// Positions, m, and velocities, m/s, some time after two cubes have met.
fn met_in(units: Units, way: Way) -> Vec<[Vec3; 2]> {
    let (made, mut scene) = (Made { units, ..Made::of(way) }, meeting(units));
    made.steps(&mut scene);
    for _ in 0..(0.25 * units.time / made.dt()) as usize {
        scene.step();
    }
    let (length, speed) = (1.0 / units.length, units.time / units.length);
    let both = scene.state().positions.iter().zip(&scene.state().velocities);
    both.map(|(x, v)| [length * *x, speed * *v]).collect()
}

#[test]
fn results_do_not_depend_on_units() {
    // Powers of two: roundings are the same, but for boxes of single precision.
    let others = [
        Units { length: 1024.0, mass: 0.125, time: 4.0 },
        Units { length: 1.0 / 256.0, mass: 4096.0, time: 0.125 },
    ];
    for way in ALL {
        let expected = met_in(SI, way);
        for units in others {
            let found = met_in(units, way);
            let each = expected.iter().flatten().zip(found.iter().flatten());
            let off = each.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            assert!(off <= ROUNDING, "{way:?} in {units:?}: {off}");
        }
    }
}

/// Degenerate scenes: bodies on top of each other, enclosed, and of one tet.
fn awkward() -> [Placed; 3] {
    let (cube, small) = (block([2; 3], Vec3::ONE), ball(0.2, 2).unwrap());
    let small = TetMesh::from_raw(small).unwrap().0;
    let tet = TetMesh::from_raw(RawMesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z],
        tets: vec![[0, 1, 2, 3].map(VertexId)],
        regions: vec![0],
        ..RawMesh::default()
    });
    let tet = tet.unwrap().0;
    let at = |mesh: &TetMesh, shift: Vec3| (mesh.clone(), Quat::IDENTITY, shift);
    [
        scene(&[at(&cube, Vec3::ZERO), at(&cube, Vec3::ZERO)]),
        scene(&[at(&cube, Vec3::ZERO), at(&small, Vec3::new(0.1, 0.0, 0.2))]),
        scene(&[at(&tet, Vec3::ZERO), at(&tet, Vec3::new(0.2, 0.1, 0.1))]),
    ]
}

#[test]
fn awkward_places_end_in_finite_motion_that_keeps_momentum() {
    for way in ALL {
        for (number, mut scene) in awkward().into_iter().enumerate() {
            let made = Made::of(way);
            scene.state_mut().velocities[0] = Vec3::new(0.1, 0.2, 0.3);
            let before = scene.state().clone();
            made.steps(&mut scene);
            for _ in 0..20 {
                scene.step();
            }
            assert!(scene.state().positions.iter().all(|p| p.is_finite() && p.length() < 10.0));
            let error = scene.momentum_error(&before);
            assert!(error < KEPT, "{way:?} {number}: {error}");
        }
    }
}

#[test]
fn stiffness_without_bound_is_refused_by_name_and_a_huge_one_never_ends_in_nonsense() {
    let stiff = [Way::Penalty, Way::Closest, Way::Buffer, Way::Springs, Way::Barrier];
    for way in stiff {
        let mut scene = balls();
        let made = |stiffness| Made { stiffness: Some(stiffness), ..Made::of(way) };
        let refused = made(f64::INFINITY).response(&scene.rest, scene.bodies()).unwrap_err();
        assert!(refused.to_string().contains("is inf: it must be"), "{refused}");
        made(1e300).steps(&mut scene);
        for _ in 0..3 {
            // An error leaves the state as it was.
            let _ = scene.world.step();
            let State { positions, velocities, .. } = &scene.state();
            assert!(positions.iter().chain(velocities).all(|value| value.is_finite()), "{way:?}");
        }
    }
}

#[test]
fn bodies_without_mass_stiffness_or_inside_are_refused_before_any_response() {
    let weightless = Masses::new(vec![1.0, 0.0]).unwrap_err().to_string();
    assert!(weightless.contains("vertex 1"), "{weightless}");
    let scene = meeting(SI);
    let rigid = ElasticSettings { young: f64::INFINITY, poisson: 0.3, damping: 0.0 };
    let rigid = Elastic::<Corotational>::new(&scene.rest, scene.bodies().tets(), |_| rigid);
    assert!(rigid.unwrap_err().to_string().contains("inf Pa"));
    let open = RawMesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z],
        triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2]]
            .into_iter()
            .map(|t| t.map(VertexId))
            .collect(),
        ..RawMesh::default()
    };
    let open = Surface::from_raw(open).unwrap_err().to_string();
    assert!(open.contains("edge"), "{open}");
}
