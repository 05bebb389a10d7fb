//! Measures finite elements against closed forms, and prints tables in Markdown.
//!
//! A bending beam, a strip bent far, a pulled bar, a thrown block, and scenes of all sizes.
//! `cargo run --release -p pliant --features direct --example validation` takes a minute or
//! two; a folder as argument gets the figures of the book.

mod bar;
mod cantilever;
mod elastica;
mod flight;
#[expect(dead_code, reason = "orders and limits are for the example `integrators`")]
#[path = "../integrators/methods.rs"]
mod methods;
#[path = "../figures/plot.rs"]
mod plot;
mod scales;
mod solids;

use std::error::Error;

use elastica::Tip;
use methods::METHODS;
use plot::{Axis, Curve, Plot, Scale, Style};
use solids::{ELEMENTS, Element};

fn main() -> Result<(), Box<dyn Error>> {
    let beam = cantilever_table()?;
    let strip = elastica_tables()?;
    plot::save(&[("cantilever", beam), ("elastica", strip)])?;
    bar_table()?;
    flight_table()?;
    scale_table()
}

/// A heading and the line under it.
fn heading(columns: &[&str]) {
    println!("| {} |", columns.join(" | "));
    println!("|{}", "---|".repeat(columns.len()));
}

fn cantilever_table() -> Result<Plot, Box<dyn Error>> {
    let [bending, shear] = cantilever::timoshenko(cantilever::POISSON);
    println!(
        "Timoshenko: {:.3} mm, of which shear {:.3} mm\n",
        1e3 * (bending + shear),
        1e3 * shear
    );
    heading(&["element", "ν", "nodes", "sinks, mm", "error, %", "order", "limit, mm", "error, %"]);
    let mut curves = Vec::new();
    for element in &ELEMENTS {
        let points = cantilever_rows(element, cantilever::POISSON)?;
        curves.push(Curve { name: element.name.to_owned(), points, style: Style::DottedLine });
    }
    let points = cantilever_rows(&ELEMENTS[0], 0.0)?;
    curves
        .push(Curve { name: "corotational, ν = 0".to_owned(), points, style: Style::DottedLine });
    println!();
    let square = |n: f64| [n, 2.0 * pliant::math::powi(2.0 / n, 2)];
    let points = [2.0, 16.0].map(square).to_vec();
    curves.push(Curve { name: "slope −2".to_owned(), points, style: Style::Dashes });
    Ok(Plot {
        title: "Cantilever: how much too stiff it is",
        x: Axis { title: "cells across", scale: Scale::Logarithmic, range: [1.0, 20.0] },
        y: Axis {
            title: "stiffness over theory, less 1",
            scale: Scale::Logarithmic,
            range: [0.01, 10.0],
        },
        curves,
    })
}

/// Prints the meshes of a beam; returns cells across and excess stiffness.
fn cantilever_rows(element: &Element, poisson: f64) -> Result<Vec<[f64; 2]>, Box<dyn Error>> {
    let expected: f64 = cantilever::timoshenko(poisson).iter().sum();
    let (mut found, mut points) = (Vec::new(), Vec::new());
    for cells in cantilever::MESHES {
        let deflection = cantilever::deflection(element, cells, poisson)?;
        found.push(deflection);
        points.push([f64::from(cells[2]), expected / deflection - 1.0]);
        let nodes = cells.map(|count| (count + 1).to_string()).join("×");
        let (name, error) = (element.name, 100.0 * (deflection / expected - 1.0));
        print!("| {name} | {poisson} | {nodes} | {:.3} | {error:+.1} ", 1e3 * deflection);
        let Some(last) = found.last_chunk() else {
            println!("| | | |");
            continue;
        };
        let limit = cantilever::extrapolate(*last);
        let error = 100.0 * (limit.deflection / expected - 1.0);
        println!("| {:.2} | {:.3} | {error:+.2} |", limit.order, 1e3 * limit.deflection);
    }
    Ok(points)
}

/// Positions of tips over the length.
///
/// Measured on every mesh and extrapolated, then in theory.
struct Bent {
    name: &'static str,
    load: f64,
    measured: Vec<Tip>,
    theory: Tip,
}

