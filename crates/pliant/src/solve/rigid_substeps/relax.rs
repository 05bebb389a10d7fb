//! One patch solved by itself: the local step of a sweep.
//!
//! Tried in this order, and the change of the wrench applied once: nothing presses and nothing
//! closes; all points stick (a weld); they stick but share the load otherwise; a side of the
//! polygon bears all and the patch turns about it; all impulses go; and where none of these
//! holds, as when sliding, a few iterations over normal impulses, twist and tangential impulse.

use crate::math::Vec3;
use crate::solve::rigid_substeps::bodies::PushedBodies;
use crate::solve::rigid_substeps::patch::{MOST, Patch, PatchImpulse};

/// Iterations inside a patch that slides.
const ROUNDS: usize = 4;

/// Targets off an affine function of the place, relative to the largest, that count as on it.
const AFFINE: f64 = 1e-6;

/// Order in which patches, and the parts of one, are swept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Backward,
}

/// How a patch was solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Solution {
    /// Nothing presses.
    Idle,
    /// It sticks, on all points or on a side.
    Sticks,
    /// It slides, lets go or rests on single points.
    Slips,
}

/// Impulses of the points, and the change of the wrench that leads to them.
struct Proposal {
    normals: [f64; MOST],
    change: [f64; 6],
}

impl Patch {
    /// Solves the patch by itself, for points with these least speeds, m/s.
    #[inline]
    pub fn relax(
        &mut self,
        targets: &[f64; MOST],
        bodies: &mut impl PushedBodies,
        direction: Direction,
    ) -> Solution {
        let [a, b] = self.sides.map(|side| side as usize);
        let mut relative = self.relative([bodies.motion(a), bodies.motion(b)]);
        let [u, v, w] = self.surface_tangent;
        relative[3] -= u;
        relative[4] -= v;
        relative[5] -= w;
        if self.impulse == PatchImpulse::default() && self.all_faster(&relative, targets) {
            return Solution::Idle;
        }
        if let Some(change) = self.stick(&relative, targets) {
            bodies.push(self, &change);
            return Solution::Sticks;
        }
        let change = self.slip(relative, targets, direction);
        bodies.push(self, &change);
        Solution::Slips
    }

    /// Whether all points open at least as fast as they must.
    #[inline]
    fn all_faster(&self, relative: &[f64; 6], targets: &[f64; MOST]) -> bool {
        (0..self.count).all(|i| self.point_speed(relative, i) >= targets[i])
    }

    /// Lets it stick where friction and pressure allow; gives the change of the wrench.
    #[inline]
    fn stick(&mut self, relative: &[f64; 6], targets: &[f64; MOST]) -> Option<[f64; 6]> {
        if !self.is_weldable {
            return None;
        }
        let Proposal { normals, change } = if self.is_affine(targets) {
            let mut proposal = self.weld(relative, targets);
            if normals_are_pushing(&proposal.normals) || self.share_otherwise(&mut proposal) {
                proposal
            } else {
                self.on_side(proposal)?
            }
        } else {
            self.partly(relative, targets)?
        };
        let (mut pressure, mut moment) = (0.0, 0.0);
        for (normal, radius) in normals.iter().zip(self.radii) {
            pressure += normal;
            moment += normal * radius;
        }
        let impulse = &mut self.impulse;
        let tangent = [impulse.tangent[0] + change[3], impulse.tangent[1] + change[4]];
        let (twist, most) = (impulse.twist + change[5], self.friction * pressure);
        let holds = tangent[0] * tangent[0] + tangent[1] * tangent[1] <= most * most
            && twist.abs() <= self.friction * moment;
        holds.then(|| {
            *impulse = PatchImpulse { normals, tangent, twist };
            change
        })
    }

    /// Whether one motion of the patch gives all points their targets.
    #[inline]
    fn is_affine(&self, targets: &[f64; MOST]) -> bool {
        if self.count < MOST || *targets == [0.0; MOST] {
            return true;
        }
        let largest = targets.iter().fold(0.0_f64, |most, target| most.max(target.abs()));
        self.off_plane(targets).abs() <= (AFFINE * largest).max(self.rough)
    }

