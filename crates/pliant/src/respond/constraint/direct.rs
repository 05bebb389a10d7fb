//! Contacts of small bodies: dense inverses and projected Gauss–Seidel.
//!
//! | here        | formula   | meaning                                               |
//! |-------------|-----------|-------------------------------------------------------|
//! | `speeds`    | v         | velocities of touched vertices, m/s                   |
//! | `responses` | W = A⁻¹Jᵀ | how an impulse changes them, 1/kg                     |
//! | `ease`      | G = J W   | relative velocity of a contact per impulse, 1/kg      |
//!
//! An impulse moves the whole body at once as its elasticity wants it, so the sweeps
//! converge whatever the stiffness; impulses through the masses alone boil. Sweeps see
//! touched vertices only; the others of a body follow in the end. Most contacts never press:
//! theirs is no response.

use std::ops::Range;

use crate::force::BlockMatrix;
use crate::id::{BodyId, VertexId};
use crate::math::{Mat3, Vec3};
use crate::par;
use crate::respond::constraint::course::Course;
use crate::respond::constraint::dense::{Inverse, add};
use crate::respond::constraint::law::Law;
use crate::respond::constraint::pressure::Pressure;
use crate::respond::constraint::rows::{Equations, RowSettings, Solved};
use crate::respond::constraint::stones::Stones;
use crate::respond::constraint::terms::{MOST_FREE, Row, Term};

impl Equations<'_, BlockMatrix> {
    fn is_held(&self, vertex: usize) -> bool {
        self.held.binary_search(&VertexId(vertex as u32)).is_ok()
    }

    /// b of a free vertex, less what given velocities take, N·s.
    fn right(&self, row: usize, velocities: &[Vec3]) -> Vec3 {
        if self.held.is_empty() {
            return self.right[row];
        }
        let (columns, blocks) = self.matrix.row(row);
        let given = columns.iter().zip(blocks).filter(|(column, _)| self.is_held(column.index()));
        let from: Vec3 = given.map(|(column, block)| *block * velocities[column.index()]).sum();
        self.right[row] - from
    }
}

/// Memory of the method.
#[derive(Clone, Debug, Default)]
pub struct Direct {
    /// Of bodies that have contacts; those after the first `count` wait for more.
    parts: Vec<Part>,
    /// Parts in use, count.
    count: usize,
    /// Entry of `parts` of each body, or none.
    places: Vec<Option<u32>>,
    /// Whether each vertex is part of a contact.
    touched: Vec<bool>,
    touches: Vec<Touch>,
    /// W of the contacts that press, side after side, three rows each; 1/kg.
    responses: Vec<f64>,
    /// Part after part, m/s.
    speeds: Vec<f64>,
    course: Course,
    /// Where all are rigid.
    stones: Stones,
    /// Count; 0 is 1.
    threads: usize,
    /// First part or touch of each thread, and their number; count.
    cuts: Vec<usize>,
    /// First response of each thread, and their number; count.
    response_cuts: Vec<usize>,
}

/// One body's share.
#[derive(Clone, Debug, Default)]
struct Part {
    body: BodyId,
    inverse: Inverse,
    is_definite: bool,
    /// Velocities of its touched vertices without contacts, m/s.
    free: Vec<f64>,
    /// Its first speed among all, count.
    start: usize,
}

/// A contact made ready for the sweeps.
#[derive(Clone, Copy, Debug)]
struct Touch {
    /// First speed of each unknown, count; the first `count` are in use.
    starts: [usize; MOST_FREE],
    /// What each does to the relative velocity.
    shares: [Term; MOST_FREE],
    /// Unknowns in use, count; held ones are not.
    count: usize,
    law: Law,
    /// Whether nothing at it bends.
    is_rigid: bool,
    sides: [Side; 2],
    /// Whether its responses are there.
    is_ready: bool,
}

/// What a contact does to one body.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    /// Which of the parts, counted from 0.
    part: usize,
    /// First response, count.
    response: usize,
    /// First speed of the body, count.
    start: usize,
    /// Speeds of the body, count; 0 for an obstacle.
    width: usize,
}

