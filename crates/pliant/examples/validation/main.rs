//! Measures finite elements against closed forms, and prints tables in Markdown.
//!
//! A bending beam, a strip bent far, a pulled bar, a thrown block, and scenes of all sizes.
//! `cargo run --release -p pliant --features direct --example validation` takes a minute or
//! two; a folder as argument gets the figures of the book.

mod bar;
mod cantilever;
mod elastica;
mod flight;
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
use solids::ELEMENTS;

fn main() -> Result<(), Box<dyn Error>> {
    let beam = cantilever_table()?;
    let strip = elastica_table()?;
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
    let [bending, shear] = cantilever::timoshenko();
    let expected = bending + shear;
    println!("Timoshenko: {:.4} mm, of which shear {:.4} mm\n", 1e3 * expected, 1e3 * shear);
    heading(&["element", "nodes", "tip sinks, mm", "error", "order", "extrapolated", "error"]);
    let mut curves = Vec::new();
    for element in &ELEMENTS {
        let (mut found, mut points) = (Vec::new(), Vec::new());
        for cells in cantilever::MESHES {
            let deflection = cantilever::deflection(element, cells)?;
            found.push(deflection);
            points.push([f64::from(cells[2]), 1.0 - deflection / expected]);
            let nodes = cells.map(|count| (count + 1).to_string()).join("×");
            let error = 100.0 * (deflection / expected - 1.0);
            print!("| {} | {nodes} | {:.3} | {error:+.1} % ", element.name, 1e3 * deflection);
            let Some(last) = found.last_chunk() else {
                println!("| | | |");
                continue;
            };
            let limit = cantilever::extrapolate(*last);
            let error = 100.0 * (limit.deflection / expected - 1.0);
            println!("| {:.2} | {:.3} | {error:+.2} % |", limit.order, 1e3 * limit.deflection);
        }
        curves.push(Curve { name: element.name.to_owned(), points, style: Style::Dots });
    }
    println!();
    let square = |n: f64| [n, 0.668 * (2.0 / n).powi(2)];
    let points = [2.0, 16.0].map(square).to_vec();
    curves.push(Curve { name: "slope −2".to_owned(), points, style: Style::Dashes });
    Ok(Plot {
        title: "Cantilever: how much too little it sinks",
        x: Axis { title: "cells across", scale: Scale::Logarithmic, range: [1.0, 100.0] },
        y: Axis { title: "relative error", scale: Scale::Logarithmic, range: [0.01, 1.0] },
        curves,
    })
}

fn elastica_table() -> Result<Plot, Box<dyn Error>> {
    heading(&["element", "P L²/(E I)", "cells", "sinks/L", "error", "along/L", "error", "Newton"]);
    let mut curves = Vec::new();
    let percent = |found: f64, expected: f64| format!("{:+.2} %", 100.0 * (found - expected));
    for element in &ELEMENTS {
        let mut limits = Vec::new();
        for load in elastica::LOADS {
            let expected = elastica::elastica(load);
            let row = |cells: &str, tip: Tip, newton: &str| {
                let errors =
                    [percent(tip.across, expected.across), percent(tip.along, expected.along)];
                let Tip { along, across } = tip;
                let values = format!("{across:.4} | {} | {along:.4} | {}", errors[0], errors[1]);
                println!("| {} | {load} | {cells} | {values} | {newton} |", element.name);
            };
            let mut tips = Vec::new();
            for cells in elastica::MESHES {
                let (tip, report) = elastica::strip(element, cells, load)?;
                row(&cells.map(|c| c.to_string()).join("×"), tip, &report.newton.to_string());
                tips.push(tip);
            }
            if let Some(last) = tips.last_chunk() {
                let limit = elastica::extrapolate(*last);
                row("extrapolated", limit, "");
                limits.push([load, limit.across]);
            }
        }
        curves.push(Curve { name: element.name.to_owned(), points: limits, style: Style::Dots });
    }
    println!();
    heading(&["P L²/(E I)", "elastica sinks/L", "along/L"]);
    for load in elastica::LOADS {
        let Tip { along, across } = elastica::elastica(load);
        println!("| {load} | {across:.5} | {along:.5} |");
    }
    println!();
    let theory = (1..=100).map(|k| 0.1 * f64::from(k)).map(|a| [a, elastica::elastica(a).across]);
    let (points, style) = (theory.collect(), Style::Dashes);
    curves.push(Curve { name: "elastica".to_owned(), points, style });
    let straight = vec![[0.0, 0.0], [3.0, 1.0]];
    curves.push(Curve { name: "small bending".to_owned(), points: straight, style: Style::Line });
    Ok(Plot {
        title: "A strip bent far by a weight at its tip",
        x: Axis { title: "P L² / (E I)", scale: Scale::Linear, range: [0.0, 10.0] },
        y: Axis { title: "tip sinks, over length", scale: Scale::Linear, range: [0.0, 1.0] },
        curves,
    })
}

fn bar_table() -> Result<(), Box<dyn Error>> {
    heading(&["element", "ν", "stress/E", "stretch", "thinner over longer"]);
    for element in &ELEMENTS {
        for poisson in bar::RATIOS {
            for pull in bar::PULLS {
                let found = bar::stretch(element, poisson, pull)?;
                let ratio = found.ratios[0];
                let name = element.name;
                println!("| {name} | {poisson} | {pull} | {:.6} | {ratio:.5} |", found.along);
            }
        }
    }
    println!();
    Ok(())
}

fn flight_table() -> Result<(), Box<dyn Error>> {
    heading(&["thrown block", "element", "momentum error", "spin error", "wobble"]);
    for method in METHODS {
        for element in &ELEMENTS {
            let lost = flight::fly(method, element)?;
            let (name, wobble) = (method.name, 100.0 * lost.wobble);
            println!(
                "| {name} | {} | {:.0e} | {:.0e} | {wobble:.1} % |",
                element.name, lost.momentum, lost.spin
            );
        }
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
