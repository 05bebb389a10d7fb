//! Contacts of small bodies: dense inverses and projected Gauss–Seidel.
//!
//! | here        | formula   | meaning                                               |
//! |-------------|-----------|-------------------------------------------------------|
//! | `responses` | W = A⁻¹Jᵀ | velocity of every vertex of a body per impulse, 1/kg  |
//! | `ease`      | G = J W   | relative velocity of a contact per impulse, 1/kg      |
//!
//! An impulse moves the whole body at once as its elasticity wants it, so the sweeps
//! converge whatever the stiffness; impulses through the masses alone boil.

use std::ops::Range;

use crate::force::BlockMatrix;
use crate::id::{BodyId, VertexId};
use crate::math::{Mat3, Vec3};
use crate::respond::constraint::dense::Inverse;
use crate::respond::constraint::pressure::Pressure;
use crate::respond::constraint::rows::{Equations, RowSettings, Solved};
use crate::respond::contact::Contact;

/// Memory of the method.
#[derive(Clone, Debug, Default)]
pub struct Direct {
    /// One per body that has contacts.
    inverses: Vec<Inverse>,
    /// Entry of `inverses` of each body, or none.
    places: Vec<Option<u32>>,
    touches: Vec<Touch>,
    /// W of all contacts, side after side.
    responses: Vec<Mat3>,
    rest: Vec<Vec3>,
}

/// A contact made ready for the sweeps.
#[derive(Clone, Copy, Debug)]
struct Touch {
    /// First response and first vertex of each side, and the vertices of its body, count.
    sides: [(usize, usize, usize); 2],
    ease: Mat3,
    /// G along the normal, 1/kg.
    normal_ease: f64,
    /// An upper bound of G along the plane, 1/kg.
    along_ease: f64,
}

impl Direct {
    /// Solves for the velocities of all bodies that have contacts.
    ///
    /// `bodies` are the vertices of each body. `velocities` come with those of held vertices and leave with the solution; bodies
    /// without contacts are not touched. `None` when a body's matrix is not definite.
    pub fn solve(
        &mut self,
        equations: Equations<'_, BlockMatrix>,
        bodies: &[Range<usize>],
        contacts: &[Contact],
        settings: RowSettings,
        (velocities, pressures): (&mut [Vec3], &mut [Pressure]),
    ) -> Option<Solved> {
        self.invert(equations, bodies, contacts)?;
        self.free(equations, bodies, velocities);
        self.respond(bodies, contacts);
        for (touch, (contact, pressure)) in
            self.touches.iter().zip(contacts.iter().zip(&*pressures))
        {
            touch.push(&self.responses, pressure.impulse(contact), velocities);
        }
        for sweep in 1..=settings.sweeps {
            let mut still = true;
            for ((touch, contact), pressure) in
                self.touches.iter().zip(contacts).zip(&mut *pressures)
            {
                let change = touch.relax(contact, pressure, &self.responses, velocities);
                still &= change <= settings.still * contact.size / equations.dt;
            }
            if still {
                return Some(Solved { sweeps: sweep, ..Solved::default() });
            }
        }
        Some(Solved { sweeps: settings.sweeps, ..Solved::default() })
    }

    fn invert(
        &mut self,
        equations: Equations<'_, BlockMatrix>,
        bodies: &[Range<usize>],
        contacts: &[Contact],
    ) -> Option<()> {
        self.places.clear();
        self.places.resize(bodies.len(), None);
        let mut count = 0;
        for contact in contacts {
            let (a, b) = contact.bodies;
            for body in [Some(a), b].into_iter().flatten() {
                let place = &mut self.places[body.index()];
                if place.is_none() {
                    *place = Some(count);
                    count += 1;
                }
            }
        }
        if self.inverses.len() < count as usize {
            self.inverses.resize_with(count as usize, Inverse::default);
        }
        let held = |v: usize| equations.held.binary_search(&VertexId(v as u32)).is_ok();
        for body in (0..bodies.len() as u32).map(BodyId) {
            if let Some(place) = self.places[body.index()] {
                let inverse = &mut self.inverses[place as usize];
                if !inverse.fill(equations.matrix, bodies[body.index()].clone(), held) {
                    return None;
                }
            }
        }
        Some(())
    }