impl Direct {
    /// Sets how many threads invert and respond; results do not depend on it.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads;
    }

    /// Solves for the velocities of all bodies that have contacts.
    ///
    /// `bodies` are the vertices of each body. `velocities` come with those of held vertices and leave with the solution; bodies
    /// without contacts are not touched. `None` when a body's matrix is not definite.
    pub fn solve(
        &mut self,
        equations: Equations<'_, BlockMatrix>,
        bodies: &[Range<usize>],
        contacts: &[Row],
        settings: RowSettings,
        (velocities, pressures): (&mut [Vec3], &mut [Pressure]),
    ) -> Option<Solved> {
        let ends = (&mut *velocities, &mut *pressures);
        if let Some(solved) = self.stones.solve(equations, bodies, contacts, settings, ends) {
            return Some(solved);
        }
        self.solve_dense(equations, bodies, contacts, settings, (velocities, pressures))
    }

    /// The same with an inverse for each body, whatever it is.
    pub(super) fn solve_dense(
        &mut self,
        equations: Equations<'_, BlockMatrix>,
        bodies: &[Range<usize>],
        contacts: &[Row],
        settings: RowSettings,
        (velocities, pressures): (&mut [Vec3], &mut [Pressure]),
    ) -> Option<Solved> {
        self.gather(bodies, contacts);
        self.invert(equations, bodies, velocities)?;
        self.touch(equations, bodies, contacts, settings, velocities);
        self.respond(pressures);
        for (touch, pressure) in self.touches.iter().zip(&*pressures) {
            if touch.is_ready {
                let impulse = pressure.impulse(touch.law.normal);
                touch.push(&self.responses, impulse, &mut self.speeds);
            }
        }
        let solved = self.sweep((settings.sweeps, settings.rigid.0), pressures);
        for part in &mut self.parts[..self.count] {
            let own = &self.speeds[part.start..part.start + part.inverse.width()];
            part.inverse.spread(own, &mut velocities[bodies[part.body.index()].clone()]);
        }
        Some(solved)
    }

    /// Finds out what is touched.
    fn gather(&mut self, bodies: &[Range<usize>], contacts: &[Row]) {
        self.places.clear();
        self.places.resize(bodies.len(), None);
        self.touched.clear();
        self.touched.resize(bodies.last().map_or(0, |last| last.end), false);
        for contact in contacts {
            let (a, b) = contact.bodies;
            for body in [Some(a), b].into_iter().flatten() {
                self.places[body.index()] = Some(0);
            }
            contact.terms().for_each(|(vertex, _)| self.touched[vertex.index()] = true);
        }
        self.count = 0;
        for body in (0..bodies.len() as u32).map(BodyId) {
            let Some(place) = &mut self.places[body.index()] else { continue };
            *place = self.count as u32;
            if self.parts.len() == self.count {
                self.parts.push(Part::default());
            }
            self.parts[self.count].body = body;
            self.count += 1;
        }
    }

    /// Inverses, and velocities without contacts.
    fn invert(
        &mut self,
        equations: Equations<'_, BlockMatrix>,
        bodies: &[Range<usize>],
        velocities: &[Vec3],
    ) -> Option<()> {
        let touched = &self.touched;
        let fill = |part: &mut Part| {
            let (own, inverse) = (bodies[part.body.index()].clone(), &mut part.inverse);
            let is_asked = |v: usize| touched[v];
            let is_held = |v: usize| equations.is_held(v);
            part.is_definite = inverse.fill(equations.matrix, own.clone(), is_asked, is_held);
            if part.is_definite {
                inverse.solve(|v| equations.right(own.start + v, velocities), &mut part.free);
            }
        };
        cut(&mut self.cuts, self.count, self.threads);
        let parts = &mut self.parts[..self.count];
        par::pieces(parts, &self.cuts, |_, piece| piece.iter_mut().for_each(fill));
        self.speeds.clear();
        for part in parts {
            if !part.is_definite {
                return None;
            }
            part.start = self.speeds.len();
            self.speeds.extend_from_slice(&part.free);
        }
        Some(())
    }

    /// Makes contacts ready for the sweeps, but for their responses.
    fn touch(
        &mut self,
        equations: Equations<'_, BlockMatrix>,
        bodies: &[Range<usize>],
        contacts: &[Row],
        settings: RowSettings,
        velocities: &[Vec3],
    ) {
        self.touches.clear();
        let mut response = 0;
        for contact in contacts {
            let (a, b) = contact.bodies;
            let sides = [Some(a), b.filter(|b| *b != a)].map(|body| {
                let Some(part) = body.and_then(|body| self.places[body.index()]) else {
                    return Side::default();
                };
                let Part { start, inverse, .. } = &self.parts[part as usize];
                let width = inverse.width();
                response += 3 * width;
                Side { part: part as usize, response: response - 3 * width, start: *start, width }
            });
            let is_rigid = contact.is_rigid();
            let still = if is_rigid { settings.rigid.1 } else { settings.still };
            let mut touch = Touch {
                starts: [0; MOST_FREE],
                shares: [Term::Weight(0.0); MOST_FREE],
                count: 0,
                law: Law::new(contact, Mat3::ZERO, 0.0),
                is_rigid,
                sides,
                is_ready: false,
            };
            for (unknown, share) in contact.terms() {
                match self.speed(bodies, &sides, unknown) {
                    Some(start) => touch.add(start, share),
                    None => touch.law.drift -= share.of(velocities[unknown.index()]),
                }
            }
            let drift = touch.law.drift;
            let still = still * contact.size / equations.dt;
            touch.law = Law::new(contact, touch.weigh(&self.parts), still);
            touch.law.drift = drift;
            self.touches.push(touch);
        }
        self.responses.resize(response, 0.0);
    }

    /// First speed of a vertex on one of the sides; none for a held one.
    fn speed(&self, bodies: &[Range<usize>], sides: &[Side; 2], vertex: VertexId) -> Option<usize> {
        sides.iter().filter(|side| side.width > 0).find_map(|side| {
            let part = &self.parts[side.part];
            let own = bodies[part.body.index()].clone();
            let place = own.contains(&vertex.index()).then(|| vertex.index() - own.start)?;
            part.inverse.place(place).map(|row| part.start + 3 * row)
        })
    }

    /// W of the contacts that press already.
    fn respond(&mut self, pressures: &[Pressure]) {
        let Direct { parts, touches, responses, cuts, response_cuts, .. } = self;
        for (touch, pressure) in touches.iter_mut().zip(pressures) {
            touch.is_ready = *pressure != Pressure::default();
        }
        cut(cuts, touches.len(), self.threads);
        let first = |touch: Option<&Touch>| touch.map_or(responses.len(), Touch::first_response);
        response_cuts.clear();
        response_cuts.extend(cuts.iter().map(|place| first(touches.get(*place))));
        let (cuts, starts) = (&*cuts, &*response_cuts);
        par::pieces(responses, starts, |number, piece| {
            let own = touches[cuts[number]..cuts[number + 1]].iter();
            own.filter(|touch| touch.is_ready)
                .for_each(|touch| touch.respond(parts, starts[number], piece));
        });
    }

    /// Puts contacts right one after the other, until none changes or there were enough sweeps.
    ///
    /// What a sweep changes is a direction that often has a way to go: steps along directions
    /// that are conjugate, as far as there is no corner in between, take it.
    ///
    /// - Implements: [Silcowitz10 abstract], the nonsmooth nonlinear conjugate gradients.
    fn sweep(&mut self, (sweeps, most): (usize, usize), pressures: &mut [Pressure]) -> Solved {
        let Direct { parts, touches, responses, speeds, course, .. } = self;
        let mut solved = Solved::default();
        course.begin(pressures.len(), speeds.len());
        for sweep in 1..=sweeps.max(most) {
            course.note(pressures, speeds);
            let (mut is_still, mut rigid_is_still) = (true, true);
            for (touch, pressure) in touches.iter_mut().zip(&mut *pressures) {
                let relative = touch.relative(speeds);
                let Some(impulse) = touch.law.relax(pressure, relative) else { continue };
                if !touch.is_ready {
                    touch.respond(parts, 0, responses);
                    touch.is_ready = true;
                }
                touch.push(responses, impulse, speeds);
                let moved = !touch.law.is_still(impulse);
                is_still &= !moved;
                rigid_is_still &= !(moved && touch.is_rigid);
            }
            solved.sweeps = sweep;
            if is_still || sweep >= if rigid_is_still { sweeps } else { most } {
                break;
            }
            course.go_on(pressures, speeds);
        }
        solved
    }
}

