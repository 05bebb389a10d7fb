//! Bars and lines as SVG text, readable on light and dark pages.
//!
//! Text and axes take the colour of the page's text, and the background stays transparent. No
//! blank lines: a page of Markdown may hold the picture as it is.

use std::fmt::Write;

/// Mid-tones that stand out from white and from black.
const COLOURS: [&str; 4] = ["#2e86ab", "#d1495b", "#c98a1b", "#5a9e4b"];

/// Width of pictures, pixels.
const WIDTH: f64 = 640.0;

/// One bar of several parts, with its name.
pub struct Bar {
    /// Left of the bar.
    pub name: String,
    /// Lengths of its parts, in the order of the legend.
    pub parts: Vec<usize>,
}

/// One curve with its name.
pub struct Curve {
    /// In the legend.
    pub name: &'static str,
    /// Values along both axes, ascending along the first.
    pub points: Vec<[f64; 2]>,
}

/// What stands at a plot of curves.
pub struct Titles {
    /// Above the curves.
    pub title: &'static str,
    /// Along the bottom.
    pub x: &'static str,
    /// Along the left.
    pub y: &'static str,
}

/// Horizontal bars, each with its number behind it; `kinds` name the parts.
pub fn bars(kinds: &[&str], bars: &[Bar]) -> String {
    let (left, right, line) = (130.0, WIDTH - 50.0, 24.0);
    let total = |bar: &Bar| bar.parts.iter().sum::<usize>();
    let most = bars.iter().map(total).max().unwrap_or(1).max(1) as f64;
    let height = 34.0 + line * bars.len() as f64;
    let mut out = begin(height);
    legend(&mut out, left, kinds);
    for (row, bar) in bars.iter().enumerate() {
        let y = 34.0 + line * row as f64;
        text(&mut out, [left - 8.0, y + 14.0], "end", &bar.name);
        let mut x = left;
        for (kind, part) in bar.parts.iter().enumerate() {
            let width = *part as f64 / most * (right - left);
            let colour = COLOURS[kind % COLOURS.len()];
            let _ = writeln!(
                out,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"18\" fill=\"{colour}\"/>"
            );
            x += width;
        }
        text(&mut out, [x + 6.0, y + 14.0], "start", &total(bar).to_string());
    }
    out + "</svg>\n"
}

/// Lines from 0 to their largest values along both axes.
pub fn lines(titles: &Titles, curves: &[Curve]) -> String {
    let [left, top, right, bottom] = [70.0, 52.0, WIDTH - 20.0, 300.0];
    let all = || curves.iter().flat_map(|curve| &curve.points);
    let [most_x, most_y] = [0, 1].map(|axis| all().map(|p| p[axis]).fold(0.0, f64::max));
    let [step_x, step_y] = [most_x, most_y].map(|most| step(most / 5.0));
    let place = |[x, y]: [f64; 2]| {
        [left + x / most_x * (right - left), bottom - y / most_y * (bottom - top)]
    };
    let mut out = begin(bottom + 50.0);
    text(&mut out, [0.5 * (left + right), 16.0], "middle", titles.title);
    let names: Vec<&str> = curves.iter().map(|curve| curve.name).collect();
    legend_at(&mut out, [left, 26.0], &names);
    for (axis, step) in [step_x, step_y].into_iter().enumerate() {
        let most = [most_x, most_y][axis];
        for mark in (0..).map(|k| f64::from(k) * step).take_while(|mark| *mark <= most) {
            let [[ax, ay], [bx, by]] = match axis {
                0 => [place([mark, 0.0]), place([mark, most_y])],
                _ => [place([0.0, mark]), place([most_x, mark])],
            };
            let _ = writeln!(
                out,
                "<path d=\"M{ax:.1} {ay:.1}L{bx:.1} {by:.1}\" stroke=\"currentColor\" stroke-opacity=\"0.15\"/>"
            );
            let (at, anchor) = match axis {
                0 => ([ax, ay + 18.0], "middle"),
                _ => ([ax - 7.0, ay + 4.5], "end"),
            };
            text(&mut out, at, anchor, &label(mark));
        }
    }
    for (number, curve) in curves.iter().enumerate() {
        let mut path = String::new();
        for point in &curve.points {
            let ([x, y], letter) = (place(*point), if path.is_empty() { 'M' } else { 'L' });
            let _ = write!(path, "{letter}{x:.1} {y:.1}");
        }
        let dashes = if number == 0 { "" } else { " stroke-dasharray=\"7 3\"" };
        let colour = COLOURS[number % COLOURS.len()];
        let _ = writeln!(
            out,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"{dashes}/>"
        );
    }
    text(&mut out, [0.5 * (left + right), bottom + 40.0], "middle", titles.x);
    let middle = 0.5 * (top + bottom);
    let _ = writeln!(
        out,
        "<text x=\"16\" y=\"{middle}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {middle})\">{}</text>",
        titles.y
    );
    out + "</svg>\n"
}

fn begin(height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"100%\" \
         style=\"max-width:{WIDTH}px\" font-family=\"sans-serif\" font-size=\"13\" fill=\"currentColor\">\n"
    )
}

fn text(out: &mut String, [x, y]: [f64; 2], anchor: &str, words: &str) {
    let _ =
        writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>");
}

fn legend(out: &mut String, left: f64, names: &[&str]) {
    legend_at(out, [left, 6.0], names);
}

/// A square in the colour of each, and its name.
fn legend_at(out: &mut String, [left, top]: [f64; 2], names: &[&str]) {
    let mut x = left;
    for (number, name) in names.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let _ = writeln!(
            out,
            "<rect x=\"{x:.1}\" y=\"{top}\" width=\"12\" height=\"12\" fill=\"{colour}\"/>"
        );
        text(out, [x + 18.0, top + 11.0], "start", name);
        x += 40.0 + 7.5 * name.chars().count() as f64;
    }
}

/// 1, 2 or 5 times a power of ten, at least as large as a positive number.
fn step(least: f64) -> f64 {
    let mut power = 1.0;
    while power > least {
        power /= 10.0;
    }
    while power * 10.0 <= least {
        power *= 10.0;
    }
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|f| f * power).find(|s| *s >= least).unwrap_or(power)
}

fn label(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_numbers() {
        let bar = |name: &str, parts: &[usize]| Bar { name: name.into(), parts: parts.to_vec() };
        let text = bars(&["a", "b"], &[bar("one", &[2, 1]), bar("two", &[6, 0])]);
        // 6 is the longest, 460 pixels.
        for width in ["153.3", "76.7", "460.0"] {
            assert!(text.contains(&format!("width=\"{width}\"")), "{width}: {text}");
        }
        assert!(!text.contains("\n\n"));
    }

    #[test]
    fn marks_are_round_and_lines_end_at_the_largest_values() {
        assert_eq!([0.13, 0.2, 3.0, 40.0].map(step), [0.2, 0.2, 5.0, 50.0]);
        let titles = Titles { title: "t", x: "x", y: "y" };
        let points = vec![[0.0, 0.0], [2.0, 8.0]];
        let text = lines(&titles, &[Curve { name: "c", points }]);
        assert!(text.contains("M70.0 300.0L620.0 52.0"), "{text}");
    }
}
