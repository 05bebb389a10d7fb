//! Lines and tables of random scenes.

use super::scene::{RandomScene, Start};
use super::trial::{MOST_CPU, Trial};

/// Scenes that the table of the worst names.
const WORST: usize = 15;

/// A scene and its results.
type Row = (RandomScene, Trial);

/// One scene in a line, for progress.
pub fn line(scene: &RandomScene, trial: &Trial) -> String {
    format!(
        "  {} {}: {} bodies ({} rigid), {} vertices, {}; {}, {:.1} CPU s",
        scene.name,
        if trial.is_good() { "good" } else { "BAD" },
        scene.bodies,
        scene.rigid,
        scene.vertices,
        scene.start.word(),
        found(trial),
        trial.cpu
    )
}

/// What was found, in words.
fn found(trial: &Trial) -> String {
    let end = &trial.end;
    let mut text = format!(
        "{} inside, {} crossings, {} in obstacles, {} inverted, energy in {} steps ({:.1e}), \
         {} of {} steps unconverged ({} in the last second), rms {:.4} m/s",
        end.penetrating_vertices,
        end.edge_crossings,
        trial.in_obstacles,
        end.inverted_tets,
        trial.energy_steps,
        trial.energy,
        trial.unconverged[0],
        trial.steps,
        trial.unconverged[1],
        trial.rms,
    );
    if let Some(failure) = &trial.failure {
        text = format!("{failure}; {text}");
    }
    text
}

/// Counts of what went wrong.
pub fn statistics(rows: &[Row]) {
    println!("Goal: none fails, gains energy or ends with anything inside.\n");
    println!(
        "| start | scenes | good | fail (of them over {MOST_CPU} CPU s) | gain energy | end with \
         vertices inside | crossings | vertices in obstacles | inverted tets | unconverged in the \
         last second | unconverged steps, all | rms at the end, median, m/s | worst | CPU s, all \
         | median | worst | step, mean, ms |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for start in [Some(Start::Apart), Some(Start::Overlapping), None] {
        let chosen =
            rows.iter().filter(|(scene, _)| start.is_none_or(|start| scene.start == start));
        let trials: Vec<&Trial> = chosen.map(|(_, trial)| trial).collect();
        println!("| {} {}", start.map_or("all", Start::word), cells(&trials));
    }
}

fn cells(trials: &[&Trial]) -> String {
    let count = |is: fn(&Trial) -> bool| trials.iter().filter(|trial| is(trial)).count();
    let sum = |of: fn(&Trial) -> f64| trials.iter().map(|trial| of(trial)).sum::<f64>();
    let (steps, cpu) = (sum(|trial| trial.steps as f64), sum(|trial| trial.cpu));
    let unconverged = sum(|trial| trial.unconverged[0] as f64);
    let [[rms, worst_rms], [time, worst_time]] =
        [|trial: &Trial| trial.rms, |trial: &Trial| trial.cpu].map(|of| {
            let mut sorted: Vec<f64> = trials.iter().map(|trial| of(trial)).collect();
            sorted.sort_by(f64::total_cmp);
            let at = |k: usize| sorted.get(k).copied().unwrap_or_default();
            [at(sorted.len() / 2), at(sorted.len().saturating_sub(1))]
        });
    format!(
        "| {} | {} | {} ({}) | {} | {} | {} | {} | {} | {} | {:.1} % | {rms:.4} | {worst_rms:.4} \
         | {cpu:.0} | {time:.1} | {worst_time:.1} | {:.1} |",
        trials.len(),
        count(Trial::is_good),
        count(|trial| trial.failure.is_some()),
        count(|trial| trial.cpu > MOST_CPU),
        count(|trial| trial.energy_steps > 0),
        count(|trial| trial.end.penetrating_vertices > 0),
        count(|trial| trial.end.edge_crossings > 0),
        count(|trial| trial.in_obstacles > 0),
        count(|trial| trial.end.inverted_tets > 0),
        count(|trial| trial.unconverged[1] > 0),
        100.0 * unconverged / steps.max(1.0),
        1e3 * cpu / steps.max(1.0),
    )
}

/// The worst scenes: those that failed, then by what overlaps, then by energy.
pub fn worst(rows: &[Row]) {
    let mut bad: Vec<&Row> = rows.iter().filter(|(_, trial)| !trial.is_good()).collect();
    let rank = |trial: &Trial| {
        let overlap = trial.end.penetrating_vertices + trial.end.edge_crossings;
        (trial.failure.is_some(), overlap + trial.in_obstacles)
    };
    bad.sort_by(|(_, a), (_, b)| rank(b).cmp(&rank(a)).then(b.energy.total_cmp(&a.energy)));
    if bad.is_empty() {
        return;
    }
    println!("\n| scene | start | bodies (rigid) | vertices | load | found | CPU s |");
    println!("|---|---|---|---|---|---|---|");
    for (scene, trial) in bad.iter().take(WORST) {
        println!(
            "| {} | {} | {} ({}) | {} | {:.1e} | {} | {:.1} |",
            scene.name,
            scene.start.word(),
            scene.bodies,
            scene.rigid,
            scene.vertices,
            scene.load,
            found(trial),
            trial.cpu
        );
    }
    if bad.len() > WORST {
        println!("\n{} more are not as they should be.", bad.len() - WORST);
    }
}
