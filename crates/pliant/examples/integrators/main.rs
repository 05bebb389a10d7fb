//! Measures every integrator against theory, and prints tables in Markdown.
//!
//! Orders, largest stable steps, energies, momenta, and how far a disturbance travels, as
//! the errata of the lecture state them. Run it with
//! `cargo run --release -p pliant --example integrators`; a folder as argument gets the
//! figures of the book.

mod behaviour;
mod limits;
mod methods;
mod orders;
mod oscillators;
#[path = "../figures/plot.rs"]
mod plot;

use std::error::Error;

use behaviour::Flight;
use limits::swings;
use methods::{METHODS, Method};
use orders::PROBLEMS;
use plot::{Axis, Curve, Plot, Scale, Style};

fn main() -> Result<(), Box<dyn Error>> {
    order_tables()?;
    let pictures = [
        ("orders", order_plot()?),
        ("limits", limit_plot()?),
        ("energies", energy_plot()?),
        ("reach", reach_plot()?),
    ];
    plot::save(&pictures)?;
    limit_table()?;
    energy_tables()?;
    flight_table()?;
    reach_table()
}

/// A heading and the line under it.
fn heading(columns: &[&str]) {
    println!("| {} |", columns.join(" | "));
    println!("|{}", "---|".repeat(columns.len()));
}

fn order_tables() -> Result<(), Box<dyn Error>> {
    let mut slopes = Vec::new();
    for problem in PROBLEMS {
        println!("Error at the end, m: {}, {} s\n", problem.name, problem.duration);
        for (k, method) in METHODS.iter().enumerate() {
            let errors = orders::errors(method, problem)?;
            if k == 0 {
                let steps = errors.iter().map(|(dt, _)| format!("dt = {:.3} ms", 1e3 * dt));
                let columns: Vec<_> = ["method".to_owned()].into_iter().chain(steps).collect();
                heading(&columns.iter().map(String::as_str).collect::<Vec<_>>());
            }
            print!("| {} ", method.name);
            errors.iter().for_each(|(_, error)| print!("| {error:.2e} "));
            println!("|");
            slopes.push(orders::slope(&errors));
        }
        println!();
    }
    let names = PROBLEMS.iter().map(|problem| problem.name);
    heading(&["method", "theory"].into_iter().chain(names).collect::<Vec<_>>());
    for (k, method) in METHODS.iter().enumerate() {
        print!("| {} | {} ", method.name, method.order);
        slopes.iter().skip(k).step_by(METHODS.len()).for_each(|slope| print!("| {slope:.3} "));
        println!("|");
    }
    println!();
    Ok(())
}

/// Methods whose curve is their own.
///
/// On springs, Newton's method changes next to nothing.
fn drawn() -> impl Iterator<Item = &'static Method> {
    METHODS.iter().filter(|method| method.name != "implicit Euler, Newton")
}

/// Errors of the damped oscillator over the step.
fn order_plot() -> Result<Plot, Box<dyn Error>> {
    let mut curves = Vec::new();
    for method in drawn() {
        let errors = orders::errors(method, &PROBLEMS[0])?;
        let points = errors.iter().map(|(dt, error)| [1e3 * dt, *error]).collect();
        curves.push(Curve { name: method.name.to_owned(), points, style: Style::DottedLine });
    }
    Ok(Plot {
        title: "Error of a damped oscillator after 1 s",
        x: Axis { title: "step, ms", scale: Scale::Logarithmic, range: [0.5, 12.0] },
        y: Axis { title: "error, m", scale: Scale::Logarithmic, range: [1e-11, 1.0] },
        curves,
    })
}

/// Growth of an oscillator without damping over the step; of methods of one step.
fn limit_plot() -> Result<Plot, Box<dyn Error>> {
    let [swing, ..] = swings();
    let mut curves = Vec::new();
    for method in drawn().filter(|method| !method.limits[0].is_nan()) {
        let mut points = Vec::new();
        for k in 1..=160 {
            let radians = 0.025 * f64::from(k);
            let growth = limits::growth_per_radian(method, &swing, radians / swing.rate)?;
            points.push([radians, growth]);
        }
        curves.push(Curve { name: method.name.to_owned(), points, style: Style::Line });
    }
    Ok(Plot {
        title: "Growth of a swing without damping, per radian",
        x: Axis { title: "ω dt", scale: Scale::Linear, range: [0.0, 4.0] },
        y: Axis { title: "growth", scale: Scale::Linear, range: [0.6, 1.6] },
        curves,
    })
}

