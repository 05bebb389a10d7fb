//! Line plots as SVG text, readable on light and dark pages.
//!
//! Axes and text take the colour of the page's text, and the background stays transparent.

use std::fmt::Write;

/// Size of the picture, then the plot area in it: left, top, right, bottom; pixels.
const PICTURE: [f64; 2] = [640.0, 400.0];
const FIELD: [f64; 4] = [70.0, 34.0, 450.0, 345.0];

/// Mid-tones that stand out from white and from black.
const COLOURS: [&str; 9] = [
    "#d1495b", "#2e86ab", "#5a9e4b", "#c98a1b", "#8a63c9", "#1f9e93", "#c15b9e", "#7a7f87",
    "#a9713d",
];

/// Scale of an axis.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps.
    Linear,
    /// Equal factors; marks at powers of ten.
    Logarithmic,
}

/// One axis.
pub struct Axis {
    /// With its unit.
    pub title: &'static str,
    /// Of its values.
    pub scale: Scale,
    /// First and last value.
    pub range: [f64; 2],
}

/// One line with its name.
pub struct Curve {
    /// As in the legend.
    pub name: String,
    /// Values along both axes; those out of range end the line.
    pub points: Vec<[f64; 2]>,
    /// Line style.
    pub style: Style,
}

/// How a curve is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// A dot at each point.
    Dots,
    /// The same with a line.
    DottedLine,
    /// A line.
    Line,
    /// A dashed line in the colour of the text, for theory.
    Dashes,
}

/// A picture of curves.
pub struct Plot {
    /// Above the curves.
    pub title: &'static str,
    /// Along the bottom.
    pub x: Axis,
    /// Along the left.
    pub y: Axis,
    /// Drawn in order, later ones above.
    pub curves: Vec<Curve>,
}

impl Axis {
    /// Share of the way from the first value to the last.
    fn share(&self, value: f64) -> f64 {
        let [first, last] = self.range.map(|end| self.warp(end));
        (self.warp(value) - first) / (last - first)
    }

    fn warp(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value,
            Scale::Logarithmic => libm::log10(value),
        }
    }

    /// Values with a mark.
    fn marks(&self) -> Vec<f64> {
        let [first, last] = self.range.map(|end| self.warp(end));
        let raw = (last - first) / 6.0;
        let power = libm::pow(10.0, libm::log10(raw).floor());
        let step = match self.scale {
            Scale::Linear => [1.0, 2.0, 5.0, 10.0].into_iter().find(|f| f * power >= raw),
            Scale::Logarithmic => [1.0, 2.0, 3.0, 5.0].into_iter().find(|step| *step >= raw),
        };
        let step = step.unwrap_or(1.0) * if self.scale == Scale::Linear { power } else { 1.0 };
        let start = (first / step - 1e-9).ceil() as i64;
        let end = (last / step + 1e-9).floor() as i64;
        let value = |k: i64| k as f64 * step;
        (start..=end)
            .map(value)
            .map(|v| if self.scale == Scale::Linear { v } else { libm::pow(10.0, v) })
            .collect()
    }

    fn label(&self, value: f64) -> String {
        if self.scale == Scale::Logarithmic {
            let power = libm::log10(value).round() as i32;
            let raised: String = power.to_string().chars().map(raised).collect();
            return format!("10{raised}");
        }
        let text = format!("{value:.3}");
        let short = text.trim_end_matches('0').trim_end_matches('.');
        if short == "-0" { "0".to_owned() } else { short.to_owned() }
    }
}

fn raised(digit: char) -> char {
    let digits = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    digit.to_digit(10).map_or('⁻', |d| digits[d as usize])
}

/// Position of a point, in pixels.
fn place(plot: &Plot, [x, y]: [f64; 2]) -> [f64; 2] {
    let [left, top, right, bottom] = FIELD;
    [left + plot.x.share(x) * (right - left), bottom - plot.y.share(y) * (bottom - top)]
}

/// The picture as SVG.
pub fn svg(plot: &Plot) -> Result<String, std::fmt::Error> {
    let [width, height] = PICTURE;
    let mut out = String::new();
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"100%\" style=\"max-width:{width}px\" font-family=\"sans-serif\" font-size=\"13\" fill=\"currentColor\">"
    )?;
    axes(plot, &mut out)?;
    for (k, curve) in plot.curves.iter().enumerate() {
        draw(plot, curve, k, &mut out)?;
    }
    writeln!(out, "</svg>")?;
    Ok(out)
}

