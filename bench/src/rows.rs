//! Benchmarks made of rows: each has a name, and prints a table of its own.

use std::sync::Mutex;

use crate::machine::{date, load, processor};

/// How much is run.
#[derive(Clone, Copy)]
pub struct Amount {
    /// Poses of two cubes for each kind of start.
    pub poses: u32,
    /// Piles of each kind.
    pub seeds: u32,
    /// Runs side by side; each is timed by the CPU time of its own thread.
    pub jobs: u32,
    /// Simulated time of rows that can be cut short, s; that of their scenes when left out.
    pub seconds: Option<f64>,
}

/// A row by its name, which runs it and prints its table.
pub type Row = (&'static str, fn(Amount) -> Result<(), String>);

/// Prints the tables of some rows, or of all.
///
/// `amount` is the default; `--poses N`, `--seeds N`, `--jobs N` and `--seconds S` override it.
pub fn run(rows: &[Row], mut amount: Amount, arguments: &[&str]) -> Result<(), String> {
    let (mut wanted, mut rest) = (Vec::new(), arguments.iter());
    while let Some(argument) = rest.next() {
        match *argument {
            "--poses" => amount.poses = count(argument, rest.next())?,
            "--seeds" => amount.seeds = count(argument, rest.next())?,
            "--jobs" => amount.jobs = count(argument, rest.next())?,
            "--seconds" => amount.seconds = Some(seconds(rest.next())?),
            name => wanted.push(row(rows, name)?),
        }
    }
    println!("{}, {}, {}; CPU time, one thread unless said.", processor(), date(), load());
    let chosen = if wanted.is_empty() { rows } else { &wanted };
    for (name, measure) in chosen {
        eprintln!("{name} …");
        println!("\n#### {name}\n");
        measure(amount)?;
    }
    Ok(())
}

fn seconds(value: Option<&&str>) -> Result<f64, String> {
    let number = value.and_then(|value| value.parse().ok());
    let number = number.filter(|number: &f64| *number > 0.0 && number.is_finite());
    number.ok_or_else(|| "--seconds takes a number above 0".to_owned())
}

/// The number above 0 that an option takes.
pub fn count(option: &str, value: Option<&&str>) -> Result<u32, String> {
    let number = value.and_then(|value| value.parse().ok()).filter(|number| *number > 0);
    number.ok_or_else(|| format!("{option} takes a number above 0"))
}

fn row(rows: &[Row], name: &str) -> Result<Row, String> {
    let known = rows.iter().find(|(known, _)| *known == name).copied();
    let names = || rows.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    known.ok_or_else(|| format!("no such row: {name}; there are: {}", names()))
}

/// What `run` makes of each item, in their order; as many at a time as there are jobs.
pub fn side_by_side<T: Copy + Sync, R: Send>(
    jobs: u32,
    items: &[T],
    run: impl Fn(T) -> Result<R, String> + Sync,
) -> Result<Vec<R>, String> {
    let next = Mutex::new(items.iter().enumerate());
    let take = || next.lock().ok().and_then(|mut items| items.next());
    // After an error nothing new is begun.
    let end = || drop(next.lock().map(|mut items| items.by_ref().for_each(drop)));
    let mut made: Vec<(usize, R)> = Vec::new();
    std::thread::scope(|scope| {
        let work = || {
            let mut own = Vec::new();
            while let Some((place, item)) = take() {
                own.push((place, run(*item).inspect_err(|_| end())?));
            }
            Ok::<_, String>(own)
        };
        let workers = (jobs as usize).min(items.len());
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            made.extend(worker.join().map_err(|_| "a run panicked".to_owned())??);
        }
        Ok::<(), String>(())
    })?;
    made.sort_by_key(|(place, _)| *place);
    Ok(made.into_iter().map(|(_, made)| made).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_side_by_side_comes_back_in_order() {
        let items: Vec<u32> = (0..50).collect();
        for jobs in [1, 7] {
            let squares = side_by_side(jobs, &items, |k| Ok(k * k)).unwrap();
            assert!(squares.iter().zip(&items).all(|(square, k)| *square == k * k));
        }
        let refused = side_by_side(3, &items, |k| if k == 9 { Err("9".into()) } else { Ok(k) });
        assert_eq!(refused, Err("9".to_owned()));
    }
}
