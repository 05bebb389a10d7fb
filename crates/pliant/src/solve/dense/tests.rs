use super::*;
use crate::body::soft::State;
use crate::force::elements::{Corners, Material};
use crate::force::{Forces, Form, Tangent};
use crate::id::VertexId;
use crate::math::random::Random;

/// Roundings of a hundred sums, times a condition below 100.
const TOLERANCE: f64 = 1e-12;

/// Pairs of vertices coupled in any symmetric way.
#[derive(Debug)]
struct Joints(Vec<([VertexId; 2], [Mat3; 2])>);

impl Material<2> for Joints {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn vertices(&self, element: usize) -> [VertexId; 2] {
        self.0[element].0
    }

    fn energy(&self, _: usize, _: &Corners<2>) -> f64 {
        0.0
    }

    fn forces(&self, _: usize, _: &Corners<2>) -> [Vec3; 2] {
        [Vec3::ZERO; 2]
    }

    fn tangent(&self, element: usize, _: &Corners<2>, _: Tangent) -> [[Mat3; 2]; 2] {
        let (_, roots) = &self.0[element];
        roots.map(|a| roots.map(|b| a.transpose() * b))
    }
}

/// All pairs of a range.
pub fn pairs(vertices: Range<u32>) -> Vec<[VertexId; 2]> {
    let after = |a: u32| (a + 1..vertices.end).map(move |b| [VertexId(a), VertexId(b)]);
    vertices.clone().flat_map(after).collect()
}

/// A positive semidefinite matrix that couples these pairs; zero without any.
pub fn joined(count: usize, joints: &[[VertexId; 2]], seed: u64) -> BlockMatrix {
    let mut random = Random::new(seed);
    let mut any = || random.vec3();
    let mut root = || Mat3::from_cols(any(), any(), any());
    let joints = joints.iter().map(|pair| (*pair, [root(), root()])).collect();
    let mut forces = Forces::new();
    forces.push(Joints(joints));
    let state = State::at_rest(vec![Vec3::ZERO; count]);
    let tangent = Tangent { stiffness: 1.0, damping: 0.0, form: Form::Exact };
    forces.assemble(state.motion(), tangent).unwrap().clone()
}

fn definite(count: u32) -> BlockMatrix {
    let mut matrix = joined(count as usize, &pairs(0..count), u64::from(count));
    (0..count as usize).for_each(|row| matrix.add_to_diagonal(row, 1.0));
    matrix
}

#[test]
fn a_diagonal_is_inverted_entry_by_entry() {
    let mut matrix = joined(3, &[], 0);
    [2.0, 4.0, 8.0].iter().enumerate().for_each(|(row, m)| matrix.add_to_diagonal(row, *m));
    let mut inverse = Inverse::default();
    assert!(inverse.fill(&matrix, 0..3, |v| v != 1, |_| false));
    assert_eq!([0, 1, 2].map(|v| inverse.place(v)), [Some(0), None, Some(1)]);
    assert_eq!(inverse.block(0, 0), 0.5 * Mat3::IDENTITY);
    assert_eq!(inverse.block(1, 1), 0.125 * Mat3::IDENTITY);
    assert_eq!(inverse.block(0, 1), Mat3::ZERO);
    assert_eq!(inverse.width(), 8); // two vertices and two numbers of padding
}

