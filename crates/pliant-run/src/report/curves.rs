//! Which columns of a series become which plots.

use super::plot::{Plot, Scale, Series};
use crate::run::series::WIDTH;

/// One row of `series.csv`; see [`COLUMNS`](pliant::record::row::SeriesRow::COLUMNS).
pub type Values = [f64; WIDTH];

/// Places in a row.
pub const TIME: usize = 0;
/// Energy of motion, J.
pub const KINETIC: usize = 1;
/// Energy of what is bent, stretched or pressed, J.
pub const ELASTIC: usize = 2;
/// Energy of height, J.
pub const GRAVITATIONAL: usize = 3;
/// First of three parts of the momentum, kg·m/s.
pub const MOMENTUM: usize = 4;
/// First of three parts of the angular momentum, kg·m²/s.
pub const ANGULAR: usize = 7;
/// Root of the mean square speed, m/s.
pub const RMS_SPEED: usize = 10;
/// Speed of the fastest vertex, m/s.
pub const MAX_SPEED: usize = 11;
/// Vertices inside other bodies.
pub const PENETRATING: usize = 12;
/// Edges through other bodies' triangles.
pub const CROSSINGS: usize = 13;
/// Distance of the deepest vertex to the surface, m.
pub const DEPTH: usize = 14;
/// Inverted tets.
pub const INVERTED: usize = 15;

/// Abscissa of all plots.
const OVER_TIME: &str = "time, s";

/// A run among several in one plot.
#[derive(Clone, Copy, Debug)]
pub struct Overlaid<'a> {
    /// Name in the legends.
    pub name: &'a str,
    /// Its series.
    pub rows: &'a [Values],
}

/// All energies of a row together, J, those of height counted from the first row.
pub fn total(row: &Values, first: &Values) -> f64 {
    row[KINETIC] + row[ELASTIC] + (row[GRAVITATIONAL] - first[GRAVITATIONAL])
}

/// The plots of one run: a colour per quantity.
pub fn of_run(rows: &[Values]) -> Vec<Plot> {
    let height = |row: &Values, first: &Values| row[GRAVITATIONAL] - first[GRAVITATIONAL];
    let mut energy = plot("Energy", "J", Scale::Decades);
    energy.series = vec![
        column(rows, "kinetic", 0, KINETIC),
        column(rows, "elastic", 1, ELASTIC),
        series(rows, "gravitational", 2, height),
        series(rows, "total", 3, total),
    ];
    let mut speed = plot("Speed", "m/s", Scale::Decades);
    speed.series = vec![
        column(rows, "fastest vertex", 1, MAX_SPEED),
        column(rows, "root mean square", 0, RMS_SPEED),
    ];
    let parts = |title: &str, unit: &str, start: usize| {
        let mut parts = plot(title, unit, Scale::Linear);
        let names = ["x", "y", "z"].into_iter().enumerate();
        parts.series = names.map(|(k, name)| column(rows, name, k, start + k)).collect();
        parts
    };
    let mut overlap = plot("Overlap, counted", "", Scale::Counts);
    overlap.series = vec![
        column(rows, "vertices inside", 3, PENETRATING),
        column(rows, "edges crossing", 4, CROSSINGS),
        column(rows, "inverted tets", 5, INVERTED),
    ];
    let mut depth = plot("Overlap, deepest vertex", "m", Scale::Linear);
    depth.series = vec![column(rows, "depth", 3, DEPTH)];
    let momentum = parts("Momentum", "kg·m/s", MOMENTUM);
    let angular = parts("Angular momentum", "kg·m²/s", ANGULAR);
    let mut plots = vec![energy, speed, momentum, angular, overlap, depth];
    plots.iter_mut().for_each(dashed);
    plots
}

/// A dash for each curve: they differ without colours, too.
///
/// Past the colours of the style sheet, a curve has another dash than that of its colour.
fn dashed(plot: &mut Plot) {
    for (index, series) in plot.series.iter_mut().enumerate() {
        series.dash = index + index / super::plot::STYLES[0];
    }
}

