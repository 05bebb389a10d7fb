//! Elastic tets and their matrix, taken over when bodies are removed or appended.
//!
//! Bodies have no blocks of the matrix in common, so what stays only moves. The result is the
//! same, bit for bit, as that of forces made anew.

use std::any::Any;
use std::sync::OnceLock;

use crate::force::elastic::{Elastic, Law};
use crate::force::elements::Elements;
use crate::force::{Force, Forces};
use crate::id::VertexId;
use crate::mesh::runs::Runs;

/// Blocks of a tet.
const BLOCKS: usize = 16;

/// What becomes of the tets and vertices of a scene.
#[derive(Clone, Debug)]
pub(crate) struct ForcesChange {
    /// Place of the elastic force before.
    pub from: usize,
    /// Its place now.
    pub to: usize,
    /// Vertices that stay.
    pub vertices: Runs,
    /// Tets of the force that stay, run by run as the vertices.
    pub tets: Runs,
    /// Vertices of all bodies before.
    pub old_vertex_count: usize,
    /// Vertices of all bodies now.
    pub vertex_count: usize,
    /// Unknowns of all rigid bodies before.
    pub old_beyond: usize,
    /// Unknowns of all rigid bodies now.
    pub beyond: usize,
}

impl Forces {
    /// Number of tets of the elastic force at a place; none where there is another force.
    pub(crate) fn tet_count<L: Law + 'static>(&self, place: usize) -> Option<usize> {
        let force: &dyn Any = &**self.list.get(place)?;
        let elastic: &Elements<Elastic<L>, 4> = force.downcast_ref()?;
        Some(elastic.material().tet_count())
    }

    /// Puts the tets that stay before those that are here, and takes over the matrix.
    ///
    /// Here are only new tets so far. The number of threads must be set afterwards.
    pub(crate) fn take_tets<L: Law + 'static>(&mut self, old: &mut Forces, change: &ForcesChange) {
        let (Some(here), Some(there)) =
            (elastic_at::<L>(self, change.to), elastic_at::<L>(old, change.from))
        else {
            debug_assert!(false, "no tets at {} or {}", change.from, change.to);
            return;
        };
        std::mem::swap(here, there);
        here.change(&change.tets, &change.vertices.shifts(), std::mem::take(there));
        let last = here.corners_from(0).flatten().max();
        let added: Vec<[VertexId; 4]> = here.corners_from(change.tets.len()).collect();
        self.vertex_count = self.vertex_count.max(last.map_or(0, |last| last.index() + 1));
        self.assembled = None;
        self.around = OnceLock::new();
        self.take_matrix(old, change, &added);
    }

    /// Takes over the matrix, where only the tets have blocks off the diagonal.
    fn take_matrix(&mut self, old: &mut Forces, change: &ForcesChange, added: &[[VertexId; 4]]) {
        let Some((mut matrix, mut old_slots)) = old.assembled.take() else { return };
        let others = old_slots.iter().enumerate().filter(|(place, _)| *place != change.from);
        let is_alone = others.map(|(_, slots)| slots).all(Vec::is_empty)
            && self
                .list
                .iter()
                .enumerate()
                .all(|(place, force)| place == change.to || is_diagonal(&**force));
        let with_rigids = matrix.len() == change.old_vertex_count + change.old_beyond;
        let without = matrix.len() == change.old_vertex_count;
        if !is_alone || !old.leaning.is_empty() || !(with_rigids || without) {
            return;
        }
        let Some(own) = old_slots.get_mut(change.from) else { return };
        let mut slots = std::mem::take(own);
        self.beyond = if with_rigids { change.beyond } else { 0 };
        let shifts = matrix.keep_rows(&change.vertices);
        change.tets.times(BLOCKS).keep(&mut slots, |run, slot| slot.lower(shifts[run]));
        matrix.append_rows(change.vertex_count + self.beyond, added);
        matrix.append_slots(change.vertices.len(), added, &mut slots);
        matrix.set_threads(self.threads);
        let mut all = vec![Vec::new(); self.list.len()];
        all[change.to] = slots;
        self.assembled = Some((matrix, all));
    }
}

fn elastic_at<L: Law + 'static>(forces: &mut Forces, place: usize) -> Option<&mut Elastic<L>> {
    let force: &mut dyn Any = &mut **forces.list.get_mut(place)?;
    let elastic: &mut Elements<Elastic<L>, 4> = force.downcast_mut()?;
    Some(elastic.material_mut())
}

/// Whether a force has no blocks off the diagonal, and no slots.
fn is_diagonal(force: &dyn Force) -> bool {
    let (mut largest, mut count) = (0, 0);
    force.visit_dense(&mut |vertices| {
        largest = vertices.len().max(largest);
        count += 1;
    });
    if force.answers() { count == 0 } else { largest <= 1 }
}
