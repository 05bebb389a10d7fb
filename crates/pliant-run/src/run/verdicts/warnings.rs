//! The warnings of a run, in words.

use pliant::record::overlap::Overlap;
use pliant_scene::loaded::LoadedScene;

use super::Verdicts;
use super::tally::{Kind, Tally};
use crate::report::text::number;
use crate::summary::Warning;

/// Momentum drift, over Σ m|v|, that is worth a warning.
const MOMENTUM: f64 = 1e-2;

/// Time that bodies may need to leave an overlap, s; what lasts longer until the end is a warning.
const LASTING: f64 = 0.5;

/// What is known at the end of a run only.
#[derive(Clone, Debug)]
pub struct End {
    /// s.
    pub time: f64,
    /// Vertices inside obstacles.
    pub obstacle_vertices: usize,
    /// Largest depth of one of them, m.
    pub obstacle_depth: f64,
    /// Relative.
    pub momentum_error: f64,
    /// Two bodies that cross, or one inside others.
    pub overlapping: Vec<usize>,
}

impl Verdicts {
    /// All warnings of a run, with what is known at its end only.
    pub fn warnings(&self, built: &LoadedScene, end: End) -> Vec<Warning> {
        let mut list: Vec<Warning> = Vec::new();
        let mut add = |kind: &str, count: u64, first_time: f64, message: String| {
            list.push(Warning { kind: kind.to_owned(), count, first_time, message });
        };
        for warning in &built.warnings {
            add("response_dropped", 1, 0.0, warning.clone());
        }
        let named = |kind: Kind, name: &str, message: &dyn Fn(&Tally) -> String| {
            let tally = &self.tallies[kind as usize];
            (tally.count > 0)
                .then(|| (name.to_owned(), tally.count, tally.first_time, message(tally)))
        };
        let found = [
            named(Kind::Energy, "energy", &|tally| self.energy(built, tally)),
            named(Kind::Unconverged, "unconverged", &unconverged),
            named(Kind::TooFast, "too_fast", &|tally| too_fast(built, tally)),
            named(Kind::Inverted, "inverted_tets", &inverted),
        ];
        for (kind, count, first_time, message) in found.into_iter().flatten() {
            add(&kind, count, first_time, message);
        }
        let End { time, obstacle_vertices, obstacle_depth, momentum_error, overlapping } = end;
        if let Some(since) = self.lasting(built, time) {
            let Overlap { penetrating_vertices, edge_crossings, .. } = self.overlap.0;
            let message = self.overlapping(built, since, &overlapping);
            add("overlap", (penetrating_vertices + edge_crossings) as u64, since, message);
        }
        if obstacle_vertices > 0 {
            let message = format!(
                "{obstacle_vertices} vertices are inside obstacles at the end, the deepest {} m: \
                 take a shorter dt, or a stiffer obstacle where it is a penalty",
                number(obstacle_depth)
            );
            add("in_obstacles", obstacle_vertices as u64, time, message);
        }
        if momentum_error.is_nan() || momentum_error.abs() > MOMENTUM {
            let message = format!(
                "momentum drifted by {} of Σ m|v| without a source: take a shorter dt, or \
                 tighter tolerances",
                number(momentum_error)
            );
            add("momentum", 1, time, message);
        }
        list
    }

    /// Since when bodies have overlapped, s, where contacts should have ended it by now.
    ///
    /// Penalties need some overlap.
    fn lasting(&self, built: &LoadedScene, end: f64) -> Option<f64> {
        let has_rows = built.info.response == "constraint";
        self.overlap.1.filter(|since| has_rows && end - since >= LASTING)
    }

    fn overlapping(&self, built: &LoadedScene, since: f64, bodies: &[usize]) -> String {
        let Overlap { penetrating_vertices, edge_crossings, max_depth, .. } = self.overlap.0;
        let names = bodies.iter().filter_map(|body| {
            Some(format!("body {body} `{}`", built.info.bodies.get(*body)?.name))
        });
        format!(
            "bodies have been in each other since {} s, until the end: {penetrating_vertices} \
             vertices inside and {edge_crossings} edge crossings, the deepest {} m, as in {}: \
             take a shorter dt, or give them more room",
            number(since),
            number(max_depth),
            names.collect::<Vec<_>>().join(" and ")
        )
    }

    fn energy(&self, built: &LoadedScene, tally: &Tally) -> String {
        format!(
            "energy appeared without a source in {}, first at {} s, most {} J{}: {}",
            steps(tally.count),
            number(tally.first_time),
            number(tally.worst),
            in_body(built, tally.body),
            self.remedy(built)
        )
    }

    /// What to try against energy from nowhere.
    pub(super) fn remedy(&self, built: &LoadedScene) -> String {
        let dt = built.info.dt;
        match self.stable_step {
            Some(0.0) => format!(
                "{} gains energy at any step: take symplectic-euler, verlet or implicit-euler",
                built.info.integrator
            ),
            Some(stable) if stable < dt => format!(
                "dt is {} s, and {} is stable below about {} s here: take a shorter dt, or \
                 implicit-euler",
                number(dt),
                built.info.integrator,
                number(stable)
            ),
            _ => "take a shorter dt or more substeps".to_owned(),
        }
    }
}

fn unconverged(tally: &Tally) -> String {
    format!(
        "contacts did not converge in {}, first at {} s: take a shorter dt, or more substeps",
        steps(tally.count),
        number(tally.first_time)
    )
}

fn too_fast(built: &LoadedScene, tally: &Tally) -> String {
    format!(
        "something was passed through within a step in {}, first at {} s, at {} m a step{}: \
         take a shorter dt or more substeps",
        steps(tally.count),
        number(tally.first_time),
        number(tally.worst),
        in_body(built, tally.body)
    )
}

fn inverted(tally: &Tally) -> String {
    format!(
        "up to {} tets were inverted at {} recorded steps, first at {} s: take a shorter dt, a \
         stiffer material or a finer mesh",
        number(tally.worst),
        tally.count,
        number(tally.first_time)
    )
}

fn steps(count: u64) -> String {
    if count == 1 { "one step".to_owned() } else { format!("{count} steps") }
}

pub fn in_body(built: &LoadedScene, body: Option<usize>) -> String {
    let named = body.and_then(|body| Some((body, built.info.bodies.get(body)?)));
    named.map_or(String::new(), |(body, info)| format!(", in body {body} `{}`", info.name))
}
