//! The parts of the page, in their order.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::findings::{Finding, Severity};
use super::text::{count, escaped, number};
use super::{Picture, ReportData};
use crate::player::COMMAND;
use crate::summary::{Iterations, Summary};

/// Name of the stage that holds all others.
const STEP: &str = "step";

/// What a row of the summary reads: name, value, unit.
type Entry = (&'static str, String, &'static str);

/// Name, description, how it ended.
pub fn head(data: &ReportData<'_>) -> String {
    let summary = data.summary;
    let class = match summary.ended.as_str() {
        "finished" => "good",
        "failed" => "bad",
        _ => "warning",
    };
    let mut html = format!(
        "<div class=\"head\"><h1>{}</h1><span class=\"ended {class}\">{}</span></div>\n",
        escaped(&summary.scene),
        escaped(&summary.ended)
    );
    if !data.description.is_empty() {
        let _ = writeln!(html, "<p>{}</p>", escaped(data.description));
    }
    let date = if data.date.is_empty() { String::new() } else { format!(", {}", data.date) };
    let line = format!("Pliant {}{date}", data.version);
    let _ = writeln!(html, "<p class=\"quiet small\">{}</p>", escaped(&line));
    html
}

/// What must be known first; nothing when there is nothing.
pub fn findings(findings: &[Finding]) -> String {
    if findings.is_empty() {
        return String::new();
    }
    let mut html = "<ul class=\"findings\">\n".to_string();
    for finding in findings {
        let class = match finding.severity {
            Severity::Bad => "bad",
            Severity::Warning => "warning",
            Severity::Note => "note",
            Severity::Good => "good",
        };
        let _ = writeln!(html, "<li class=\"{class}\">{}</li>", escaped(&finding.text));
    }
    html + "</ul>\n"
}

/// The numbers that most readers come for.
pub fn tiles(data: &ReportData<'_>) -> String {
    let summary = data.summary;
    let tiles = [
        (number(summary.simulated_s), "s", "simulated"),
        (number(summary.realtime_factor), "×", "real time"),
        (number(summary.rms_speed), "m/s", "rms speed at the end"),
        (count(summary.penetrating_vertices), "", "vertices inside at the end"),
        (count(summary.edge_crossings), "", "edges crossing at the end"),
        (count(summary.vertices), "", "vertices"),
    ];
    let tile = |(value, unit, name): &(String, &str, &str)| {
        format!(
            "<div class=\"tile\"><b>{value} <small>{unit}</small></b><span>{name}</span></div>\n"
        )
    };
    let tiles: String = tiles.iter().map(tile).collect();
    format!("<div class=\"tiles\">\n{tiles}</div>\n")
}

/// The player, or how to get it.
pub fn player(elements: Option<&str>) -> String {
    match elements {
        Some(elements) => format!("<h2>Player</h2>\n{elements}"),
        None => format!(
            "<p class=\"quiet small\" style=\"margin-top:18px\">This pliant was built without the \
             player. <code>{COMMAND}</code>, then building pliant again, adds it to reports and \
             to <code>pliant view</code>; it needs Node.</p>\n"
        ),
    }
}

/// Pictures, two side by side.
pub fn pictures(pictures: &[Picture<'_>]) -> String {
    if pictures.is_empty() {
        return String::new();
    }
    let source = |png: &[u8]| format!("data:image/png;base64,{}", STANDARD.encode(png));
    let figure = |picture: &Picture<'_>| {
        let caption = escaped(picture.caption);
        let dark = picture.dark.map_or(String::new(), |png| {
            let media = "media=\"screen and (prefers-color-scheme: dark)\"";
            format!("<source {media} srcset=\"{}\">", source(png))
        });
        format!(
            "<figure><picture>{dark}<img alt=\"{caption}\" src=\"{}\"></picture>\
             <figcaption>{caption}</figcaption></figure>\n",
            source(picture.png)
        )
    };
    let figures: String = pictures.iter().map(figure).collect();
    format!("<h2>Pictures</h2>\n<div class=\"figures\">\n{figures}</div>\n")
}

