//! The tables of `cargo xtask bench dynamics`, ready for the book.

use crate::dynamics::ours::{MARGIN, TOLERANCE};
use crate::dynamics::{FINER, Measured, Outcome};

/// All tables, with a blank line between them.
pub fn print(measured: &[Measured]) {
    print_ours(measured);
    if measured.iter().any(|one| one.rapier.is_some()) {
        print_beside(measured);
        print_outcomes(measured);
    }
}

fn print_ours(measured: &[Measured]) {
    println!(
        "CPU time of a frame of 1/60 s, ms, median [10th percentile]. Symplectic steps are {MARGIN} \
         of the longest stable one; implicit systems are solved to {TOLERANCE:e}.\n"
    );
    println!(
        "| scene | vertices | elements | method | steps per frame | PCG iterations per step \
         | ms per frame | µs per step | two threads, times as fast | allocations | same bits |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for one in measured {
        for side in &one.sides {
            println!(
                "| {} | {} | {} | {} | {} | {:.1} | {} | {:.0} | {:.2} | {} | {} |",
                one.name,
                one.vertices,
                one.elements,
                side.method,
                side.substeps,
                side.iterations,
                side.time.milliseconds(),
                1e6 * side.time.p10 / side.substeps as f64,
                side.speedup,
                side.allocations,
                if side.same_bits { "yes" } else { "no" },
            );
        }
    }
    println!("\n| scene | force, ns per element | tangent, ns per element |");
    println!("|---|---|---|");
    for one in measured {
        println!("| {} | {:.1} | {:.1} |", one.name, 1e9 * one.force, 1e9 * one.tangent);
    }
}

fn print_beside(measured: &[Measured]) {
    println!("\nThe cloths beside rapier3d; ratios are of the 10th percentiles.\n");
    println!(
        "| scene | rapier3d, ms per frame | symplectic Euler | implicit Euler \
         | implicit midpoint | rapier3d / symplectic | / implicit | / midpoint |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for one in measured {
        let Some(rapier) = one.rapier else { continue };
        let times = one.sides.iter().map(|side| side.time.milliseconds());
        let ratios = one.sides.iter().map(|side| format!("{:.1}", rapier.p10 / side.time.p10));
        let cells: Vec<_> = times.chain(ratios).collect();
        println!("| {} | {} | {} |", one.name, rapier.milliseconds(), cells.join(" | "));
    }
}

fn print_outcomes(measured: &[Measured]) {
    println!("\nAfter two seconds, m; the finer steps are {FINER} times as many as the stable.\n");
    println!("| scene | side | lowest point | mean height | off the finer steps |");
    println!("|---|---|---|---|---|");
    for one in measured {
        for Outcome { side, lowest, mean, error } in &one.outcomes {
            println!("| {} | {side} | {lowest:.4} | {mean:.4} | {error:.4} |", one.name);
        }
    }
}
