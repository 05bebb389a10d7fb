//! Processor, load and date of a run.

use std::fs;
use std::time::SystemTime;

/// Seconds of a day.
const DAY: u64 = 86_400;

/// Name of the processor.
pub fn processor() -> String {
    let reported = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = reported.lines().find_map(|line| line.strip_prefix("model name"));
    let name = line.map(|name| name.trim_start_matches([':', ' ', '\t']).to_string());
    name.unwrap_or_else(|| "an unnamed processor".to_string())
}

/// Processor, cores and load in one line.
pub fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("{}, {cores} cores, {}", processor(), load())
}

/// How busy the machine was in the last minute.
pub fn load() -> String {
    let reported = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    reported
        .split_whitespace()
        .next()
        .map_or("load unknown".to_string(), |load| format!("load {load}"))
}

/// Today in Greenwich, year-month-day.
pub fn date() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    day(since.as_secs() / DAY)
}

/// The day that comes so many days after the first of 1970.
fn day(mut days: u64) -> String {
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    // December needs no length: the year is not over.
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_fall_on_their_dates() {
        // 30 years to 2000 have 7 leap days: 10 957; January and February of 2000 have 60.
        for (days, expected) in [
            (0, "1970-01-01"),
            (364, "1970-12-31"),
            (10_957, "2000-01-01"),
            (10_957 + 59, "2000-02-29"),
            (10_957 + 60, "2000-03-01"),
            (10_957 + 365, "2000-12-31"),
        ] {
            assert_eq!(day(days), expected);
        }
    }
}