    /// ν · t: how far the values of four points are off one plane.
    #[inline]
    fn off_plane(&self, values: &[f64; MOST]) -> f64 {
        let [a, b, c, d] = self.null;
        a * values[0] + b * values[1] + c * values[2] + d * values[3]
    }

    /// All points get their targets, and nothing slides.
    #[inline]
    fn weld(&self, relative: &[f64; 6], targets: &[f64; MOST]) -> Proposal {
        let mut lacking = relative.map(|value| -value);
        if *targets != [0.0; MOST] {
            for (spread, target) in self.spread.iter().zip(targets) {
                lacking[0] += spread[0] * target;
                lacking[1] += spread[1] * target;
                lacking[2] += spread[2] * target;
            }
        }
        // By columns, which are the rows: two numbers fit into a register.
        let [first, rest @ ..] = &self.k_inv;
        let mut change = first.map(|value| value * lacking[0]);
        for (column, e) in rest.iter().zip(&lacking[1..]) {
            for (own, value) in change.iter_mut().zip(column) {
                *own += value * e;
            }
        }
        let normals = std::array::from_fn(|i| {
            let q = &self.spread[i];
            self.impulse.normals[i] + q[0] * change[0] + q[1] * change[1] + q[2] * change[2]
        });
        Proposal { normals, change }
    }

    /// Shares the same wrench out so that no point pulls, where that can be.
    fn share_otherwise(&self, proposal: &mut Proposal) -> bool {
        if self.count < MOST {
            return false;
        }
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        for (normal, null) in proposal.normals.iter().zip(self.null) {
            let bound = -normal / null;
            if null > 0.0 {
                low = low.max(bound);
            } else if null < 0.0 {
                high = high.min(bound);
            } else if *normal < 0.0 {
                return false;
            }
        }
        if low <= high {
            let moved = 0.0_f64.max(low).min(high);
            for (normal, null) in proposal.normals.iter_mut().zip(self.null) {
                *normal = (*normal + moved * null).max(0.0);
            }
        }
        low <= high
    }

    /// Lets a side bear all where the centre of pressure would be beyond it.
    ///
    /// The patch is free to turn about the side: exact, as a change of the weld by rank one.
    fn on_side(&self, mut proposal: Proposal) -> Option<Proposal> {
        let pressed = self.pressed(&proposal.normals);
        if pressed[0] <= 0.0 {
            return None;
        }
        let (mut worst, mut side) = (0.0, 0);
        for k in 0..self.count {
            let beyond = dot(self.beyond(k), pressed);
            if beyond > worst {
                (worst, side) = (beyond, k);
            }
        }
        if worst <= 0.0 {
            return None;
        }
        let pressed = self.turn_about(side, worst, pressed, &mut proposal.change).1;
        self.bear(side, pressed, &mut proposal.normals).then_some(proposal)
    }

    /// Takes the moment about a side away; gives the factor of its functional, and the pressure.
    fn turn_about(
        &self,
        side: usize,
        beyond: f64,
        pressed: [f64; 3],
        change: &mut [f64; 6],
    ) -> (f64, [f64; 3]) {
        let c = self.beyond(side);
        let z = self.k_inv.map(|row| row[0] * c[0] + row[1] * c[1] + row[2] * c[2]);
        let factor = beyond / dot(c, [z[0], z[1], z[2]]);
        for (own, z) in change.iter_mut().zip(z) {
            *own -= factor * z;
        }
        (factor, std::array::from_fn(|i| pressed[i] - factor * z[i]))
    }

    /// Lets the two points of a side bear a pressure whose centre is on it.
    fn bear(&self, side: usize, pressed: [f64; 3], normals: &mut [f64; MOST]) -> bool {
        let (i, j) = (side, (side + 1) % self.count);
        let (dx, dy) = (self.x[j] - self.x[i], self.y[j] - self.y[i]);
        let [pressure, about_x, about_y] = pressed;
        let (px, py) = (-about_y - pressure * self.x[i], about_x - pressure * self.y[i]);
        let share = (px * dx + py * dy) / (dx * dx + dy * dy);
        *normals = [0.0; MOST];
        normals[j] = share;
        normals[i] = pressure - share;
        normals[i] >= 0.0 && normals[j] >= 0.0
    }

