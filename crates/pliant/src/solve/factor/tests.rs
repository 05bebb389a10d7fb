use proptest::prelude::*;

use super::*;
use crate::math::Mat3;
use crate::math::random::Random;

/// Roundings in some hundred sums, times a condition below 100.
const TOLERANCE: f64 = 1e-12;

/// A matrix of blocks, row by row.
#[derive(Clone, Debug)]
struct Matrix {
    starts: Vec<u32>,
    columns: Vec<u32>,
    blocks: Vec<Mat3>,
}

impl Matrix {
    /// Positive definite: a square of random blocks for every edge, and 1 on the diagonal.
    fn new(count: usize, edges: &[[usize; 2]], seed: u64) -> Matrix {
        let mut rows = vec![std::collections::BTreeMap::new(); count];
        (0..count).for_each(|k| assert_eq!(rows[k].insert(k as u32, Mat3::IDENTITY), None));
        let mut random = Random::new(seed);
        let mut root = || Mat3::from_cols(random.vec3(), random.vec3(), random.vec3());
        for edge in edges.iter().filter(|[a, b]| a != b) {
            let roots = [root(), root()];
            for (a, left) in edge.iter().zip(&roots) {
                for (b, right) in edge.iter().zip(&roots) {
                    *rows[*a].entry(*b as u32).or_insert(Mat3::ZERO) += left.transpose() * *right;
                }
            }
        }
        let mut matrix = Matrix { starts: vec![0], columns: Vec::new(), blocks: Vec::new() };
        for row in rows {
            matrix.columns.extend(row.keys());
            matrix.blocks.extend(row.values());
            matrix.starts.push(matrix.columns.len() as u32);
        }
        matrix
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn pattern(&self, points: &[Vec3]) -> FactorPattern {
        FactorPattern::new(&self.starts, &self.columns, points)
    }

    fn multiply(&self, x: &[Vec3]) -> Vec<Vec3> {
        let row = |k: usize| self.starts[k] as usize..self.starts[k + 1] as usize;
        let entry = |k: usize| self.blocks[k] * x[self.columns[k] as usize];
        (0..self.len()).map(|k| row(k).map(entry).sum()).collect()
    }

    /// Adds to a diagonal block.
    fn shift(&mut self, node: usize, by: f64) {
        let row = self.starts[node] as usize..self.starts[node + 1] as usize;
        let at = row.clone().find(|k| self.columns[*k] as usize == node).unwrap();
        self.blocks[at] += by * Mat3::IDENTITY;
    }
}

fn filled(matrix: &Matrix, pattern: &FactorPattern) -> Factor {
    let mut factor = Factor::default();
    assert!(factor.fill(pattern, &matrix.blocks, &mut FactorScratch::default()));
    factor
}

/// Solves with vectors in the order of nodes.
fn solve(factor: &Factor, pattern: &FactorPattern, right: &[Vec3]) -> Vec<Vec3> {
    let mut x = vec![0.0; 3 * right.len()];
    for (node, value) in right.iter().enumerate() {
        let at = 3 * pattern.place(node);
        x[at..at + 3].copy_from_slice(&value.to_array());
    }
    factor.solve(pattern, &mut x, &mut Vec::new());
    let at = |node| 3 * pattern.place(node);
    (0..right.len()).map(|node| vector(&x[at(node)..at(node) + 3])).collect()
}

fn vector(numbers: &[f64]) -> Vec3 {
    Vec3::from([0, 1, 2].map(|axis| numbers[axis]))
}

/// The matrix times a solution is the right-hand side; columns are solutions for unit vectors.
#[track_caller]
fn check(matrix: &Matrix, points: &[Vec3]) {
    let (pattern, count) = (matrix.pattern(points), matrix.len());
    assert_eq!(pattern.len(), count);
    let mut places: Vec<usize> = (0..count).map(|node| pattern.place(node)).collect();
    places.sort_unstable();
    assert!(places.into_iter().eq(0..count));
    let factor = filled(matrix, &pattern);
    let mut random = Random::new(count as u64);
    let right: Vec<Vec3> = (0..count).map(|_| random.vec3()).collect();
    let found = matrix.multiply(&solve(&factor, &pattern, &right));
    for (node, (found, right)) in found.iter().zip(&right).enumerate() {
        assert!(found.abs_diff_eq(*right, TOLERANCE), "{node} of {count}: {found} {right}");
    }
    let nodes: Vec<u32> = (0..count as u32).rev().step_by(1 + count / 9).collect();
    let mut columns = vec![7.0]; // what is there stays
    factor.columns(&pattern, &nodes, &mut FactorScratch::default(), &mut columns);
    assert_eq!((columns.len(), columns[0]), (1 + 9 * nodes.len() * count, 7.0));
    for (k, &node) in nodes.iter().enumerate() {
        for axis in 0..3 {
            let mut unit = vec![Vec3::ZERO; count];
            unit[node as usize] = Vec3::AXES[axis];
            let column = &columns[1 + (3 * k + axis) * 3 * count..][..3 * count];
            for (a, b) in solve(&factor, &pattern, &unit).iter().zip(column.chunks_exact(3)) {
                assert!(a.abs_diff_eq(vector(b), TOLERANCE), "{node} {axis}: {a} {b:?}");
            }
        }
    }
}

fn chain(count: usize) -> Vec<[usize; 2]> {
    (1..count).map(|k| [k - 1, k]).collect()
}

fn star(count: usize) -> Vec<[usize; 2]> {
    (1..count).map(|k| [0, k]).collect()
}

/// Nodes of a cube of `side` nodes an edge: coupled along the axes and one diagonal.
fn grid(side: usize) -> (Vec<[usize; 2]>, Vec<Vec3>) {
    let steps = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]];
    let (mut edges, mut points) = (Vec::new(), Vec::new());
    for k in 0..side * side * side {
        let at = [k / (side * side), k / side % side, k % side];
        points.push(Vec3::from(at.map(|c| c as f64)));
        for step in steps {
            let to = [0, 1, 2].map(|axis| at[axis] + step[axis]);
            if to.iter().all(|c| *c < side) {
                edges.push([k, (to[0] * side + to[1]) * side + to[2]]);
            }
        }
    }
    (edges, points)
}