impl Touch {
    /// Takes in an unknown that is free.
    fn add(&mut self, start: usize, share: Term) {
        debug_assert!(self.count < MOST_FREE, "attached vertices are not for this solver");
        if self.count < MOST_FREE {
            self.starts[self.count] = start;
            self.shares[self.count] = share;
            self.count += 1;
        }
    }

    /// Rows in a side's body, and what they do.
    fn terms(&self, side: &Side) -> impl Iterator<Item = (usize, Term)> {
        let speeds = side.start..side.start + side.width;
        let pairs = self.starts.into_iter().zip(self.shares).take(self.count);
        let own = pairs.filter(move |(start, _)| speeds.contains(start));
        let first = side.start;
        own.map(move |(start, share)| ((start - first) / 3, share))
    }

    /// The smallest number of a response of this or a later contact.
    fn first_response(&self) -> usize {
        self.sides[0].response
    }

    /// G.
    fn weigh(&self, parts: &[Part]) -> Mat3 {
        let mut ease = Mat3::ZERO;
        for side in &self.sides {
            let inverse = &parts[side.part].inverse;
            for (row, share) in self.terms(side) {
                for (column, other) in self.terms(side) {
                    let block = inverse.block(row, column);
                    ease += match (share, other) {
                        (Term::Weight(w), Term::Weight(other)) => block * (w * other),
                        _ => share.matrix() * block * other.matrix().transpose(),
                    };
                }
            }
        }
        ease
    }