    /// Four points of which those that are apart and do not press are left out.
    fn partly(&self, relative: &[f64; 6], targets: &[f64; MOST]) -> Option<Proposal> {
        let mut out = [0; MOST];
        let mut left_out = 0;
        for (i, target) in targets.iter().enumerate() {
            if *target < 0.0 && self.impulse.normals[i] == 0.0 {
                out[left_out] = i;
                left_out += 1;
            }
        }
        match (left_out, out[0], out[1]) {
            (1, point, _) => self.without_point(point, relative, targets),
            // The side that stays begins behind the second of two neighbours.
            (2, 0, 3) => self.without_side(1, relative, targets),
            (2, first, second) if second == first + 1 => {
                self.without_side((second + 1) % MOST, relative, targets)
            }
            _ => None,
        }
    }

    /// Lets three points stick, where the fourth then opens fast enough.
    fn without_point(
        &self,
        point: usize,
        relative: &[f64; 6],
        targets: &[f64; MOST],
    ) -> Option<Proposal> {
        let mut reached = *targets;
        reached[point] -= self.off_plane(targets) / self.null[point];
        if reached[point] < targets[point] {
            return None;
        }
        let mut proposal = self.weld(relative, &reached);
        let moved = -proposal.normals[point] / self.null[point];
        for (normal, null) in proposal.normals.iter_mut().zip(self.null) {
            *normal += moved * null;
        }
        proposal.normals[point] = 0.0;
        normals_are_pushing(&proposal.normals).then_some(proposal)
    }

    /// Lets a side stick, where the two other points then open fast enough.
    fn without_side(
        &self,
        side: usize,
        relative: &[f64; 6],
        targets: &[f64; MOST],
    ) -> Option<Proposal> {
        let others = [(side + 2) % MOST, (side + 3) % MOST];
        let mut reached = *targets;
        reached[others[0]] = self.point_speed(relative, others[0]);
        reached[others[1]] = 0.0;
        reached[others[1]] = -self.off_plane(&reached) / self.null[others[1]];
        let mut proposal = self.weld(relative, &reached);
        let (c, pressed) = (self.beyond(side), self.pressed(&proposal.normals));
        let (factor, pressed) =
            self.turn_about(side, dot(c, pressed), pressed, &mut proposal.change);
        for k in others {
            let turned = factor * (c[0] + self.y[k] * c[1] - self.x[k] * c[2]);
            if reached[k] - turned < targets[k] {
                return None;
            }
        }
        self.bear(side, pressed, &mut proposal.normals).then_some(proposal)
    }

    /// Sum of the normal impulses and its moments about the axes in the plane.
    fn pressed(&self, normals: &[f64; MOST]) -> [f64; 3] {
        let mut pressed = [0.0; 3];
        for ((normal, x), y) in normals.iter().zip(self.x).zip(self.y) {
            pressed[0] += normal;
            pressed[1] += y * normal;
            pressed[2] -= x * normal;
        }
        pressed
    }

    /// Functional of a pressure that is positive where its centre is beyond a side.
    #[inline]
    fn beyond(&self, side: usize) -> [f64; 3] {
        let next = if side + 1 == self.count { 0 } else { side + 1 };
        let out = [self.y[next] - self.y[side], self.x[side] - self.x[next]];
        [-(out[0] * self.x[side] + out[1] * self.y[side]), out[1], -out[0]]
    }

    /// Lets go, or slides; gives the change of the wrench.
    fn slip(
        &mut self,
        relative: [f64; 6],
        targets: &[f64; MOST],
        direction: Direction,
    ) -> [f64; 6] {
        let all = self.impulse.wrench(self).map(|value| -value);
        let mut free = relative;
        add_response(&mut free, &self.k, &all);
        if self.all_faster(&free, targets) {
            self.impulse = PatchImpulse::default();
            return all;
        }
        self.fill_parts();
        let mut slide = Slide { relative, change: [0.0; 6] };
        let is_block = self.is_weldable && self.is_affine(targets);
        for _ in 0..ROUNDS {
            if direction == Direction::Backward {
                slide.friction(self, direction);
            }
            if !(is_block && slide.press_all(self, targets)) {
                for k in 0..self.count {
                    let back = self.count - 1 - k;
                    let i = if direction == Direction::Forward { k } else { back };
                    slide.press(self, i, targets[i]);
                }
            }
            if direction == Direction::Forward {
                slide.friction(self, direction);
            }
        }
        slide.change
    }
}