/// CPU time per stage as bars.
pub fn stages(summary: &Summary) -> String {
    let whole = summary.stages.0.iter().find(|(name, _)| name == STEP).map(|(_, time)| *time);
    let inner: Vec<_> = summary.stages.0.iter().filter(|(name, _)| name != STEP).collect();
    let sum: f64 = inner.iter().map(|(_, time)| time).filter(|time| time.is_finite()).sum();
    let whole = whole.filter(|time| time.is_finite()).unwrap_or(sum).max(sum);
    if whole <= 0.0 {
        return "<h2>CPU time per stage</h2>\n<p class=\"quiet\">Not measured.</p>\n".to_string();
    }
    let mut html =
        "<h2>CPU time per stage</h2>\n<div class=\"card\"><table class=\"bare\"><tbody>\n"
            .to_string();
    for (name, time) in inner.iter().filter(|(_, time)| *time != 0.0) {
        html += &bar(name, *time, whole, "part");
    }
    html += &bar("other", whole - sum, whole, "rest");
    let steps = summary.steps.max(1) as f64;
    let _ = writeln!(
        html,
        "</tbody></table></div>\n<p class=\"quiet small\" style=\"margin-top:8px\">{} s for {} \
         steps, {} ms each. Measuring overlap and writing are not in it.</p>",
        number(whole),
        count(summary.steps as usize),
        number(1e3 * whole / steps)
    );
    html
}

/// A row with a bar of its share.
fn bar(name: &str, time: f64, whole: f64, class: &str) -> String {
    let share = if time.is_finite() { (100.0 * time / whole).clamp(0.0, 100.0) } else { 0.0 };
    format!(
        "<tr><th>{}</th><td class=\"wide\"><svg class=\"bar\" viewBox=\"0 0 100 10\" \
         preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect class=\"back\" width=\"100\" \
         height=\"10\"/><rect class=\"{class}\" width=\"{share:.2}\" height=\"10\"/></svg></td>\
         <td class=\"number\">{share:.1} %</td><td class=\"number\">{} s</td></tr>\n",
        escaped(name),
        number(time)
    )
}

/// The summary with units, in two columns.
pub fn summary(summary: &Summary) -> String {
    let [made, found] = [effort(summary), outcome(summary)].map(|rows| entries(&rows));
    format!("<h2>Summary</h2>\n<div class=\"two\">\n{made}{found}</div>\n")
}

/// Settings and cost.
fn effort(summary: &Summary) -> Vec<Entry> {
    let Iterations { newton, linear, sweeps, rounds } = summary.iterations;
    vec![
        ("response", escaped(&summary.response), ""),
        ("integrator", escaped(&summary.integrator), ""),
        ("time step", number(summary.dt), "s"),
        ("steps", count(summary.steps as usize), ""),
        ("simulated", number(summary.simulated_s), "s"),
        ("CPU time", number(summary.cpu_s), "s"),
        ("wall clock", number(summary.wall_s), "s"),
        ("real time", number(summary.realtime_factor), "×"),
        ("threads", count(summary.threads), ""),
        ("Newton iterations", count(newton as usize), ""),
        ("linear iterations", count(linear as usize), ""),
        ("contact sweeps", count(sweeps as usize), ""),
        ("outer iterations", count(rounds as usize), ""),
        ("most contacts per step", count(summary.contact.most_contacts as usize), ""),
        ("steps halved", count(summary.contact.steps_cut as usize), ""),
        ("unconverged contact solves", count(summary.unconverged_steps as usize), "steps"),
    ]
}

/// Results.
fn outcome(summary: &Summary) -> Vec<Entry> {
    let digest: String = summary.digest.chars().take(16).collect();
    vec![
        ("vertices", count(summary.vertices), ""),
        ("tets", count(summary.tets), ""),
        ("kinetic energy", number(summary.kinetic), "J"),
        ("elastic energy", number(summary.elastic), "J"),
        ("rms speed", number(summary.rms_speed), "m/s"),
        ("fastest vertex", number(summary.max_speed), "m/s"),
        ("vertices inside", count(summary.penetrating_vertices), ""),
        ("edges crossing", count(summary.edge_crossings), ""),
        ("deepest vertex", number(summary.max_depth), "m"),
        ("inverted tets", count(summary.inverted_tets), ""),
        momentum(summary),
        ("digest", format!("<code>{}…</code>", escaped(&digest)), ""),
    ]
}

