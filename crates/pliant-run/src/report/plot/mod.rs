//! Curves over time as SVG, styled by the page around them.
//!
//! Series carry a colour and a dash as numbers; the page's style sheet says what they look
//! like in light and in dark. Several runs in one plot are several series with one colour
//! each, so a comparison is no other kind of plot.

use std::fmt::Write;

use super::text::escaped;

mod axis;

mod thin;

use axis::Axis;

/// Width and height of the drawing, its own unit: a pixel on a wide screen.
const SIZE: [f64; 2] = [520.0, 280.0];

/// Left, top, right and bottom of the drawing that the curves leave free.
const MARGIN: [f64; 4] = [82.0, 10.0, 12.0, 42.0];

/// Colours and dashes that the style sheet knows.
pub const STYLES: [usize; 2] = [8, 4];

/// How values become heights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// In proportion.
    Linear,
    /// In proportion, with integers at the ticks.
    Counts,
    /// By powers of ten where positive values span more than two, otherwise in proportion.
    Decades,
}

/// One curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub label: String,
    /// Number of its colour; wraps around.
    pub colour: usize,
    /// Number of its dash, 0 for none; wraps around.
    pub dash: usize,
    /// Abscissa and ordinate, units of the axes; what is not finite is a gap.
    pub points: Vec<[f64; 2]>,
}

/// Several curves over one axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// Heading.
    pub title: String,
    /// Unit of the ordinate; empty for counts.
    pub ordinate: String,
    /// What the abscissa counts, with its unit.
    pub abscissa: String,
    /// Of the ordinate.
    pub scale: Scale,
    /// Drawn in order, the first below.
    pub series: Vec<Series>,
}

impl Plot {
    /// The plot as a `figure` element with heading and legend.
    ///
    /// Curves that are zero throughout are stated in text if there are no others.
    pub fn figure(&self) -> String {
        // Beside the heading, where it meets no number of the axis however narrow the page is.
        let unit = match self.ordinate.as_str() {
            "" => String::new(),
            unit => format!("<span class=\"unit\">, {}</span>", escaped(unit)),
        };
        let mut html = format!("<figure>\n<h3>{}{unit}</h3>\n", escaped(&self.title));
        let finite = |p: &&[f64; 2]| p[0].is_finite() && p[1].is_finite();
        let all = || self.series.iter().flat_map(|series| series.points.iter().filter(finite));
        let rows = self.series.iter().map(|series| series.points.len()).max().unwrap_or(0);
        if all().next().is_none() {
            let why = if rows == 0 { "Nothing was recorded." } else { "No value is finite." };
            let _ = writeln!(html, "<p class=\"quiet\">{why}</p>\n</figure>");
        } else if all().all(|p| p[1] == 0.0) {
            let labels: Vec<_> = self.series.iter().map(|s| escaped(&s.label)).collect();
            let rows = if rows == 1 { "the one row".into() } else { format!("all {rows} rows") };
            let _ = writeln!(
                html,
                "<p class=\"zero\"><b>0</b> in {rows}: {}</p>\n</figure>",
                labels.join(", ")
            );
        } else {
            html += &self.legend();
            html += &self.drawing();
            html += "</figure>\n";
        }
        html
    }

    fn legend(&self) -> String {
        let mut html = "<figcaption>".to_string();
        for series in &self.series {
            let _ = write!(
                html,
                "<span><svg class=\"key\" viewBox=\"0 0 22 8\" aria-hidden=\"true\">\
                 <path class=\"{}\" d=\"M0 4H22\"/></svg>{}</span>",
                style(series),
                escaped(&series.label)
            );
        }
        html + "</figcaption>\n"
    }

