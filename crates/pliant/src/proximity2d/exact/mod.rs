//! The exact backend: segments against segments, sought out by boxes; no image.
//!
//! Answers as [`Brute`](super::brute::Brute) does, place for place. For every frame boxes
//! are made anew ([`tree`]), meetings of the two boundaries are found ([`meeting`]), what is
//! inside follows from them ([`inside`]), and depths are searched only there ([`nearest`]).

mod area;
mod contacts;
mod inside;
mod meeting;
mod nearest;
#[cfg(test)]
pub(super) mod shapes;
mod tree;

use std::ops::ControlFlow;

use crate::par;

use super::outline::Outlines;
use super::{Answer, Backend, BackendError, Pair, Question, Side, prepare};
use area::AreaScratch;
use contacts::ContactScratch;
use inside::{DepthScratch, Depths};
use meeting::Meeting;
use tree::{Boxes, View};

/// Most shares that pairs are divided into, count.
const MOST_THREADS: usize = 1024;

/// Asks the segments that matter; keeps memory from frame to frame and nothing else.
#[derive(Clone, Debug)]
pub struct Exact {
    /// Boxes of the frame.
    boxes: Boxes,
    /// Memory of each thread; one or more.
    shares: Vec<Scratch>,
}

/// Memory of one thread.
#[derive(Clone, Debug, Default)]
struct Scratch {
    /// Where the boundaries of a pair meet.
    meetings: Vec<Meeting>,
    depths: DepthScratch,
    area: AreaScratch,
    contacts: ContactScratch,
}

impl Default for Exact {
    /// One thread.
    fn default() -> Exact {
        Exact { boxes: Boxes::default(), shares: vec![Scratch::default()] }
    }
}

impl Exact {
    /// Divides the pairs among threads; answers are the same for any number of them.
    pub fn set_threads(&mut self, threads: usize) {
        self.shares.resize_with(threads.clamp(1, MOST_THREADS), Scratch::default);
    }
}

impl Backend for Exact {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn ask(
        &mut self,
        outlines: &Outlines,
        pairs: &[Pair],
        question: &Question,
        answers: &mut Vec<Answer>,
    ) -> Result<(), BackendError> {
        prepare(outlines, pairs, question, answers)?;
        self.boxes.build(outlines);
        let view = View { outlines, boxes: &self.boxes };
        divide(view, question, &mut self.shares, pairs, answers);
        Ok(())
    }
}

/// Answers for all pairs, those of each half of the shares at the same time.
fn divide(
    view: View<'_>,
    question: &Question,
    shares: &mut [Scratch],
    pairs: &[Pair],
    answers: &mut [Answer],
) {
    if let [share] = shares {
        for (pair, answer) in pairs.iter().zip(answers) {
            share.answer(view, [pair.a as usize, pair.b as usize], question, answer);
        }
        return;
    }
    let half = shares.len() / 2;
    let weight = |pair: &Pair| {
        [pair.a, pair.b].iter().map(|&at| view.outlines.range(at as usize).len()).sum::<usize>()
    };
    let all: usize = pairs.iter().map(weight).sum();
    let (mut cut, mut sum) = (0, 0);
    while cut < pairs.len() && sum * shares.len() < all * half {
        sum += weight(&pairs[cut]);
        cut += 1;
    }
    let (low, high) = shares.split_at_mut(half);
    let (low_pairs, high_pairs) = pairs.split_at(cut);
    let (low_answers, high_answers) = answers.split_at_mut(cut);
    par::both(
        || divide(view, question, low, low_pairs, low_answers),
        || divide(view, question, high, high_pairs, high_answers),
    );
}

impl Scratch {
    /// Answers for one pair.
    fn answer(
        &mut self,
        view: View<'_>,
        sides: [usize; 2],
        question: &Question,
        answer: &mut Answer,
    ) {
        let wanted = question.wanted;
        let [a, b] = sides;
        self.meetings.clear();
        let depths = wanted.vertices || wanted.samples;
        let every = depths || wanted.area;
        if view.rect(a).meets(&view.rect(b)) {
            let found = view.meetings(sides, &mut |meeting| {
                self.meetings.push(meeting);
                if every { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            debug_assert!(found.is_continue() || !every, "{sides:?}");
            self.meetings.sort_unstable_by_key(Meeting::key);
            let contained = if depths {
                self.depths(view, sides, question, answer)
            } else {
                self.meetings.is_empty()
                    && (inside::begins_inside(view, a, b) || inside::begins_inside(view, b, a))
            };
            answer.intersects = contained || !self.meetings.is_empty();
        }
        if wanted.area && answer.intersects {
            answer.overlap_area = area::overlap_area(view, sides, &self.meetings, &mut self.area);
        }
        if wanted.separation && !answer.intersects {
            answer.separation = view.separation(sides);
        }
        if wanted.contacts {
            let distance = question.contact_distance;
            view.contacts(sides, distance, &mut self.contacts, &mut answer.contacts);
        }
    }

    /// Adds the depths of both sides; gives whether a ring of one begins inside the other.
    ///
    /// The meetings are sorted along a before, and along b after.
    fn depths(
        &mut self,
        view: View<'_>,
        [a, b]: [usize; 2],
        question: &Question,
        answer: &mut Answer,
    ) -> bool {
        let scratch = &mut self.depths;
        let mut depths = Depths { view, question, answer, scratch, asked: 0.0 };
        let of_a = depths.of_side(Side::A, [a, b], &self.meetings);
        self.meetings.iter_mut().for_each(|meeting| *meeting = meeting.swapped());
        self.meetings.sort_unstable_by_key(Meeting::key);
        let of_b = depths.of_side(Side::B, [b, a], &self.meetings);
        depths.finish();
        of_a || of_b
    }
}