#[test]
fn a_block_is_inverted_as_worked_by_hand() {
    // Determinant 4 (15 − 4) − 2 (10 − 2) + 1 (4 − 3) = 29.
    let block = Mat3::from_cols_array(&[4.0, 2.0, 1.0, 2.0, 3.0, 2.0, 1.0, 2.0, 5.0]);
    let adjugate = Mat3::from_cols_array(&[11.0, -8.0, 1.0, -8.0, 19.0, -6.0, 1.0, -6.0, 8.0]);
    let found = super::inverse(block).unwrap();
    assert!(found.abs_diff_eq(adjugate * (1.0 / 29.0), 1e-15), "{found}");
    let flat = Mat3::from_cols_array(&[1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(super::inverse(flat), None);
    assert_eq!(super::inverse(f64::NAN * block), None);
}

/// Matrix times every column of the inverse must be a column of the identity.
#[track_caller]
fn check(count: u32, is_asked: impl Fn(usize) -> bool, is_held: impl Fn(usize) -> bool) {
    let (matrix, all) = (definite(count), 0..count as usize);
    let mut inverse = Inverse::default();
    assert!(inverse.fill(&matrix, all.clone(), &is_asked, &is_held));
    let asked_count = all.clone().filter(|v| is_asked(*v) && !is_held(*v)).count();
    assert_eq!(inverse.width(), (3 * asked_count).next_multiple_of(4));
    for (vertex, axis) in all.clone().flat_map(|v| [(v, 0), (v, 1), (v, 2)]) {
        if is_held(vertex) {
            continue;
        }
        let one = |v: usize| if v == vertex { Vec3::AXES[axis] } else { Vec3::ZERO };
        let (mut asked, mut column) = (Vec::new(), vec![Vec3::ZERO; all.len()]);
        inverse.solve(one, &mut asked);
        if let Some(place) = inverse.place(vertex) {
            let line = inverse.rows(place)[axis];
            let errors = line.iter().zip(&asked).map(|(a, b)| (a - b).abs());
            assert!(errors.fold(0.0, f64::max) < TOLERANCE, "{vertex}");
        }
        inverse.spread(&asked, &mut column);
        let mut product = vec![Vec3::ZERO; all.len()];
        matrix.multiply(&column, &mut product);
        for row in all.clone() {
            if is_held(row) {
                assert_eq!(column[row], Vec3::ZERO);
            } else {
                let error = product[row] - one(row);
                assert!(error.abs_diff_eq(Vec3::ZERO, TOLERANCE), "{row} {vertex}: {error}");
            }
        }
    }
    for (a, b) in (0..asked_count).flat_map(|a| (0..asked_count).map(move |b| (a, b))) {
        assert_eq!(inverse.block(a, b), inverse.block(b, a).transpose());
    }
}

#[test]
fn the_matrix_times_its_inverse_is_one() {
    for count in [1, 2, 3, 4, 13] {
        check(count, |_| true, |_| false);
        check(count, |_| false, |_| false);
        check(count, |v| v % 2 == 1, |_| false);
        check(count, |v| v % 3 != 1, |_| false);
    }
}

#[test]
fn held_vertices_have_no_part() {
    check(8, |v| v % 2 == 1, |v| v == 2);
    check(8, |v| v % 2 == 1, |v| v == 3 || v == 5);
    check(5, |_| true, |v| v == 4);
    check(3, |_| true, |_| true);
}

#[test]
fn what_is_indefinite_is_refused() {
    for (row, is_asked) in [(0, true), (0, false), (4, true), (4, false)] {
        let mut matrix = definite(5);
        matrix.add_to_diagonal(row, -50.0);
        let mut inverse = Inverse::default();
        assert!(!inverse.fill(&matrix, 0..5, |v| (v == row) == is_asked, |_| false));
        // Pinned, it does no harm; and a rejected matrix leaves nothing behind.
        assert!(inverse.fill(&matrix, 0..5, |_| true, |v| v == row));
        matrix.add_to_diagonal(row, f64::NAN);
        assert!(!inverse.fill(&matrix, 0..5, |_| is_asked, |_| false));
    }
}

#[test]
fn a_body_joined_to_another_is_refused() {
    let matrix = definite(4);
    let mut inverse = Inverse::default();
    assert!(!inverse.fill(&matrix, 0..3, |_| true, |_| false));
    assert!(!inverse.fill(&matrix, 1..4, |_| true, |_| false));
    // Two bodies side by side are not coupled, and each counts from its own first vertex.
    let mut apart = joined(4, &[[0, 1], [2, 3]].map(|pair| pair.map(VertexId)), 9);
    (0..4).for_each(|row| apart.add_to_diagonal(row, 1.0));
    assert!(inverse.fill(&apart, 2..4, |v| v == 3, |_| false));
    assert_eq!([inverse.place(0), inverse.place(1)], [None, Some(0)]);
}