    fn drawing(&self) -> String {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let [left, top, right, bottom] = MARGIN;
        let [x_end, y_end] = [SIZE[0] - right, SIZE[1] - bottom];
        let x = Axis::linear(points().map(|p| p[0]), [left, x_end], 6);
        let y = match self.scale {
            Scale::Linear => Axis::linear(points().map(|p| p[1]), [y_end, top], 5),
            Scale::Counts => Axis::counts(points().map(|p| p[1]), [y_end, top], 5),
            Scale::Decades => Axis::decades(points().map(|p| p[1]), [y_end, top], 5),
        };
        // Where the player puts its cursor: times and places of both ends of the axis.
        let [from, to] = x.range();
        let span = format!("{from} {to} {left} {x_end} {top} {y_end}");
        let mut svg = format!(
            "<svg class=\"plot\" viewBox=\"0 0 {} {}\" data-span=\"{span}\" role=\"img\" \
             aria-label=\"{}\">\n",
            SIZE[0],
            SIZE[1],
            escaped(&format!("{} over {}", self.title, self.abscissa))
        );
        for tick in x.ticks() {
            let at = axis::place(tick.at);
            let _ = writeln!(
                svg,
                "<path class=\"grid\" d=\"M{at} {top}V{y_end}\"/>\
                 <text x=\"{at}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                y_end + 17.0,
                tick.label
            );
        }
        for tick in y.ticks() {
            let at = axis::place(tick.at);
            let _ = writeln!(
                svg,
                "<path class=\"grid{}\" d=\"M{left} {at}H{x_end}\"/>\
                 <text x=\"{}\" y=\"{at}\" dy=\"0.35em\" text-anchor=\"end\">{}</text>",
                if tick.is_zero { " nought" } else { "" },
                left - 7.0,
                tick.label
            );
        }
        let _ = writeln!(
            svg,
            "<text class=\"name\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            0.5 * (left + x_end),
            SIZE[1] - 6.0,
            escaped(&self.abscissa)
        );
        for series in &self.series {
            let path = thin::path(&series.points, &x, &y);
            let _ = writeln!(svg, "<path class=\"{}\" d=\"{path}\"/>", style(series));
        }
        svg + "</svg>\n"
    }
}

/// Classes of a curve.
fn style(series: &Series) -> String {
    format!("curve c{} d{}", series.colour % STYLES[0], series.dash % STYLES[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(scale: Scale, curves: &[&[[f64; 2]]]) -> Plot {
        let series = curves.iter().enumerate().map(|(colour, points)| Series {
            label: format!("<curve {colour}>"),
            colour,
            dash: 0,
            points: points.to_vec(),
        });
        Plot {
            title: "a & b".to_string(),
            ordinate: "J".to_string(),
            abscissa: "time, s".to_string(),
            scale,
            series: series.collect(),
        }
    }

    #[test]
    fn a_line_lies_where_it_should() {
        let html = plot(Scale::Linear, &[&[[0.0, 0.0], [1.0, 10.0]]]).figure();
        // From the lower left of the field, (82, 238), to the upper right, (508, 10).
        assert!(html.contains("d=\"M82 238L508 10\""), "{html}");
        assert!(html.contains("&lt;curve 0&gt;") && html.contains("a &amp; b"));
        assert!(!html.contains("<curve"));
    }

    #[test]
    fn nothing_zero_and_broken_values_are_told_in_words() {
        let said = |curves: &[&[[f64; 2]]]| plot(Scale::Linear, curves).figure();
        assert!(said(&[]).contains("Nothing was recorded."));
        assert!(said(&[&[]]).contains("Nothing was recorded."));
        assert!(said(&[&[[0.0, f64::NAN]]]).contains("No value is finite."));
        assert!(said(&[&[[0.0, 0.0], [1.0, 0.0]]]).contains("<b>0</b> in all 2 rows"));
        assert!(said(&[&[[0.0, 0.0]]]).contains("<b>0</b> in the one row"));
    }

    #[test]
    fn odd_ranges_give_finite_drawings() {
        let cases: [&[[f64; 2]]; 7] = [
            &[[0.0, 5.0]],
            &[[0.0, 5.0], [0.0, 5.0]],
            &[[0.0, -1e300], [1.0, 1e300]],
            &[[0.0, 1e-300], [1.0, 0.0], [2.0, 2e-300]],
            &[[0.0, 1.0], [1.0, f64::NAN], [2.0, f64::INFINITY], [3.0, 1.0]],
            &[[f64::NAN, 1.0], [2.0, 1.0]],
            &[[0.0, f64::MAX], [1.0, f64::MIN]],
        ];
        for points in cases {
            for scale in [Scale::Linear, Scale::Counts, Scale::Decades] {
                let html = plot(scale, &[points]).figure();
                assert!(html.contains("<svg class=\"plot\""), "{points:?}");
                assert!(!html.contains("NaN") && !html.contains("inf"), "{points:?} {html}");
            }
        }
    }

    #[test]
    fn colours_and_dashes_are_counted_round() {
        let points = vec![[0.0, 1.0]];
        let series = Series { label: String::new(), colour: 9, dash: 5, points };
        assert_eq!(style(&series), "curve c1 d1");
    }
}
