//! Cost of bodies that are added to a world of a thousand and removed from it.

use pliant::prelude::*;

use crate::timing::{Spread, once};
use crate::world::scenes::{COARSE, ball, field, spot};

/// Bodies that stay.
const RESIDENTS: usize = 1000;

/// Bodies that come and go.
const COUNT: usize = 100;

/// Times that many are added or removed at once.
const ROUNDS: usize = 5;

/// Steps before anything is measured.
const STEPS_BEFORE: usize = 30;

/// What one body may cost, amortised, s.
const GOAL: f64 = 1e-3;

/// Prints the table.
pub fn run() -> Result<(), String> {
    let wrong = |error: WorldError| error.to_string();
    let mut measured = Measured::new().map_err(wrong)?;
    let step = median(COUNT, || measured.plain_step()).map_err(wrong)?;
    println!(
        "{} soft bodies of 13 vertices at rest on a floor, {COUNT} more come and go; medians. A \
         step without changes takes {:.2} ms. Goal: {:.0} ms per body, amortised: by \
         itself and over many at once.\n",
        RESIDENTS,
        1e3 * step,
        1e3 * GOAL
    );
    println!(
        "| per body, ms | the call alone | call and `assemble` | call and step, less a step \
              | {COUNT} at once and a step, less a step | reached |"
    );
    println!("|---|---|---|---|---|---|");
    let adding = measured.adding().map_err(wrong)?;
    let removing = measured.removing().map_err(wrong)?;
    for (name, costs) in [("add", adding), ("remove", removing)] {
        let Costs { call, assembled, stepped, at_once } = costs;
        let reached = if assembled.max(at_once) <= GOAL { "yes" } else { "no" };
        let [call, assembled, stepped, at_once] =
            [call, assembled, stepped, at_once].map(|time| format!("{:.4}", 1e3 * time));
        println!("| {name} | {call} | {assembled} | {stepped} | {at_once} | {reached} |");
    }
    Ok(())
}

/// Cost of one body in different ways, s.
struct Costs {
    call: f64,
    assembled: f64,
    stepped: f64,
    at_once: f64,
}

struct Measured {
    world: World,
    ball: SoftBody,
    /// Bodies that came.
    guests: Vec<BodyHandle>,
}

impl Measured {
    fn new() -> Result<Measured, WorldError> {
        let mut world = field(RESIDENTS)?;
        for _ in 0..STEPS_BEFORE {
            world.step()?;
        }
        Ok(Measured { world, ball: ball(COARSE), guests: Vec::new() })
    }

    /// CPU time of a step in which nothing changed, s; the one after a change is left out.
    fn plain_step(&mut self) -> Result<f64, WorldError> {
        self.world.step()?;
        timed(|| self.world.step().map(drop))
    }

    /// Next to the others.
    fn add(&mut self) -> Result<(), WorldError> {
        let place = spot(RESIDENTS + self.guests.len());
        self.guests.push(self.world.add(self.ball.clone().at(place))?);
        Ok(())
    }

    fn remove(&mut self) -> Result<(), WorldError> {
        self.guests.pop().map_or(Ok(()), |guest| self.world.remove(guest))
    }

    fn settle(&mut self) -> Result<(), WorldError> {
        self.world.step()?;
        self.world.step().map(drop)
    }

    fn adding(&mut self) -> Result<Costs, WorldError> {
        self.costs(Measured::add, Measured::remove)
    }

    fn removing(&mut self) -> Result<Costs, WorldError> {
        for _ in 0..COUNT {
            self.add()?;
        }
        self.costs(Measured::remove, Measured::add)
    }

    /// Costs of a change that another one takes back.
    fn costs(
        &mut self,
        change: fn(&mut Measured) -> Result<(), WorldError>,
        undo: fn(&mut Measured) -> Result<(), WorldError>,
    ) -> Result<Costs, WorldError> {
        self.settle()?;
        let call = median(COUNT, || timed(|| change(self)))?;
        (0..COUNT).try_for_each(|_| undo(self))?;
        self.settle()?;
        let assembled = median(COUNT, || {
            timed(|| {
                change(self)?;
                self.world.assemble()
            })
        })?;
        (0..COUNT).try_for_each(|_| undo(self))?;
        self.settle()?;
        let stepped = median(COUNT, || {
            let time = timed(|| {
                change(self)?;
                self.world.step().map(drop)
            })?;
            Ok(time - self.plain_step()?)
        })?;
        (0..COUNT).try_for_each(|_| undo(self))?;
        self.settle()?;
        let at_once = median(ROUNDS, || {
            let time = timed(|| {
                (0..COUNT).try_for_each(|_| change(self))?;
                self.world.step().map(drop)
            })?;
            let more = time - self.plain_step()?;
            (0..COUNT).try_for_each(|_| undo(self))?;
            self.settle()?;
            Ok(more)
        })?;
        Ok(Costs { call, assembled, stepped, at_once: at_once / COUNT as f64 })
    }
}

fn median(
    count: usize,
    mut time: impl FnMut() -> Result<f64, WorldError>,
) -> Result<f64, WorldError> {
    let times: Result<Vec<f64>, _> = (0..count).map(|_| time()).collect();
    Ok(Spread::of(times?).median)
}

/// CPU time of work that may fail, s.
fn timed(mut work: impl FnMut() -> Result<(), WorldError>) -> Result<f64, WorldError> {
    let mut outcome = Ok(());
    let time = once(|| outcome = work());
    outcome.map(|()| time)
}

/// Adds or removes bodies one by one, each with an assembly or a step after it, for a profiler.
///
/// `none` steps without changes, for the difference.
pub fn run_alone(side: &str, count: usize) -> Result<(), String> {
    let wrong = |error: WorldError| error.to_string();
    let change = match side {
        "assemble" | "add" => Measured::add,
        "remove" => Measured::remove,
        "none" => |_: &mut Measured| Ok(()),
        _ => return Err(format!("no such side: {side}; there are: assemble, add, remove, none")),
    };
    let mut measured = Measured::new().map_err(wrong)?;
    if side == "remove" {
        (0..count).try_for_each(|_| measured.add()).map_err(wrong)?;
        (0..STEPS_BEFORE).try_for_each(|_| measured.world.step().map(drop)).map_err(wrong)?;
    }
    let run = |measured: &mut Measured| {
        change(measured)?;
        match side {
            "assemble" => measured.world.assemble(),
            _ => measured.world.step().map(drop),
        }
    };
    (0..count).try_for_each(|_| run(&mut measured)).map_err(wrong)
}