    /// Velocities without contacts.
    fn free(
        &mut self,
        equations: Equations<'_, BlockMatrix>,
        bodies: &[Range<usize>],
        velocities: &mut [Vec3],
    ) {
        let Equations { matrix, right, held, .. } = equations;
        let held = |v: usize| held.binary_search(&VertexId(v as u32)).is_ok();
        for body in (0..bodies.len() as u32).map(BodyId) {
            let Some(place) = self.places[body.index()] else { continue };
            self.rest.clear();
            for row in bodies[body.index()].clone() {
                if held(row) {
                    self.rest.push(velocities[row]);
                    continue;
                }
                let (columns, blocks) = matrix.row(row);
                let given = columns.iter().zip(blocks).filter(|(column, _)| held(column.index()));
                let from: Vec3 =
                    given.map(|(column, block)| *block * velocities[column.index()]).sum();
                self.rest.push(right[row] - from);
            }
            self.inverses[place as usize]
                .multiply(&self.rest, &mut velocities[bodies[body.index()].clone()]);
        }
    }

    /// W and G of every contact.
    fn respond(&mut self, bodies: &[Range<usize>], contacts: &[Contact]) {
        self.touches.clear();
        self.responses.clear();
        for contact in contacts {
            let (a, b) = contact.bodies;
            let mut ease = Mat3::ZERO;
            let sides = [Some(a), b].map(|body| {
                let Some(body) = body else { return (0, 0, 0) };
                let (own, first) = (bodies[body.index()].clone(), self.responses.len());
                let Some(place) = self.places[body.index()] else { return (0, 0, 0) };
                let inverse = &self.inverses[place as usize];
                self.responses.resize(first + own.len(), Mat3::ZERO);
                for (vertex, weight) in contact.terms() {
                    if !own.contains(&vertex.index()) {
                        continue;
                    }
                    let column = vertex.index() - own.start;
                    for (row, response) in self.responses[first..].iter_mut().enumerate() {
                        *response += inverse.block(row, column) * weight;
                    }
                }
                for (vertex, weight) in contact.terms() {
                    if own.contains(&vertex.index()) {
                        ease += self.responses[first + vertex.index() - own.start] * weight;
                    }
                }
                (first, own.start, own.len())
            });
            let normal_ease = contact.normal.dot(ease * contact.normal);
            let trace = ease.x_axis.x + ease.y_axis.y + ease.z_axis.z;
            let along_ease = trace - normal_ease;
            self.touches.push(Touch { sides, ease, normal_ease, along_ease });
        }
    }
}

impl Touch {
    /// Gives an impulse to the bodies.
    #[inline]
    fn push(&self, responses: &[Mat3], impulse: Vec3, velocities: &mut [Vec3]) {
        for (first, vertex, count) in self.sides {
            let own = responses[first..first + count].iter();
            for (velocity, response) in velocities[vertex..vertex + count].iter_mut().zip(own) {
                *velocity += *response * impulse;
            }
        }
    }

    /// Puts one contact right; returns the change of its relative velocity, m/s.
    #[inline]
    fn relax(
        &self,
        contact: &Contact,
        pressure: &mut Pressure,
        responses: &[Mat3],
        velocities: &mut [Vec3],
    ) -> f64 {
        // Both sides held: nothing can be done.
        if self.normal_ease <= 0.0 {
            return 0.0;
        }
        let relative = contact.relative(velocities);
        let lacking = contact.target - contact.normal.dot(relative);
        let normal = (pressure.normal + lacking / self.normal_ease).max(0.0);
        let mut change = (normal - pressure.normal) * contact.normal;
        pressure.normal = normal;
        let mut along = Vec3::ZERO;
        if contact.friction > 0.0 && self.along_ease > 0.0 {
            let after = relative + self.ease * change;
            let sliding = after - contact.normal.dot(after) * contact.normal;
            along = pressure.along - sliding / self.along_ease;
            let (most, length) = (contact.friction * normal, along.length());
            if length > most {
                along *= most / length;
            }
        }
        change += along - pressure.along;
        pressure.along = along;
        if change == Vec3::ZERO {
            return 0.0;
        }
        self.push(responses, change, velocities);
        (self.ease * change).length()
    }
}
