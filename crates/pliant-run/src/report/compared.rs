//! Several runs of one scene on one page: curves over each other, and one table.

use std::fmt::Write;

use crate::report::sections::{pictures, player};
use crate::report::text::{count, escaped, number};
use crate::report::{Overlaid, Picture, STYLE, overlay};
use crate::run::series::WIDTH;
use crate::summary::Summary;

/// One of the runs.
#[derive(Clone, Copy, Debug)]
pub struct Compared<'a> {
    /// What sets it apart.
    pub name: &'a str,
    /// Name of the folder with its own report.
    pub folder: &'a str,
    /// Its last frame as a PNG file.
    pub picture: Option<&'a [u8]>,
    /// Its summary.
    pub summary: &'a Summary,
    /// Its series.
    pub rows: &'a [[f64; WIDTH]],
}

/// The page of runs of one scene that differ in `key`, with a player of all where there is one.
pub fn page(scene: &str, key: &str, runs: &[Compared<'_>], played: Option<&str>) -> String {
    let (scene, key) = (escaped(scene), escaped(key));
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{scene}, compared – Pliant</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <main>\n<h1>{scene}</h1>\n<p>The same scene, run with each {key}.</p>\n"
    );
    page += "<h2>At the end</h2>\n";
    page += &table(&key, runs);
    page += &player(played);
    let drawn = runs
        .iter()
        .filter_map(|run| Some(Picture { caption: run.name, png: run.picture?, dark: None }));
    page += &pictures(&drawn.collect::<Vec<_>>());
    let overlaid = runs.iter().map(|run| Overlaid { name: run.name, rows: run.rows });
    page += "<h2>Curves</h2>\n";
    page += &overlay(&overlaid.collect::<Vec<_>>());
    page + "</main>\n</body>\n</html>\n"
}

fn table(key: &str, runs: &[Compared<'_>]) -> String {
    let mut table = format!(
        "<div class=\"card\"><table>\n<thead><tr><th>{key}</th><th>ended</th>\
         <th>rms speed, m/s</th><th>kinetic, J</th><th>elastic, J</th><th>inside</th>\
         <th>crossings</th><th>inverted</th><th>CPU, s</th><th>× real time</th></tr></thead>\n<tbody>\n"
    );
    for run in runs {
        let Summary { ended, rms_speed, kinetic, elastic, cpu_s, realtime_factor, .. } =
            run.summary;
        let (name, folder) = (escaped(run.name), escaped(run.folder));
        let cells = [
            escaped(ended),
            number(*rms_speed),
            number(*kinetic),
            number(*elastic),
            count(run.summary.penetrating_vertices),
            count(run.summary.edge_crossings),
            count(run.summary.inverted_tets),
            number(*cpu_s),
            number(*realtime_factor),
        ];
        let cells: String = cells.iter().map(|cell| format!("<td>{cell}</td>")).collect();
        // Writing to a text cannot fail.
        let _ = writeln!(
            table,
            "<tr><th scope=\"row\"><a href=\"{folder}/report.html\">{name}</a></th>{cells}</tr>"
        );
    }
    table + "</tbody>\n</table></div>\n"
}