    /// Fills W; `responses` are those from the number `first` on.
    fn respond(&self, parts: &[Part], first: usize, responses: &mut [f64]) {
        for side in self.sides.iter().filter(|side| side.width > 0) {
            let own = &mut responses[side.response - first..][..3 * side.width];
            own.fill(0.0);
            let inverse = &parts[side.part].inverse;
            for (row, share) in self.terms(side) {
                let lines = own.chunks_exact_mut(side.width);
                match share {
                    Term::Weight(weight) => {
                        for (line, from) in lines.zip(inverse.rows(row)) {
                            let values = line.iter_mut().zip(from);
                            values.for_each(|(value, from)| *value += weight * from);
                        }
                    }
                    Term::Lever(_) => {
                        let transposed = share.matrix().transpose();
                        let axes = [transposed.x_axis, transposed.y_axis, transposed.z_axis];
                        for (line, axis) in lines.zip(axes) {
                            add(line, axis.to_array(), inverse.rows(row));
                        }
                    }
                }
            }
        }
    }

    /// Gives an impulse to the bodies.
    #[inline]
    fn push(&self, responses: &[f64], impulse: Vec3, speeds: &mut [f64]) {
        for Side { response, start, width, .. } in self.sides {
            let own = &responses[response..response + 3 * width];
            let lines = [&own[..width], &own[width..2 * width], &own[2 * width..]];
            add(&mut speeds[start..start + width], impulse.to_array(), lines);
        }
    }

    /// Velocity of the first side seen from the second, without what is given, m/s.
    #[inline]
    fn relative(&self, speeds: &[f64]) -> Vec3 {
        let terms = self.starts.iter().zip(self.shares).take(self.count);
        terms.map(|(start, share)| share.of(Vec3::from_slice(&speeds[*start..]))).sum()
    }
}

