//! Tables of scenes whose steps are counted, see [`crate::settle::case`].

use crate::data;
use crate::settle::case::CaseRow;
use crate::settle::gripper::GripperRow;
use crate::settle::standing::StandingRow;

/// Columns that all scenes share whose steps are counted.
const CASE_HEAD: &str = "| vertices | steps | ms per step | longest | linear iterations per step \
    | sweeps | outer iterations | unconverged steps | in the last second | steps until free \
    | steps with overlap | most inside | inside at the end | crossings at the end \
    | inverted tets at the end | rms at the end, m/s |";

/// The line below them.
const CASE_RULE: &str = "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|";

fn case_cells(row: &CaseRow) -> String {
    let [unconverged, lately] = row.unconverged;
    format!(
        "| {} | {} | {:.2} | {:.1} | {:.1} | {:.1} | {:.1} | {unconverged} | {lately} | {} | {} \
         | {} | {} | {} | {} | {:.2e} |",
        row.vertices,
        row.steps,
        1e3 * row.time[0],
        1e3 * row.time[1],
        row.linear,
        row.sweeps,
        row.outer,
        row.free.map_or_else(|| "never".to_string(), |steps| steps.to_string()),
        row.overlapping,
        row.most_inside,
        row.inside,
        row.crossings,
        row.inverted,
        row.rms,
    )
}

/// Scenes that did not come to their end, below a table.
fn case_errors<'a>(rows: impl Iterator<Item = &'a CaseRow>) {
    for row in rows {
        if let Some(error) = &row.error {
            println!("\n{} failed at {error}", row.name);
        }
    }
}

/// One scene; none where its data is missing.
pub fn case(row: Option<&CaseRow>) {
    let Some(row) = row else { return println!("{}", data::skipped()) };
    println!("{CASE_HEAD}\n{CASE_RULE}\n{}", case_cells(row));
    case_errors(std::iter::once(row));
}

/// Rigid bodies on soft ones.
pub fn standing(rows: &[StandingRow]) {
    println!(
        "| | tilt, rad | height of the centre, m | at the start | moved sideways, m {CASE_HEAD}"
    );
    println!("|---|---|---|---|---{CASE_RULE}");
    for row in rows {
        let [end, start] = row.height;
        println!(
            "| {} | {:.5} | {end:.4} | {start:.4} | {:.5} {}",
            row.case.name,
            row.tilt,
            row.sideways,
            case_cells(&row.case)
        );
    }
    case_errors(rows.iter().map(|row| &row.case));
}

/// The gripper.
pub fn gripper(rows: &[GripperRow]) {
    println!("Forces are means over the last second.\n");
    println!(
        "| | motor, N | normal forces of the left finger, sum, N | right | push of the left finger \
         on the cube, N | right | friction forces, sum, N | lift, N | weight, N | sunk, m {CASE_HEAD}"
    );
    println!("|---|---|---|---|---|---|---|---|---|---{CASE_RULE}");
    for row in rows {
        let ([left, right], [from_left, from_right]) = (row.normal, row.push);
        println!(
            "| {} | {} | {left:.2} | {right:.2} | {from_left:.2} | {from_right:.2} | {:.2} | {:.2} \
             | {:.2} | {:.5} {}",
            row.case.name,
            row.motor,
            row.friction,
            row.lift,
            row.weight,
            row.sunk,
            case_cells(&row.case)
        );
    }
    case_errors(rows.iter().map(|row| &row.case));
}