/// Momentum drift; a run in which no body is checked has none.
fn momentum(summary: &Summary) -> Entry {
    match summary.momentum_bodies {
        0 => ("momentum drift", "not checked".to_string(), ""),
        _ => ("momentum drift", number(summary.momentum_error), "Σ m|v|"),
    }
}

/// A table of entries, whose values are HTML.
fn entries(rows: &[Entry]) -> String {
    let row = |(name, value, unit): &Entry| {
        format!(
            "<tr><th>{name}</th><td class=\"number\">{value}</td><td class=\"unit\">{unit}</td></tr>\n"
        )
    };
    let rows: String = rows.iter().map(row).collect();
    format!("<div class=\"card\"><table class=\"bare\"><tbody>\n{rows}</tbody></table></div>\n")
}

/// Machine, settings, bodies and the whole scene.
pub fn what_was_run(data: &ReportData<'_>) -> String {
    let info = data.info;
    let [x, y, z] = info.gravity.map(number);
    let mut settings = vec![
        ("scene".to_string(), info.scene.clone()),
        ("response".to_string(), info.response.clone()),
        ("integrator".to_string(), info.integrator.clone()),
        ("time step".to_string(), format!("{} s", number(info.dt))),
        ("gravity".to_string(), format!("{x}, {y}, {z} m/s²")),
        ("rows and frames".to_string(), every(info.record_every)),
        ("checkpoints".to_string(), every(info.checkpoint_every)),
        ("digest".to_string(), data.summary.digest.clone()),
    ];
    let obstacles: Vec<_> = info.obstacles.iter().map(|skin| skin.name.as_str()).collect();
    if !obstacles.is_empty() {
        settings.push(("obstacles".to_string(), obstacles.join(", ")));
    }
    let mut machine = data.machine.to_vec();
    machine.push(("Pliant".to_string(), data.version.to_string()));
    let [settings, machine] = [settings, machine].map(|rows| pairs(&rows));
    let mut html =
        format!("<h2>What was run</h2>\n<div class=\"two\">\n{settings}{machine}</div>\n");
    html += &bodies(data);
    let _ = writeln!(
        html,
        "<details><summary>The scene as resolved</summary>\n<pre>{}</pre></details>",
        escaped(data.resolved)
    );
    html
}

fn every(steps: u64) -> String {
    if steps == 1 { "every step".to_string() } else { format!("every {steps} steps") }
}

/// A table of names and texts.
fn pairs(rows: &[(String, String)]) -> String {
    let row = |(name, value): &(String, String)| {
        format!("<tr><th>{}</th><td class=\"text\">{}</td></tr>\n", escaped(name), escaped(value))
    };
    let rows: String = rows.iter().map(row).collect();
    format!("<div class=\"card\"><table class=\"bare\"><tbody>\n{rows}</tbody></table></div>\n")
}

/// All bodies, folded.
fn bodies(data: &ReportData<'_>) -> String {
    let bodies = &data.info.bodies;
    let mut html = format!(
        "<details><summary>{} {}</summary>\n<div class=\"card\" style=\"margin-top:8px\"><table>\
         <thead><tr><th>name</th><th>kind</th><th style=\"text-align:right\">vertices</th>\
         <th style=\"text-align:right\">tets</th><th>momentum</th></tr></thead>\n<tbody>\n",
        count(bodies.len()),
        if bodies.len() == 1 { "body" } else { "bodies" }
    );
    for body in bodies {
        let _ = writeln!(
            html,
            "<tr><td class=\"text\">{}</td><td>{}</td><td class=\"number\">{}</td>\
             <td class=\"number\">{}</td><td>{}</td></tr>",
            escaped(&body.name),
            escaped(&body.kind),
            count(body.vertices.len()),
            count(body.tets),
            if body.held { "not checked" } else { "checked" }
        );
    }
    html + "</tbody></table></div></details>\n"
}