#[test]
fn a_single_block_is_inverted() {
    let mut matrix = Matrix::new(1, &[], 0);
    matrix.shift(0, 3.0);
    let pattern = matrix.pattern(&[]);
    let factor = filled(&matrix, &pattern);
    assert_eq!(solve(&factor, &pattern, &[Vec3::new(4.0, 8.0, 2.0)]), [Vec3::new(1.0, 2.0, 0.5)]);
    assert_eq!((pattern.solve_cost(), pattern.factor_cost()), (9, 13)); // 3², 3³ / 2
}

#[test]
fn no_nodes_are_no_work() {
    for starts in [&[0][..], &[]] {
        let pattern = FactorPattern::new(starts, &[], &[]);
        let (mut factor, mut scratch) = (Factor::default(), FactorScratch::default());
        assert!(factor.fill(&pattern, &[], &mut scratch));
        factor.solve(&pattern, &mut [], &mut Vec::new());
        let mut out = Vec::new();
        factor.columns(&pattern, &[], &mut scratch, &mut out);
        assert_eq!((out.len(), pattern.len(), pattern.solve_cost()), (0, 0, 0));
    }
}

#[test]
fn chains_stars_grids_and_cliques_are_solved() {
    for count in [2, 3, 17, 200] {
        check(&Matrix::new(count, &chain(count), 1), &[]);
        check(&Matrix::new(count, &star(count), 2), &[]);
        check(&Matrix::new(count, &[], 3), &vec![Vec3::ZERO; count]);
    }
    for side in [2, 3, 7] {
        let (edges, points) = grid(side);
        check(&Matrix::new(points.len(), &edges, 4), &points);
    }
    let all: Vec<_> = (0..40).flat_map(|a| (0..a).map(move |b| [a, b])).collect();
    check(&Matrix::new(40, &all, 5), &[]); // more nodes than a supernode may have
}

