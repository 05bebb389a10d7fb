//! `series.csv`: one row of numbers per recorded step.

use std::io::{self, Read};
use std::path::Path;

use pliant::record::row::SeriesRow;
use pliant_io::regular_file;

use super::cell::number_cell;

/// Numbers in a row.
pub const WIDTH: usize = SeriesRow::COLUMNS.len();

/// The first line.
pub fn heading() -> String {
    SeriesRow::COLUMNS.join(",") + "\n"
}

/// One line; every number reads back to the same f64.
pub fn line(row: &SeriesRow) -> String {
    let mut line = String::new();
    write_line(row, &mut line);
    line
}

/// The same in the place of what `line` held, whose memory is kept.
pub fn write_line(row: &SeriesRow, line: &mut String) {
    line.clear();
    for (column, value) in row.values().into_iter().enumerate() {
        if column > 0 {
            line.push(',');
        }
        number_cell(value, line);
    }
    line.push('\n');
}

/// Whether a file has the columns of this program, so that rows can be appended.
pub fn has_heading(path: &Path) -> io::Result<bool> {
    begins_with(path, &heading())
}

/// Whether a file begins with a line.
pub(super) fn begins_with(path: &Path, heading: &str) -> io::Result<bool> {
    let mut first = Vec::new();
    let file = regular_file::open(path)?;
    file.take(heading.len() as u64).read_to_end(&mut first)?;
    Ok(first == heading.as_bytes())
}

/// Reads a series back.
pub fn read(path: &Path) -> io::Result<Vec<[f64; WIDTH]>> {
    let text = regular_file::read_text(path)?;
    let bad = |number: usize| {
        let message = format!("line {number} is no row of a series");
        io::Error::new(io::ErrorKind::InvalidData, message)
    };
    let mut lines = text.lines().zip(1..);
    if lines.next().is_none_or(|(first, _)| first != heading().trim_end()) {
        return Err(bad(1));
    }
    lines.map(|(line, number)| values(line).ok_or_else(|| bad(number))).collect()
}

fn values(line: &str) -> Option<[f64; WIDTH]> {
    let values: Option<Vec<f64>> = line.split(',').map(|value| value.parse().ok()).collect();
    values?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    use pliant::math::Vec3;
    use pliant::record::overlap::Overlap;

    #[test]
    fn every_number_reads_back_to_the_same_bits() {
        let odd = [0.1, -0.0, 1e300, 5e-324, f64::MAX, 1.0 / 3.0, 9.1e15, -7.0, 1e22];
        for k in 0..odd.len() {
            let at = |j: usize| odd[(k + j) % odd.len()];
            let row = SeriesRow {
                time: at(0),
                kinetic: at(1),
                elastic: at(2),
                gravitational: at(3),
                momentum: Vec3::new(at(4), at(5), at(6)),
                angular: Vec3::new(at(7), at(8), at(0)),
                rms_speed: at(1),
                max_speed: at(2),
                overlap: Overlap { penetrating_vertices: 17, ..Overlap::default() },
                energy_input: at(3),
                unconverged: 5,
            };
            let read = values(line(&row).trim_end()).unwrap();
            assert_eq!(read.map(f64::to_bits), row.values().map(f64::to_bits));
            assert!(line(&row).contains(",17,0,0,0,"));
        }
    }

    #[test]
    fn another_file_is_no_series() {
        let path = std::env::temp_dir().join(format!("pliant-series-{}", std::process::id()));
        for (text, place) in [
            ("", "line 1 "),
            ("time,kinetic\n", "line 1 "),
            (&(heading() + "1,2\n"), "line 2 "),
            (&(heading() + &"x,".repeat(15) + "0\n"), "line 2 "),
        ] {
            fs::write(&path, text).unwrap();
            assert!(read(&path).unwrap_err().to_string().starts_with(place), "{text}");
            assert_eq!(has_heading(&path).unwrap(), place == "line 2 ", "{text}");
        }
        fs::write(&path, heading() + &line(&SeriesRow::default())).unwrap();
        assert_eq!(read(&path).unwrap(), [[0.0; WIDTH]]);
        fs::remove_file(&path).unwrap();
    }
}
