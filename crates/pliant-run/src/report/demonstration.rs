//! Several scenes on one page: what each shows, its numbers, and one player to choose from.

use std::fmt::Write;

use crate::report::sections::{pictures, player};
use crate::report::text::{count, escaped, number};
use crate::report::{Picture, STYLE};
use crate::summary::Summary;

/// One scene, run once or with several settings.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// Short name; the player's choice has the same.
    pub name: &'a str,
    /// What it shows, a sentence.
    pub text: &'a str,
    /// Where its own report is, relative to the page.
    pub report: &'a str,
    /// What sets each run apart, and its summary.
    pub runs: &'a [(String, Summary)],
    /// A picture of its last frame as a PNG file, for light and for dark pages.
    pub picture: Option<[&'a [u8]; 2]>,
}

/// The page, with a player of all parts where there is one.
pub fn page(title: &str, parts: &[Part<'_>], played: Option<&str>) -> String {
    let title = escaped(title);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} – Pliant</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <main>\n<h1>{title}</h1>\n"
    );
    page += "<p>Overlap is measured exactly, whatever the response believes: vertices inside \
             other bodies, and edges through faces. Every scene has a report of its own.</p>\n";
    page += &player(played);
    page += "<h2>At the end</h2>\n";
    page += &table(parts);
    let drawn = parts.iter().filter_map(|part| {
        let [png, dark] = part.picture?;
        Some(Picture { caption: part.text, png, dark: Some(dark) })
    });
    page += &pictures(&drawn.collect::<Vec<_>>());
    page + "</main>\n</body>\n</html>\n"
}

fn table(parts: &[Part<'_>]) -> String {
    let mut table = "<div class=\"card\"><table>\n<thead><tr><th>scene</th><th>run</th>\
                     <th>simulated, s</th><th>inside</th><th>crossings</th><th>rms speed, m/s</th>\
                     <th>inverted</th><th>× real time, CPU</th><th>warnings</th></tr></thead>\n<tbody>\n"
        .to_owned();
    for part in parts {
        for (name, summary) in part.runs {
            let cells = [
                escaped(name),
                number(summary.simulated_s),
                count(summary.penetrating_vertices),
                count(summary.edge_crossings),
                number(summary.rms_speed),
                count(summary.inverted_tets),
                number(summary.simulated_s / summary.cpu_s),
                count(summary.warnings.len()),
            ];
            let cells: String = cells.iter().map(|cell| format!("<td>{cell}</td>")).collect();
            let (report, name) = (escaped(part.report), escaped(part.name));
            // Writing to a text cannot fail.
            let _ = writeln!(
                table,
                "<tr><th scope=\"row\"><a href=\"{report}\">{name}</a></th>{cells}</tr>"
            );
        }
    }
    table + "</tbody>\n</table></div>\n"
}