fn axes(plot: &Plot, out: &mut String) -> std::fmt::Result {
    let [left, top, right, bottom] = FIELD;
    let (middle_x, middle_y) = (0.5 * (left + right), 0.5 * (top + bottom));
    let line = |out: &mut String, [a, b]: [[f64; 2]; 2], faint: &str| {
        writeln!(
            out,
            "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"currentColor\"{faint}/>",
            a[0], a[1], b[0], b[1]
        )
    };
    for mark in plot.x.marks() {
        let [x, _] = place(plot, [mark, plot.y.range[0]]);
        line(out, [[x, top], [x, bottom]], " stroke-opacity=\"0.15\"")?;
        let label = plot.x.label(mark);
        writeln!(
            out,
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
            bottom + 18.0
        )?;
    }
    for mark in plot.y.marks() {
        let [_, y] = place(plot, [plot.x.range[0], mark]);
        line(out, [[left, y], [right, y]], " stroke-opacity=\"0.15\"")?;
        let label = plot.y.label(mark);
        writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            left - 7.0,
            y + 4.5
        )?;
    }
    line(out, [[left, bottom], [right, bottom]], "")?;
    line(out, [[left, top], [left, bottom]], "")?;
    let titles = [
        (plot.title, middle_x, 18.0, " font-weight=\"bold\"".to_owned()),
        (plot.x.title, middle_x, bottom + 40.0, String::new()),
        (plot.y.title, 16.0, middle_y, format!(" transform=\"rotate(-90 16 {middle_y})\"")),
    ];
    for (title, x, y, more) in titles {
        writeln!(out, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\"{more}>{title}</text>")?;
    }
    Ok(())
}

fn draw(plot: &Plot, curve: &Curve, number: usize, out: &mut String) -> std::fmt::Result {
    let dashed = curve.style == Style::Dashes;
    let colour = if dashed { "currentColor" } else { COLOURS[number % COLOURS.len()] };
    let dashes = if dashed { " stroke-dasharray=\"5 4\"" } else { "" };
    let marked = matches!(curve.style, Style::Dots | Style::DottedLine);
    let within = |axis: &Axis, value: f64| (-1e-9..=1.0 + 1e-9).contains(&axis.share(value));
    let mut path = String::new();
    let mut open = false;
    for &[x, y] in &curve.points {
        if !(within(&plot.x, x) && within(&plot.y, y)) {
            open = false;
            continue;
        }
        let [left, top] = place(plot, [x, y]);
        write!(path, "{}{left:.1} {top:.1}", if open { 'L' } else { 'M' })?;
        if marked {
            writeln!(out, "<circle cx=\"{left:.1}\" cy=\"{top:.1}\" r=\"3\" fill=\"{colour}\"/>")?;
        }
        open = true;
    }
    if curve.style != Style::Dots {
        let stroke = format!("stroke=\"{colour}\" stroke-width=\"1.8\"{dashes}");
        writeln!(out, "<path d=\"{path}\" fill=\"none\" {stroke}/>")?;
    }
    legend(curve, number, (colour, dashes), out)
}

/// The name of a curve, beside its line or dot.
fn legend(
    curve: &Curve,
    number: usize,
    (colour, dashes): (&str, &str),
    out: &mut String,
) -> std::fmt::Result {
    let (x, y) = (FIELD[2] + 14.0, FIELD[1] + 10.0 + 20.0 * number as f64);
    match curve.style {
        Style::Dots => {
            write!(out, "<circle cx=\"{}\" cy=\"{y}\" r=\"3\" fill=\"{colour}\"/>", x + 11.0)?;
        }
        _ => {
            let stroke = format!("stroke=\"{colour}\" stroke-width=\"2.2\"{dashes}");
            write!(out, "<path d=\"M{x} {y}h22\" {stroke}/>")?;
        }
    }
    let (x, y) = (x + 28.0, y + 4.0);
    writeln!(out, "<text x=\"{x}\" y=\"{y}\" font-size=\"12\">{}</text>", curve.name)
}

/// Writes pictures into the folder given as first argument, if there is one.
#[allow(clippy::disallowed_methods, reason = "a program that is asked for files writes them")]
pub fn save(pictures: &[(&str, Plot)]) -> Result<(), Box<dyn std::error::Error>> {
    let Some(folder) = std::env::args().nth(1) else { return Ok(()) };
    for (name, plot) in pictures {
        std::fs::write(std::path::Path::new(&folder).join(format!("{name}.svg")), svg(plot)?)?;
    }
    Ok(())
}