/// The plots of several runs: one quantity each, and a colour per run.
pub fn of_runs(runs: &[Overlaid<'_>]) -> Vec<Plot> {
    let kinds = [
        ("Total energy", "J", Scale::Linear),
        ("Kinetic energy", "J", Scale::Decades),
        ("Root mean square speed", "m/s", Scale::Decades),
        ("Momentum", "kg·m/s", Scale::Linear),
        ("Vertices inside other bodies", "", Scale::Counts),
        ("Edges through other bodies", "", Scale::Counts),
        ("Deepest vertex", "m", Scale::Linear),
        ("Inverted tets", "", Scale::Counts),
    ];
    let size = |row: &Values, _: &Values| {
        let [x, y, z] = [0, 1, 2].map(|k| row[MOMENTUM + k]);
        (x * x + y * y + z * z).sqrt()
    };
    let curve = |kind: usize, (colour, run): (usize, &Overlaid<'_>)| match kind {
        0 => series(run.rows, run.name, colour, total),
        1 => column(run.rows, run.name, colour, KINETIC),
        2 => column(run.rows, run.name, colour, RMS_SPEED),
        3 => series(run.rows, run.name, colour, size),
        4 => column(run.rows, run.name, colour, PENETRATING),
        5 => column(run.rows, run.name, colour, CROSSINGS),
        6 => column(run.rows, run.name, colour, DEPTH),
        _ => column(run.rows, run.name, colour, INVERTED),
    };
    let filled = kinds.into_iter().enumerate().map(|(kind, (title, unit, scale))| {
        let mut plot = plot(title, unit, scale);
        plot.series = runs.iter().enumerate().map(|run| curve(kind, run)).collect();
        dashed(&mut plot);
        plot
    });
    filled.collect()
}

fn plot(title: &str, ordinate: &str, scale: Scale) -> Plot {
    Plot {
        title: title.to_string(),
        ordinate: ordinate.to_string(),
        abscissa: OVER_TIME.to_string(),
        scale,
        series: Vec::new(),
    }
}

fn column(rows: &[Values], label: &str, colour: usize, column: usize) -> Series {
    series(rows, label, colour, |row, _| row[column])
}

fn series(
    rows: &[Values],
    label: &str,
    colour: usize,
    value: impl Fn(&Values, &Values) -> f64,
) -> Series {
    let points = match rows.first() {
        Some(first) => rows.iter().map(|row| [row[TIME], value(row, first)]).collect(),
        None => Vec::new(),
    };
    Series { label: label.to_string(), colour, dash: 0, points }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::record::row::SeriesRow;

    #[test]
    fn places_are_those_of_the_columns() {
        let names = [
            (TIME, "time"),
            (KINETIC, "kinetic"),
            (ELASTIC, "elastic"),
            (GRAVITATIONAL, "gravitational"),
            (MOMENTUM, "momentum_x"),
            (ANGULAR, "angular_x"),
            (RMS_SPEED, "rms_speed"),
            (MAX_SPEED, "max_speed"),
            (PENETRATING, "penetrating_vertices"),
            (CROSSINGS, "edge_crossings"),
            (DEPTH, "max_depth"),
            (INVERTED, "inverted_tets"),
        ];
        for (place, name) in names {
            assert_eq!(SeriesRow::COLUMNS[place], name);
        }
    }

    #[test]
    fn the_total_counts_height_from_the_first_row() {
        let row = |kinetic, elastic, height| {
            let mut row = [0.0; WIDTH];
            [row[KINETIC], row[ELASTIC], row[GRAVITATIONAL]] = [kinetic, elastic, height];
            row
        };
        let rows = [row(1.0, 2.0, 100.0), row(5.0, 3.0, 95.5)];
        let energy = &of_run(&rows)[0];
        assert_eq!(energy.series[3].points[1][1], 5.0 + 3.0 - 4.5);
        assert_eq!(energy.series[2].points[0][1], 0.0);
    }

    #[test]
    fn runs_have_a_colour_and_a_dash_and_no_two_have_both() {
        let rows = [[1.0; WIDTH]];
        let runs = [Overlaid { name: "a", rows: &rows }; 10];
        let plots = of_runs(&runs);
        assert_eq!(plots.len(), 8);
        let styles: Vec<_> = plots[0].series.iter().map(|s| [s.colour % 8, s.dash % 4]).collect();
        // Of eight colours and four dashes: the ninth has the first colour, and another dash.
        assert_eq!(styles[7..], [[7, 3], [0, 1], [1, 2]]);
        assert_eq!(styles[..2], [[0, 0], [1, 1]]);
        assert_eq!(plots[3].series[0].points[0][1], 3_f64.sqrt());
        assert_eq!(of_runs(&[])[0].series, []);
    }
}