fn elastica_tables() -> Result<Plot, Box<dyn Error>> {
    let mut all = Vec::new();
    for element in &ELEMENTS {
        for load in elastica::LOADS {
            let mut measured = Vec::new();
            for cells in elastica::MESHES {
                measured.push(elastica::strip(element, cells, load)?.0);
            }
            measured.extend(measured.last_chunk().map(|last| elastica::extrapolate(*last)));
            all.push(Bent { name: element.name, load, measured, theory: elastica::elastica(load) });
        }
    }
    let meshes = elastica::MESHES.map(|cells| cells.map(|count| count.to_string()).join("×"));
    let [coarse, middle, fine] = meshes.each_ref();
    for what in ["sinks/L", "reaches/L"] {
        let part = |tip: &Tip| if what == "sinks/L" { tip.across } else { tip.along };
        heading(&["element", "load", what, coarse, middle, fine, "extrapolated"]);
        for Bent { name, load, measured, theory } in &all {
            let theory = part(theory);
            print!("| {name} | {load} | {theory:.4} ");
            measured.iter().for_each(|tip| print!("| {:+.2} ", 100.0 * (part(tip) - theory)));
            println!("|");
        }
        println!();
    }
    Ok(elastica_plot(&all))
}

fn elastica_plot(all: &[Bent]) -> Plot {
    let names = [("40×2×2 cells", 0), ("80×4×4", 1), ("160×8×8", 2)];
    let mut curves: Vec<_> = names
        .into_iter()
        .map(|(name, mesh)| {
            let first = all.iter().take(elastica::LOADS.len());
            let points = first.map(|bent| [bent.load, bent.measured[mesh].across]).collect();
            Curve { name: name.to_owned(), points, style: Style::Dots }
        })
        .collect();
    let theory = (1..=100).map(|k| 0.1 * f64::from(k)).map(|a| [a, elastica::elastica(a).across]);
    let (points, style) = (theory.collect(), Style::Dashes);
    curves.push(Curve { name: "elastica".to_owned(), points, style });
    let straight = vec![[0.0, 0.0], [3.0, 1.0]];
    curves.push(Curve { name: "small bending".to_owned(), points: straight, style: Style::Line });
    Plot {
        title: "A strip bent far by a weight at its tip",
        x: Axis { title: "P L² / (E I)", scale: Scale::Linear, range: [0.0, 10.0] },
        y: Axis { title: "tip sinks, over length", scale: Scale::Linear, range: [0.0, 1.0] },
        curves,
    }
}

fn bar_table() -> Result<(), Box<dyn Error>> {
    let pulls = bar::PULLS.map(|pull| format!("{pull} E: stretch"));
    let [small, middle, large] = pulls.each_ref();
    heading(&["element", "ν", small, "ratio", middle, "ratio", large, "ratio"]);
    // So that −2e-12 is not shown as −0.0000.
    let round = |value: f64| (value * 1e5).round() / 1e5 + 0.0;
    for element in &ELEMENTS {
        for poisson in bar::RATIOS {
            print!("| {} | {poisson} ", element.name);
            for pull in bar::PULLS {
                let found = bar::stretch(element, poisson, pull)?;
                print!("| {:.4} | {:.4} ", found.along, round(found.ratios[0]));
            }
            println!("|");
        }
    }
    println!();
    Ok(())
}

fn flight_table() -> Result<(), Box<dyn Error>> {
    heading(&["thrown block", "momentum error", "spin error", "spin kept in theory", "wobble"]);
    for method in METHODS {
        let kept = if method.keeps_spin { "yes" } else { "no" };
        let (mut momentum, mut spin, mut wobble) = (0.0_f64, 0.0_f64, 0.0_f64);
        for element in &ELEMENTS {
            let lost = flight::fly(method, element)?;
            momentum = momentum.max(lost.momentum);
            spin = spin.max(lost.spin);
            wobble = wobble.max(lost.wobble);
        }
        let (name, wobble) = (method.name, 100.0 * wobble);
        println!("| {name} | {momentum:.0e} | {spin:.0e} | {kept} | {wobble:.1} % |");
    }
    println!();
    Ok(())
}

fn scale_table() -> Result<(), Box<dyn Error>> {
    heading(&["integrator", "element", "tip at", "largest difference, over size"]);
    for run in &scales::RUNS {
        for element in &ELEMENTS {
            let positions =
                |size, young| scales::run(element, &mut *(run.make)(), [size, young], run.dt);
            let first = positions(scales::SIZES[0], scales::MODULI[0])?;
            let tip = first.iter().map(|p| p.z).fold(0.0, f64::min);
            let mut most = 0.0_f64;
            for size in scales::SIZES {
                for young in scales::MODULI {
                    most = most.max(scales::apart(&first, &positions(size, young)?));
                }
            }
            println!("| {} | {} | {tip:.3} | {most:.0e} |", run.name, element.name);
        }
    }
    Ok(())
}