#[test]
fn chains_and_stars_have_no_fill_in() {
    // Worst cost: a supernode of two nodes with a zero block each, and one node below.
    for edges in [chain(300), star(300)] {
        let pattern = Matrix::new(300, &edges, 0).pattern(&[]);
        assert!(pattern.solve_cost() <= 300 * 9 * 5, "{}", pattern.solve_cost());
    }
}

#[test]
fn dissection_finds_the_middle_of_a_block() {
    let (edges, points) = grid(9);
    let matrix = Matrix::new(points.len(), &edges, 0);
    let graph = Graph { starts: &matrix.starts, columns: &matrix.columns };
    let stages = dissection::stages(graph, &points);
    let last = stages.iter().max().unwrap();
    let cut: Vec<usize> = (0..stages.len()).filter(|k| stages[*k] == *last).collect();
    assert!(!cut.is_empty() && cut.len() <= 81, "{}", cut.len()); // one layer
    // What is left of one side is no more than half, and reaches nothing else.
    let start = (0..stages.len()).find(|k| stages[*k] != *last).unwrap();
    let (mut side, mut next) = (vec![start], 0);
    while let Some(&node) = side.get(next) {
        for other in graph.neighbours(node).map(|other| other as usize) {
            if stages[other] != *last && !side.contains(&other) {
                side.push(other);
            }
        }
        next += 1;
    }
    assert!(side.len() <= points.len().div_ceil(2), "{}", side.len());
    let plain = Tree::new(graph, &minimum_degree(graph, &vec![0; stages.len()]));
    let dissected = Tree::new(graph, &minimum_degree(graph, &stages));
    let least = dissected.solve_cost().min(plain.solve_cost());
    assert_eq!(matrix.pattern(&points).solve_cost(), least);
}

#[test]
fn any_points_will_do() {
    let (edges, mut points) = grid(6);
    let matrix = Matrix::new(points.len(), &edges, 6);
    check(&matrix, &vec![Vec3::ONE; points.len()]);
    check(&matrix, &vec![Vec3::NAN; points.len()]);
    check(&matrix, &points[1..]);
    points[3] = Vec3::NAN;
    points[7] = Vec3::INFINITY;
    points[9] = Vec3::splat(f64::MAX);
    check(&matrix, &points);
}

#[test]
fn what_is_indefinite_or_not_finite_is_refused() {
    let (edges, points) = grid(4);
    let good = Matrix::new(points.len(), &edges, 7);
    let pattern = good.pattern(&points);
    let (mut factor, mut scratch) = (Factor::default(), FactorScratch::default());
    for node in [0, 21, 42, 63] {
        for by in [-50.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut bad = good.clone();
            bad.shift(node, by);
            assert!(!factor.fill(&pattern, &bad.blocks, &mut scratch), "{node} {by}");
        }
    }
    for entry in 0..good.blocks.len() {
        let mut bad = good.clone();
        bad.blocks[entry] = Mat3::from_diagonal(Vec3::NAN);
        // Symmetric: either half may be the one that counts.
        let row = good.starts.partition_point(|start| *start as usize <= entry) - 1;
        let column = good.columns[entry] as usize;
        let mirrored = good.starts[column] as usize..good.starts[column + 1] as usize;
        let at = mirrored.clone().find(|k| good.columns[*k] as usize == row).unwrap();
        bad.blocks[at] = bad.blocks[entry];
        assert!(!factor.fill(&pattern, &bad.blocks, &mut scratch), "{entry}");
    }
    for scale in [0.0, 1e-320, 1e308] {
        let scaled: Vec<Mat3> = good.blocks.iter().map(|block| scale * *block).collect();
        assert!(!factor.fill(&pattern, &scaled, &mut scratch), "{scale}: no number holds it");
    }
    // A rejected matrix leaves nothing behind.
    assert!(factor.fill(&pattern, &good.blocks, &mut scratch));
    assert_eq!(bits(&factor), bits(&filled(&good, &pattern)));
}