/// Cuts `count` things for as many threads, as even as can be.
fn cut(cuts: &mut Vec<usize>, count: usize, threads: usize) {
    let threads = threads.max(1);
    cuts.clear();
    cuts.extend((0..=threads).map(|k| count * k / threads));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::soft::BodyStarts;
    use crate::math::svd::tests::noise;
    use crate::respond::constraint::dense::tests::{joined, pairs};

    /// Roundings of a few dozen sums of numbers near 1.
    const TOLERANCE: f64 = 1e-13;

    const DT: f64 = 1.0 / 64.0;

    /// Bodies of this many vertices each.
    fn bodies(counts: &[usize]) -> Vec<Range<usize>> {
        let total = counts.iter().sum();
        BodyStarts::from_counts(counts.iter().copied()).ranges(total).collect()
    }

    /// Vertices with masses of their own.
    fn loose(masses: &[f64]) -> BlockMatrix {
        let mut matrix = joined(masses.len(), &[], 0);
        masses.iter().enumerate().for_each(|(row, mass)| matrix.add_to_diagonal(row, *mass));
        matrix
    }

    /// A contact along z, just closed, without friction; the last vertex is the second side.
    fn contact(terms: &[(u32, f64)], bodies: (u32, Option<u32>)) -> Row {
        let term = |k: usize| terms.get(k).copied().unwrap_or((0, 0.0));
        Row {
            unknowns: std::array::from_fn(|k| VertexId(term(k).0)),
            shares: std::array::from_fn(|k| Term::Weight(term(k).1)),
            count: terms.len(),
            bodies: (BodyId(bodies.0), bodies.1.map(BodyId)),
            normal: Vec3::Z,
            drift: Vec3::ZERO,
            target: 0.0,
            friction: 0.0,
            size: 1.0,
        }
    }

    /// What is left of one vertex of 2 kg with this momentum, N·s, on a plane.
    fn on_plane(right: Vec3, contact: Row) -> (Vec3, Pressure) {
        from_pressure(Pressure::default(), right, contact)
    }

    /// The same, when it pressed before.
    fn from_pressure(before: Pressure, right: Vec3, contact: Row) -> (Vec3, Pressure) {
        let (matrix, right) = (loose(&[2.0]), [right]);
        let equations = Equations { matrix: &matrix, right: &right, held: &[], dt: DT };
        let settings = RowSettings { sweeps: 100, still: 0.0, ..RowSettings::default() };
        let (mut velocities, mut pressures) = ([Vec3::ZERO], [before]);
        let at = (&mut velocities[..], &mut pressures[..]);
        Direct::default().solve(equations, &bodies(&[1]), &[contact], settings, at).unwrap();
        (velocities[0], pressures[0])
    }

    #[test]
    fn a_plane_bears_the_weight() {
        let plane = contact(&[(0, 1.0)], (0, None));
        let weight = 2.0 * 9.81 * DT;
        let (velocity, pressure) = on_plane(-weight * Vec3::Z, plane);
        assert_eq!(velocity, Vec3::ZERO);
        assert_eq!(pressure, Pressure { normal: weight, along: Vec3::ZERO });
        // Going up, it is let go.
        let (velocity, pressure) = on_plane(Vec3::Z, plane);
        assert_eq!((velocity, pressure), (0.5 * Vec3::Z, Pressure::default()));
        // A plane that goes up takes it along.
        let lift = Row { drift: Vec3::Z, ..plane };
        assert_eq!(on_plane(Vec3::ZERO, lift).0, Vec3::Z);
    }

    #[test]
    fn a_gap_may_close_and_no_more() {
        // 1/4 m in 1/64 s.
        let apart = Row { target: -16.0, ..contact(&[(0, 1.0)], (0, None)) };
        assert_eq!(on_plane(Vec3::new(0.0, 0.0, -40.0), apart).0, Vec3::new(0.0, 0.0, -16.0));
        let (velocity, pressure) = on_plane(Vec3::new(0.0, 0.0, -30.0), apart);
        assert_eq!((velocity.z, pressure), (-15.0, Pressure::default()));
    }

    #[test]
    fn an_old_impulse_does_not_stay_for_ever() {
        let rough = Row { friction: 0.5, ..contact(&[(0, 1.0)], (0, None)) };
        let before = Pressure { normal: 4.0, along: Vec3::X };
        let (velocity, pressure) = from_pressure(before, Vec3::new(2.0, 0.0, 1.0), rough);
        assert!(velocity.abs_diff_eq(Vec3::new(1.0, 0.0, 0.5), TOLERANCE), "{velocity}");
        assert_eq!(pressure, Pressure::default());
    }

    #[test]
    fn friction_holds_inside_the_cone_and_slides_outside() {
        let rough = Row { friction: 0.5, ..contact(&[(0, 1.0)], (0, None)) };
        let (velocity, pressure) = on_plane(Vec3::new(3.0, -2.0, -8.0), rough);
        assert!(velocity.abs_diff_eq(Vec3::ZERO, TOLERANCE), "{velocity}");
        assert!(pressure.along.abs_diff_eq(Vec3::new(-3.0, 2.0, 0.0), TOLERANCE));
        // 5 N·s along the plane against 0.5 · 8: 1 is left, for 2 kg.
        let (velocity, pressure) = on_plane(Vec3::new(3.0, -4.0, -8.0), rough);
        assert!(velocity.abs_diff_eq(Vec3::new(0.3, -0.4, 0.0), TOLERANCE), "{velocity}");
        assert!((pressure.normal - 8.0).abs() < TOLERANCE, "{pressure:?}");
        assert!((pressure.along.length() - 4.0).abs() < TOLERANCE, "{pressure:?}");
    }

    #[test]
    fn a_head_on_collision_keeps_momentum() {
        let masses = [1.5, 4.5];
        let (matrix, bodies) = (loose(&masses), bodies(&[1, 1]));
        let right = [1.5 * Vec3::new(0.25, 0.0, -7.0), 4.5 * Vec3::new(0.0, 0.5, 1.0)];
        let equations = Equations { matrix: &matrix, right: &right, held: &[], dt: DT };
        let contacts = [contact(&[(0, 1.0), (1, -1.0)], (0, Some(1)))];
        let (mut velocities, mut pressures) = ([Vec3::ZERO; 2], [Pressure::default()]);
        let mut direct = Direct::default();
        let settings = RowSettings::default();
        let at = (&mut velocities[..], &mut pressures[..]);
        direct.solve(equations, &bodies, &contacts, settings, at).unwrap();
        // (1.5 · −7 + 4.5 · 1) / 6
        assert!((velocities[0].z + 1.0).abs() < 1e-15, "{velocities:?}");
        assert!((velocities[1].z + 1.0).abs() < 1e-15, "{velocities:?}");
        assert_eq!((velocities[0].x, velocities[1].y), (0.25, 0.5));
        let after = 1.5 * velocities[0] + 4.5 * velocities[1];
        assert!((after - right[0] - right[1]).length() < 1e-15, "{after}");
        // What is right already stays, and one sweep finds it out.
        let before = (velocities, pressures);
        let at = (&mut velocities[..], &mut pressures[..]);
        let solved = direct.solve(equations, &bodies, &contacts, settings, at).unwrap();
        assert_eq!((solved.sweeps, pressures), (1, before.1));
        assert!(velocities[0].abs_diff_eq(before.0[0], 1e-15));
    }

    #[test]
    fn a_held_vertex_pushes_and_does_not_yield() {
        let (matrix, bodies) = (loose(&[2.0, 3.0]), bodies(&[1, 1]));
        let (right, held) = ([Vec3::ZERO; 2], [VertexId(1)]);
        let equations = Equations { matrix: &matrix, right: &right, held: &held, dt: DT };
        let given = Vec3::new(0.5, 0.0, 2.0);
        let (mut velocities, mut pressures) = ([Vec3::ZERO, given], [Pressure::default()]);
        let contacts = [contact(&[(0, 1.0), (1, -1.0)], (0, Some(1)))];
        let mut direct = Direct::default();
        let at = (&mut velocities[..], &mut pressures[..]);
        direct.solve(equations, &bodies, &contacts, RowSettings::default(), at).unwrap();
        assert_eq!(velocities, [2.0 * Vec3::Z, given]);
        assert_eq!(pressures[0].normal, 4.0); // 2 kg to 2 m/s
        // Both sides held: nothing can be done, and nothing breaks.
        let held = [VertexId(0), VertexId(1)];
        let equations = Equations { held: &held, ..equations };
        (velocities, pressures) = ([Vec3::ZERO, given], [Pressure::default()]);
        let at = (&mut velocities[..], &mut pressures[..]);
        direct.solve(equations, &bodies, &contacts, RowSettings::default(), at).unwrap();
        assert_eq!((velocities, pressures[0].normal), ([Vec3::ZERO, given], 0.0));
    }

    /// Three joined bodies in a row on a plane, the second with a held vertex.
    struct Heap {
        matrix: BlockMatrix,
        bodies: Vec<Range<usize>>,
        right: Vec<Vec3>,
        contacts: Vec<Row>,
    }

    const HELD: [VertexId; 1] = [VertexId(8)];

    fn heap() -> Heap {
        let counts = [5_u32, 6, 7];
        let mut joints = Vec::new();
        let mut first = 0;
        for count in counts {
            joints.extend(pairs(first..first + count));
            first += count;
        }
        let mut matrix = joined(18, &joints, 11);
        (0..18).for_each(|row| matrix.add_to_diagonal(row, 1.0));
        let mut next = noise(5);
        let right = (0..18).map(|_| Vec3::new(next(), next(), next() - 1.0)).collect();
        let rough = |contact| Row { friction: 0.4, ..contact };
        let contacts = vec![
            rough(contact(&[(1, 1.0)], (0, None))),
            rough(contact(&[(3, 1.0)], (0, None))),
            contact(&[(0, 1.0), (6, -0.25), (7, -0.5), (8, -0.25)], (0, Some(1))),
            Row { normal: Vec3::X, ..contact(&[(9, 1.0), (2, -1.0)], (1, Some(0))) },
            rough(contact(&[(5, 0.3), (7, 0.7), (12, -0.6), (14, -0.4)], (1, Some(2)))),
            Row { target: -9.0 / DT, ..contact(&[(17, 1.0)], (2, None)) },
        ];
        Heap { matrix, bodies: bodies(&counts.map(|count| count as usize)), right, contacts }
    }

    fn solve(heap: &Heap, threads: usize) -> (Vec<Vec3>, Vec<Pressure>) {
        let Heap { matrix, bodies, right, contacts } = heap;
        let equations = Equations { matrix, right, held: &HELD, dt: DT };
        let settings = RowSettings { sweeps: 3000, still: 1e-17, ..RowSettings::default() };
        let mut velocities = vec![Vec3::ZERO; 18];
        velocities[8] = Vec3::new(0.5, 0.25, 0.125);
        let mut pressures = vec![Pressure::default(); contacts.len()];
        // From nothing, and from what the first few sweeps found.
        for sweeps in [5, settings.sweeps] {
            let mut direct = Direct::default();
            direct.set_threads(threads);
            let settings = RowSettings { sweeps, ..settings };
            let at = (&mut velocities[..], &mut pressures[..]);
            direct.solve(equations, bodies, contacts, settings, at).unwrap();
        }
        (velocities, pressures)
    }

    #[test]
    fn velocities_and_impulses_satisfy_the_equations() {
        let heap = heap();
        let (velocities, pressures) = solve(&heap, 1);
        assert_eq!(velocities[8], Vec3::new(0.5, 0.25, 0.125));
        // A v − b − Jᵀλ, but for the held one.
        let mut left = vec![Vec3::ZERO; 18];
        heap.matrix.multiply(&velocities, &mut left);
        left.iter_mut().zip(&heap.right).for_each(|(left, right)| *left -= *right);
        for (contact, pressure) in heap.contacts.iter().zip(&pressures) {
            let impulse = pressure.impulse(contact.normal);
            contact.terms().for_each(|(v, share)| left[v.index()] -= share.back(impulse));
        }
        left[8] = Vec3::ZERO;
        assert!(left.iter().all(|l| l.abs_diff_eq(Vec3::ZERO, TOLERANCE)), "{left:?}");
        let mut pressing = 0;
        for (contact, pressure) in heap.contacts.iter().zip(&pressures) {
            let relative = contact.relative(&velocities);
            let approach = contact.normal.dot(relative) - contact.target;
            assert!(approach > -TOLERANCE && pressure.normal >= 0.0, "{approach} {pressure:?}");
            assert!((approach * pressure.normal).abs() < TOLERANCE, "{approach} {pressure:?}");
            let most = contact.friction * pressure.normal;
            assert!(pressure.along.length() <= most + TOLERANCE, "{pressure:?}");
            pressing += usize::from(pressure.normal > 0.0);
        }
        assert!((3..6).contains(&pressing), "{pressing}");
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        let heap = heap();
        let alone = solve(&heap, 1);
        for threads in [2, 3, 7] {
            assert_eq!(solve(&heap, threads), alone);
        }
    }

    #[test]
    fn an_indefinite_body_is_refused_and_nothing_moves() {
        let (matrix, bodies) = (loose(&[1.0, -1.0]), bodies(&[1, 1]));
        let right = [-Vec3::Z; 2];
        let equations = Equations { matrix: &matrix, right: &right, held: &[], dt: DT };
        let contacts = [contact(&[(0, 1.0), (1, -1.0)], (0, Some(1)))];
        let (mut velocities, mut pressures) = ([Vec3::X; 2], [Pressure::default()]);
        let at = (&mut velocities[..], &mut pressures[..]);
        let settings = RowSettings::default();
        assert_eq!(Direct::default().solve(equations, &bodies, &contacts, settings, at), None);
        assert_eq!(velocities, [Vec3::X; 2]);
    }
}
