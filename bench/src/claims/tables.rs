//! Tables, ready for the book.

/// Prints one table.
pub fn print(head: &[&str], rows: &[Vec<String>]) {
    begin(head);
    rows.iter().for_each(|row| go_on(row));
}

/// Begins a table whose rows come one by one, as slow ones do.
pub fn begin(head: &[&str]) {
    println!("| {} |", head.join(" | "));
    println!("|{}", "---|".repeat(head.len()));
}

/// Prints one more row.
pub fn go_on(row: &[String]) {
    println!("| {} |", row.join(" | "));
}

/// So many of so many.
pub fn of(count: usize, all: usize) -> String {
    format!("{count} of {all}")
}

/// The middle of some numbers; 0 when there are none.
pub fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = numbers.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// The largest of some numbers; 0 when there are none.
pub fn largest(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.fold(0.0, f64::max)
}