fn bits(factor: &Factor) -> Vec<u64> {
    factor.values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn refilled_factors_have_the_bits_of_fresh_ones() {
    let (mut factor, mut scratch) = (Factor::default(), FactorScratch::default());
    for side in [5, 3, 6] {
        let (edges, points) = grid(side);
        let matrices = [8, 9].map(|seed| Matrix::new(points.len(), &edges, seed));
        let pattern = matrices[0].pattern(&points);
        for matrix in [&matrices[0], &matrices[1], &matrices[0]] {
            assert!(factor.fill(&pattern, &matrix.blocks, &mut scratch));
            assert_eq!(bits(&factor), bits(&filled(matrix, &matrix.pattern(&points))));
        }
    }
}

#[test]
fn a_column_does_not_depend_on_the_others() {
    let (edges, points) = grid(5);
    let matrix = Matrix::new(points.len(), &edges, 10);
    let (pattern, mut scratch) = (matrix.pattern(&points), FactorScratch::default());
    let factor = filled(&matrix, &pattern);
    let nodes = [99, 3, 3, 124, 0, 60, 61, 17, 80];
    let (mut together, mut single) = (Vec::new(), Vec::new());
    factor.columns(&pattern, &nodes, &mut scratch, &mut together);
    nodes.iter().for_each(|node| factor.columns(&pattern, &[*node], &mut scratch, &mut single));
    assert_eq!(together, single);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn random_graphs_are_solved(
        count in 1_usize..90,
        edges in prop::collection::vec([0_usize..90, 0..90], 0..200),
        seed in any::<u64>(),
    ) {
        let edges: Vec<_> = edges.iter().map(|edge| edge.map(|node| node % count)).collect();
        let mut random = Random::new(seed);
        let points: Vec<Vec3> = (0..count).map(|_| random.lattice_point(4)).collect();
        check(&Matrix::new(count, &edges, seed), &points);
    }
}

/// Solutions of the dense inverse, and of the sparse Cholesky factors where there are any.
mod others {
    use super::*;
    use crate::id::VertexId;
    use crate::solve::dense::{Inverse, tests as dense};

    const COUNT: u32 = 12;

    #[test]
    fn solutions_are_those_of_the_dense_inverse() {
        let pairs = [[0, 1], [1, 2], [2, 5], [5, 0], [3, 4], [4, 7], [7, 8], [8, 3], [9, 10]];
        let mut matrix = dense::joined(COUNT as usize, &pairs.map(|p| p.map(VertexId)), 11);
        (0..COUNT as usize).for_each(|row| matrix.add_to_diagonal(row, 1.0));
        let mut own = Matrix { starts: vec![0], columns: Vec::new(), blocks: Vec::new() };
        for row in 0..COUNT as usize {
            let (columns, blocks) = matrix.row(row);
            own.columns.extend(columns.iter().map(|column| column.0));
            own.blocks.extend(blocks);
            own.starts.push(own.columns.len() as u32);
        }
        let pattern = own.pattern(&[]);
        let mut random = Random::new(12);
        let right: Vec<Vec3> = (0..COUNT).map(|_| random.vec3()).collect();
        let found = solve(&filled(&own, &pattern), &pattern, &right);
        let mut inverse = Inverse::default();
        assert!(inverse.fill(&matrix, 0..COUNT as usize, |_| true, |_| false));
        let mut expected = Vec::new();
        inverse.solve(|vertex| right[vertex], &mut expected);
        for (found, expected) in found.iter().zip(expected.chunks_exact(3)) {
            assert!(found.abs_diff_eq(Vec3::from_slice(expected), TOLERANCE), "{found}");
        }
        #[cfg(feature = "direct")]
        compare_with_cholesky(&matrix, &right, &found);
    }

    #[cfg(feature = "direct")]
    fn compare_with_cholesky(matrix: &crate::force::BlockMatrix, right: &[Vec3], found: &[Vec3]) {
        use crate::body::offsets::BodyOffsets;
        use crate::solve::cholesky::Cholesky;
        use crate::solve::linear::{Linear, LinearSettings};
        let bodies = BodyOffsets::from_counts([right.len()]);
        let linear = Linear { matrix, right, held: &[], bodies: &bodies };
        let mut expected = vec![Vec3::ZERO; right.len()];
        Cholesky::default().solve(linear, LinearSettings::default(), &mut expected).unwrap();
        for (found, expected) in found.iter().zip(&expected) {
            assert!(found.abs_diff_eq(*expected, TOLERANCE), "{found} {expected}");
        }
    }
}
