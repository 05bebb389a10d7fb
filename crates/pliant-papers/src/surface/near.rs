//! Vertices that are near but not inside, and separation before a step; both optional.
//!
//! A vertex within the margin counts as in contact with depth 0, so that contacts do not come
//! and go from step to step. Overlap that is left from the last step can be taken out
//! by shifts of whole bodies, which strain nothing and change no velocity.

use pliant::body::Bodies;
use pliant::contact::margin::MarginSettings;
use pliant::contact::output::RigidShift;
use pliant::contact::response::{ResponseError, StepContext};
use pliant::contact::search::{ContactQuery, ContactSettings, Search};
use pliant::contact::{Contact, Feature};
use pliant::math::Vec3;
use pliant::solve::position_correction::PositionCorrection;

/// A search for gaps; keeps its memory.
#[derive(Debug)]
pub struct Near {
    search: Search,
    split: PositionCorrection,
    rows: Vec<Contact>,
}

impl Near {
    /// Prepares for a scene; sizes of bodies are those in `rest`.
    pub fn new(rest: &[Vec3], bodies: &Bodies) -> Result<Near, ResponseError> {
        let search = Search::new(rest, bodies)?;
        Ok(Near { search, split: PositionCorrection::default(), rows: Vec::new() })
    }

    /// Appends shifts that separate bodies, up to half the margin.
    pub fn part(
        &mut self,
        context: StepContext<'_>,
        margin: f64,
        shifts: &mut Vec<RigidShift>,
    ) -> Result<(), ResponseError> {
        let StepContext { bodies, motion, dt, .. } = context;
        let ahead = MarginSettings { offset: margin, ..MarginSettings::default() };
        let settings = ContactSettings { margin: ahead, friction: 0.0 };
        let query = ContactQuery { motion, bodies, obstacles: &[], settings, dt };
        self.search.find(query, &mut self.rows)?;
        // Edges that cross have no contact that would end their approach: shifted apart, bodies
        // would continue through each other.
        self.rows.retain(|row| matches!(row.feature, Feature::VertexBody(..)));
        Ok(self.split.find(context, &mut self.rows, shifts)?)
    }

    /// Vertices outside other bodies, at most a margin away, ascending by vertex, then body.
    ///
    /// The margin is per size of the smaller body.
    pub fn find(
        &mut self,
        context: StepContext<'_>,
        margin: f64,
    ) -> Result<&[Contact], ResponseError> {
        let StepContext { bodies, motion, dt, .. } = context;
        // A search goes one offset beyond the offset, whatever the speed.
        let within =
            MarginSettings { offset: 0.5 * margin, speculative_distance: 0.0, steps_ahead: 0.0 };
        let settings = ContactSettings { margin: within, friction: 0.0 };
        let query = ContactQuery { motion, bodies, obstacles: &[], settings, dt };
        self.search.find(query, &mut self.rows)?;
        self.rows.retain(|row| {
            let of_vertex = matches!(row.feature, Feature::VertexBody(..)) && row.count == 4;
            of_vertex && row.gap >= 0.0 && row.gap <= margin * row.size
        });
        Ok(&self.rows)
    }

    /// Sets the number of threads; results stay bitwise the same.
    pub fn set_threads(&mut self, threads: usize) {
        self.search.set_threads(threads);
    }
}
