//! Whole pages.

use super::*;
use crate::summary::{Iterations, StageTimes, Warning};
use findings::{Severity, findings};
use pliant_scene::loaded::{BodyInfo, RenderMesh};

fn info() -> RunInfo {
    RunInfo {
        scene: "drop <b>".to_string(),
        response: "none".to_string(),
        integrator: "implicit".to_string(),
        dt: 0.01,
        steps: 100,
        record_every: 2,
        checkpoint_every: 50,
        description: String::new(),
        gravity: [0.0, 0.0, -9.81],
        bodies: vec![BodyInfo {
            name: "\"ball\"".to_string(),
            kind: "tets".to_string(),
            vertices: 0..4,
            tets: 1,
            triangles: vec![],
            rings: vec![],
            edges: vec![],
            held: false,
        }],
        recorded: Default::default(),
        carried: Vec::new(),
        obstacles: vec![],
    }
}

fn summary() -> Summary {
    Summary {
        scene: "drop <b>".to_string(),
        response: "none".to_string(),
        integrator: "implicit".to_string(),
        dt: 0.01,
        steps: 100,
        simulated_s: 1.0,
        cpu_s: 0.5,
        wall_s: 0.5,
        realtime_factor: 2.0,
        threads: 1,
        vertices: 4,
        tets: 1,
        kinetic: 0.1,
        elastic: 0.2,
        rms_speed: 0.01,
        max_speed: 0.02,
        penetrating_vertices: 0,
        edge_crossings: 0,
        max_depth: 0.0,
        inverted_tets: 0,
        momentum_error: 1e-14,
        momentum_bodies: 1,
        obstacle_vertices: 0,
        obstacle_depth: 0.0,
        digest: "0123456789abcdef0123456789abcdef".to_string(),
        stages: StageTimes(vec![
            ("force".to_string(), 0.1),
            ("solve".to_string(), 0.3),
            ("step".to_string(), 0.5),
        ]),
        iterations: Iterations { newton: 100, linear: 2000, ..Iterations::default() },
        unconverged_steps: 0,
        contact: crate::summary::ContactTally::default(),
        ended: "finished".to_string(),
        error: None,
        warnings: vec![],
        notices: vec![],
    }
}

/// A fall of 1 kg over 0.1 m and more, which keeps its energy.
fn rows() -> Vec<[f64; WIDTH]> {
    let row = |k: u32| {
        let time = 0.02 * f64::from(k);
        let speed = 9.81 * time;
        let mut row = [0.0; WIDTH];
        row[curves::TIME] = time;
        row[curves::KINETIC] = 0.5 * speed * speed;
        row[curves::GRAVITATIONAL] = 50.0 - 0.5 * speed * speed;
        [row[curves::RMS_SPEED], row[curves::MAX_SPEED]] = [speed; 2];
        row
    };
    (0..50).map(row).collect()
}

