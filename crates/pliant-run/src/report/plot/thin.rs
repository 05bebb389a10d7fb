//! Long curves with as many points as can be seen, and every spike.

use std::fmt::Write;

use super::axis::{Axis, place};

/// Columns per unit of the drawing: one for each pixel of a wide screen.
const COLUMNS: f64 = 1.0;

/// A curve as the `d` of a path.
///
/// In each column the first, lowest, highest and last point stay, in their order. What is not
/// finite leaves a gap, and a lone point becomes a dot by the style's round caps.
pub fn path(points: &[[f64; 2]], x: &Axis, y: &Axis) -> String {
    let mut text = String::new();
    let finite = |p: &[f64; 2]| p[0].is_finite() && p[1].is_finite();
    for part in points.split(|p| !finite(p)).filter(|part| !part.is_empty()) {
        let places: Vec<[f64; 2]> = part.iter().map(|p| [x.at(p[0]), y.at(p[1])]).collect();
        let kept = kept(&places);
        for (index, [x, y]) in kept.iter().enumerate() {
            let letter = if index == 0 { 'M' } else { 'L' };
            let _ = write!(text, "{letter}{} {}", place(*x), place(*y));
        }
        if kept.len() == 1 {
            text += "h0";
        }
    }
    text
}

/// The points that can be distinguished in the drawing.
fn kept(places: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let column = |p: &[f64; 2]| (COLUMNS * p[0]).floor();
    let mut kept = Vec::new();
    for group in places.chunk_by(|a, b| column(a) == column(b)) {
        let order = |a: &usize, b: &usize| group[*a][1].total_cmp(&group[*b][1]);
        let lowest = (0..group.len()).min_by(order).unwrap_or(0);
        let highest = (0..group.len()).max_by(order).unwrap_or(0);
        let mut chosen = [0, lowest, highest, group.len() - 1];
        chosen.sort_unstable();
        for (index, k) in chosen.into_iter().enumerate() {
            if index == 0 || chosen[index - 1] != k {
                kept.push(group[k]);
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axes(points: &[[f64; 2]]) -> [Axis; 2] {
        let x = Axis::linear(points.iter().map(|p| p[0]), [0.0, 100.0], 5);
        [x, Axis::linear(points.iter().map(|p| p[1]), [100.0, 0.0], 5)]
    }

    #[test]
    fn a_spike_of_one_in_a_million_is_kept() {
        let mut points: Vec<[f64; 2]> = (0..1_000_000).map(|k| [f64::from(k), 0.0]).collect();
        points[123_456][1] = 10.0;
        points[654_321][1] = -10.0;
        let [x, y] = axes(&points);
        let text = path(&points, &x, &y);
        assert!(text.contains("L12.3 0L") && text.contains("L65.4 100L"));
        // At most four of each of 101 columns.
        assert!(text.matches('L').count() < 404, "{}", text.matches('L').count());
    }

    #[test]
    fn few_points_stay_as_they_are() {
        let points = [[0.0, 0.0], [1.0, 1.0], [2.0, 0.5], [10.0, 1.0]];
        let [x, y] = axes(&points);
        assert_eq!(path(&points, &x, &y), "M0 100L10 0L20 50L100 0");
    }

    #[test]
    fn gaps_part_the_curve_and_lone_points_are_dots() {
        let gap = f64::NAN;
        let points = [[0.0, 0.0], [1.0, 1.0], [2.0, gap], [3.0, 1.0], [4.0, gap], [10.0, 0.0]];
        let [x, y] = axes(&points);
        assert_eq!(path(&points, &x, &y), "M0 100L10 0M30 0h0M100 100h0");
        assert_eq!(path(&[], &x, &y), "");
    }
}