/// A patch while its parts are solved one after the other.
struct Slide {
    relative: [f64; 6],
    change: [f64; 6],
}

impl Slide {
    /// All points at once along the normal, with friction as it is; not where one would pull.
    fn press_all(&mut self, patch: &mut Patch, targets: &[f64; MOST]) -> bool {
        let mut lacking = [-self.relative[0], -self.relative[1], -self.relative[2]];
        for (spread, target) in patch.spread.iter().zip(targets) {
            for (own, share) in lacking.iter_mut().zip(spread) {
                *own += share * target;
            }
        }
        let [a, b, c] = (patch.normal_inv * Vec3::from_array(lacking)).to_array();
        let change = [a, b, c];
        let mut normals = patch.impulse.normals;
        for (normal, spread) in normals.iter_mut().zip(&patch.spread) {
            *normal += dot(*spread, change);
        }
        if !normals_are_pushing(&normals) {
            return false;
        }
        patch.impulse.normals = normals;
        self.add(patch, 0, change);
        true
    }

    /// One point along the normal.
    fn press(&mut self, patch: &mut Patch, i: usize, target: f64) {
        let (x, y) = (patch.x[i], patch.y[i]);
        let lacking = target - patch.point_speed(&self.relative, i);
        let normal = (patch.impulse.normals[i] + lacking * patch.point_masses[i]).max(0.0);
        let change = normal - patch.impulse.normals[i];
        if change != 0.0 {
            patch.impulse.normals[i] = normal;
            self.add(patch, 0, [change, y * change, -x * change]);
        }
    }

    /// Twist and tangential impulse, each within its bound.
    fn friction(&mut self, patch: &mut Patch, direction: Direction) {
        if direction == Direction::Forward {
            self.twist(patch);
        }
        let most = patch.friction * patch.impulse.pressure();
        let [xx, xy, yy] = patch.tangent_inv;
        let [u, v] = [self.relative[3], self.relative[4]];
        let [before_x, before_y] = patch.impulse.tangent;
        let (mut x, mut y) = (before_x - (xx * u + xy * v), before_y - (xy * u + yy * v));
        let square = x * x + y * y;
        if square > most * most {
            let share = most / square.sqrt();
            (x, y) = (share * x, share * y);
        }
        patch.impulse.tangent = [x, y];
        self.add(patch, 3, [x - before_x, y - before_y]);
        if direction == Direction::Backward {
            self.twist(patch);
        }
    }

    fn twist(&mut self, patch: &mut Patch) {
        if !patch.bears_twist() {
            return;
        }
        let moment = dot4(patch.impulse.normals, patch.radii);
        let (before, most) = (patch.impulse.twist, patch.friction * moment);
        let twist = (before - self.relative[5] / patch.k[5][5]).max(-most).min(most);
        patch.impulse.twist = twist;
        self.add(patch, 5, [twist - before]);
    }

    /// Changes some parts of the wrench, of which `first` is the first.
    #[inline]
    fn add<const N: usize>(&mut self, patch: &Patch, first: usize, change: [f64; N]) {
        for (k, w) in change.into_iter().enumerate() {
            self.change[first + k] += w;
            if w != 0.0 {
                for (own, value) in self.relative.iter_mut().zip(&patch.k[first + k]) {
                    *own += value * w;
                }
            }
        }
    }
}

/// Adds K W to a relative motion.
fn add_response(relative: &mut [f64; 6], k: &[[f64; 6]; 6], wrench: &[f64; 6]) {
    for (row, w) in k.iter().zip(wrench).filter(|(_, w)| **w != 0.0) {
        for (own, value) in relative.iter_mut().zip(row) {
            *own += value * w;
        }
    }
}

fn normals_are_pushing(normals: &[f64; MOST]) -> bool {
    normals.iter().all(|normal| *normal >= 0.0)
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn dot4(a: [f64; MOST], b: [f64; MOST]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
}