/// How far a disturbance gets in a chain with dampers.
fn reach_plot() -> Result<Plot, Box<dyn Error>> {
    let mut curves = Vec::new();
    for method in drawn() {
        let passed = behaviour::reach(method, 1.0)?;
        let steps = passed.iter().enumerate().map(|(k, count)| [k as f64 + 1.0, *count as f64]);
        let points = [[0.0, 0.0]].into_iter().chain(steps).collect();
        curves.push(Curve { name: method.name.to_owned(), points, style: Style::DottedLine });
    }
    Ok(Plot {
        title: "How far a disturbance gets in a damped chain",
        x: Axis { title: "steps", scale: Scale::Linear, range: [0.0, 4.0] },
        y: Axis { title: "springs passed, of 39", scale: Scale::Linear, range: [0.0, 40.0] },
        curves,
    })
}

/// Energies of the oscillator without damping over time.
fn energy_plot() -> Result<Plot, Box<dyn Error>> {
    let mut curves = Vec::new();
    for method in drawn() {
        let energies = behaviour::energies(method)?;
        let points = energies.iter().enumerate().map(|(k, e)| [0.01 * k as f64, *e]).collect();
        curves.push(Curve { name: method.name.to_owned(), points, style: Style::Line });
    }
    Ok(Plot {
        title: "Energy of an oscillator without damping, ω dt = 0.1",
        x: Axis { title: "time, s", scale: Scale::Linear, range: [0.0, 2.0] },
        y: Axis { title: "energy over that at the start", scale: Scale::Linear, range: [0.0, 2.0] },
        curves,
    })
}

fn limit_table() -> Result<(), Box<dyn Error>> {
    let swings = swings();
    let names = swings.iter().flat_map(|swing| [swing.name, "stated"]);
    heading(&["largest stable step, s"].into_iter().chain(names).collect::<Vec<_>>());
    for method in METHODS {
        print!("| {} ", method.name);
        for (swing, stated) in swings.iter().zip(method.limits) {
            let stated = if stated.is_nan() { "any".to_owned() } else { step(stated) };
            print!("| {} | {stated} ", step(limits::limit(method, swing)?));
        }
        println!("|");
    }
    println!();
    Ok(())
}

/// A step in words where it is not finite.
fn step(dt: f64) -> String {
    match dt {
        // As far as growth can be distinguished from rounding.
        _ if dt < 1e-4 => "none".to_owned(),
        _ if dt.is_infinite() => "any".to_owned(),
        _ => format!("{dt:.4}"),
    }
}

fn energy_tables() -> Result<(), Box<dyn Error>> {
    heading(&["method", "energy after 2 s", "circle per turn, dt = 0.1", "0.01", "0.001"]);
    for method in METHODS {
        print!("| {} | {:.4} ", method.name, behaviour::energy_after(method)?);
        for dt in [0.1, 0.01, 0.001] {
            print!("| {:.4} ", behaviour::circle(method, dt)?[1]);
        }
        println!("|");
    }
    println!();
    heading(&["speed under drag", "k dt", "after 1 step", "2", "3", "40"]);
    for method in METHODS {
        for k_dt in [0.5, 1.0, 1.5, 2.0, 2.5] {
            let speeds = behaviour::decay(method, k_dt, 40);
            print!("| {} | {k_dt} ", method.name);
            match speeds {
                Ok(v) => println!("| {:.3} | {:.3} | {:.3} | {:.3e} |", v[1], v[2], v[3], v[40]),
                Err(error) => println!("| {error} | | | |"),
            }
        }
    }
    println!();
    Ok(())
}

fn flight_table() -> Result<(), Box<dyn Error>> {
    heading(&["free flight", "momentum error", "spin error", "spin kept in theory"]);
    for method in METHODS {
        let Flight { momentum, spin } = behaviour::flight(method)?;
        let kept = if method.keeps_spin { "yes" } else { "no" };
        println!("| {} | {momentum:.1e} | {spin:.1e} | {kept} |", method.name);
    }
    println!();
    Ok(())
}

fn reach_table() -> Result<(), Box<dyn Error>> {
    heading(&["springs passed after 1, 2, 3, 4 steps", "no damping", "damping"]);
    for method in METHODS {
        let [free, damped] = [behaviour::reach(method, 0.0)?, behaviour::reach(method, 1.0)?];
        println!("| {} | {free:?} | {damped:?} |", method.name);
    }
    Ok(())
}