fn with<T>(
    change: impl Fn(&mut RunInfo, &mut Summary, &mut Vec<[f64; WIDTH]>),
    read: impl Fn(&ReportData<'_>) -> T,
) -> T {
    let (mut info, mut summary, mut rows) = (info(), summary(), rows());
    change(&mut info, &mut summary, &mut rows);
    read(&ReportData {
        info: &info,
        summary: &summary,
        rows: &rows,
        resolved: "name = \"</pre><script>\"",
        description: "A <i>fall</i>",
        machine: &[("CPU".to_string(), "a & b".to_string())],
        version: "0.1.0",
        date: "1 May",
        pictures: &[Picture { caption: "the end", png: b"abc", dark: Some(b"abd") }],
        player: None,
    })
}

/// Sentences of the findings after a change, worst first.
fn reported(
    change: impl Fn(&mut RunInfo, &mut Summary, &mut Vec<[f64; WIDTH]>),
) -> Vec<(Severity, String)> {
    with(change, |data| findings(data).into_iter().map(|f| (f.severity, f.text)).collect())
}

/// Every element that is opened is closed, in order.
#[track_caller]
fn check_nesting(page: &str) {
    const VOID: [&str; 4] = ["meta", "img", "source", "!doctype"];
    let mut open: Vec<&str> = Vec::new();
    for piece in page.split('<').skip(1) {
        let tag = piece.split('>').next().unwrap();
        let name = tag.split([' ', '\n']).next().unwrap().trim_end_matches('/');
        match name.strip_prefix('/') {
            Some(closed) => assert_eq!(open.pop(), Some(closed), "{piece}"),
            None if VOID.contains(&name) || tag.ends_with('/') => {}
            None => open.push(name),
        }
    }
    assert_eq!(open, [""; 0]);
}

#[test]
fn a_page_stands_alone_and_its_text_cannot_break_out() {
    let page = with(|_, _, _| {}, html);
    check_nesting(&page);
    assert!(page.contains("drop &lt;b&gt;") && page.contains("A &lt;i&gt;fall"));
    assert!(page.contains("&lt;/pre&gt;&lt;script&gt;") && page.contains("a &amp; b"));
    for outside in ["<script", "http:", "https:", "<link", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("src=\"data:image/png;base64,YWJj\""));
    let dark = "(prefers-color-scheme: dark)\" srcset=\"data:image/png;base64,YWJk\"";
    assert!(page.contains(dark));
    assert!(page.contains("<ul class=\"findings\">\n<li class=\"good\">No issues: "), "{page}");
    assert!(page.contains("<code>cargo xtask web</code>"), "{page}");
}

#[test]
fn stages_share_the_step_and_name_the_rest() {
    let page = with(|_, _, _| {}, html);
    for share in ["20.0 %", "60.0 %"] {
        assert!(page.contains(share), "{share}"); // 0.1, 0.3 and 0.1 of 0.5 s
    }
    assert!(page.contains("<th>other</th>"));
    assert!(page.contains("0.5 s for 100 steps, 5 ms each"));
    let page = with(|_, summary, _| summary.stages.0.clear(), html);
    assert!(page.contains("Not measured."));
}

#[test]
fn odd_data_give_a_sensible_page() {
    let emptied = with(
        |info, summary, rows| {
            rows.clear();
            info.bodies.clear();
            summary.digest.clear();
            summary.steps = 0;
            summary.realtime_factor = f64::NAN;
        },
        html,
    );
    check_nesting(&emptied);
    assert!(emptied.contains("No row was recorded") && emptied.contains("Nothing was recorded."));
    assert!(emptied.contains("not a number"));
    let one = with(|_, _, rows| rows.truncate(1), html);
    check_nesting(&one);
    let broken = with(
        |_, summary, rows| {
            rows[3] = [f64::NAN; WIDTH];
            rows[4] = [f64::INFINITY; WIDTH];
            rows[5][curves::KINETIC] = 1e300;
            summary.stages.0[0].1 = f64::NAN;
        },
        html,
    );
    check_nesting(&broken);
    assert!(!broken.contains("NaN"));
}

#[test]
fn a_good_run_says_so_and_no_other_does() {
    let found = reported(|_, _, _| {});
    assert_eq!((found.len(), found[0].0), (1, Severity::Good));
    for bad in [
        reported(|_, summary, _| summary.edge_crossings = 1),
        reported(|_, summary, _| summary.ended = "interrupted".to_string()),
        reported(|_, _, rows| rows.clear()),
    ] {
        assert!(bad.iter().all(|(severity, _)| *severity != Severity::Good), "{bad:?}");
    }
}

#[test]
fn a_player_takes_the_place_of_the_command_that_adds_it() {
    let page = with(|_, _, _| {}, |data| html(&ReportData { player: Some("<b>P</b>"), ..*data }));
    check_nesting(&page);
    assert!(page.contains("<h2>Player</h2>\n<b>P</b>") && !page.contains("xtask web"), "{page}");
}

#[test]
fn ends_that_are_not_the_end_are_told() {
    let failed = reported(|_, summary, _| summary.ended = "failed".to_string());
    let text = "The run failed after step 100 of 100. The results up to then are shown.";
    assert_eq!(failed, [(Severity::Bad, text.to_string())]);
    let stopped = reported(|_, summary, _| {
        summary.ended = "interrupted".to_string();
        summary.steps = 40;
    });
    assert!(stopped[0].1.starts_with("The run was interrupted after step 40 of 100."));
}

#[test]
fn overlap_warnings_and_notices_are_reported() {
    let found = reported(|_, summary, _| {
        summary.penetrating_vertices = 1;
        summary.edge_crossings = 2000;
        summary.max_depth = 0.25;
        let message = "energy appeared: take a shorter dt".to_string();
        summary.warnings.push(Warning {
            kind: "energy".to_string(),
            count: 3,
            first_time: 0.5,
            message,
        });
        summary.notices.push("mind <this>".to_string());
    });
    let texts: Vec<&str> = found.iter().map(|(_, text)| text.as_str()).collect();
    let overlap = "1 vertex inside, the deepest 0.25 m; 2\u{202f}000 edges cross a surface.";
    assert!(texts[0].ends_with(overlap), "{}", texts[0]);
    assert_eq!(texts[1..], ["Energy appeared: take a shorter dt.", "mind <this>"]);
    assert_eq!(found[1].0, Severity::Warning);
}

#[test]
fn a_failed_run_says_why() {
    let found = reported(|_, summary, _| {
        summary.ended = "failed".to_string();
        summary.error = Some("step 7: no way".to_string());
    });
    assert!(found[0].1.contains("Step 7: no way."), "{found:?}");
}

#[test]
fn momentum_that_is_not_checked_is_no_finding_and_no_zero() {
    let change = |info: &mut RunInfo, summary: &mut Summary, _: &mut Vec<[f64; WIDTH]>| {
        info.bodies[0].held = true;
        summary.momentum_bodies = 0;
    };
    assert!(reported(change).iter().all(|(severity, _)| *severity == Severity::Good));
    let page = with(change, html);
    let row = "<tr><th>momentum drift</th><td class=\"number\">not checked</td>";
    assert!(page.contains(row) && page.contains("<td>not checked</td>"), "{page}");
    assert!(!page.contains("held"), "{page}");
    assert!(with(|_, _, _| (), html).contains("<td>checked</td>"));
}

#[test]
fn the_first_value_that_is_not_finite_is_named() {
    let found = reported(|_, _, rows| rows[7][curves::ELASTIC] = f64::NAN);
    let text = "Row 7 at 0.14 s has not a number for elastic. Curves have gaps there.";
    assert_eq!(found, [(Severity::Bad, text.to_string())]);
}

#[test]
fn runs_overlay_in_one_plot() {
    let rows = rows();
    let runs = ["a", "b & c"].map(|name| Overlaid { name, rows: &rows });
    let html = overlay(&runs);
    check_nesting(&html);
    assert_eq!(html.matches("<figure>").count(), 8);
    assert!(html.contains("b &amp; c"));
    // Of a fall, speed and kinetic energy are not zero, and the total is but for rounding.
    assert_eq!(html.matches("<path class=\"curve c1 d1\" d=\"M82").count(), 3);
}

#[test]
fn obstacles_are_listed() {
    let page = with(
        |info, _, _| {
            let name = "floor".to_string();
            info.obstacles.push(RenderMesh {
                name,
                positions: vec![],
                triangles: vec![],
                poses: vec![],
            });
        },
        html,
    );
    assert!(page.contains("<th>obstacles</th><td class=\"text\">floor</td>"));
}
