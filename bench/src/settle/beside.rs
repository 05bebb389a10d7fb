//! The same cubes and the same piles, ours and rapier3d's in turn.

use crate::rows::Amount;
use crate::settle::cubes::{self, CubesRow, OVERLAPS, TILTS};
use crate::settle::pile::{self, PileGoal, PileRow};
use crate::settle::rapier::{Rapier, choices};

/// Poses for each overlap at most.
const MOST_POSES: u32 = 10;

/// Piles at most.
const MOST_SEEDS: u32 = 3;

/// Our side, for a table.
const OURS: &str = "Pliant";

/// Results of both sides.
pub struct Beside {
    /// Name of a side and the results of its cubes.
    pub cubes: Vec<(String, CubesRow)>,
    /// Results of the piles of each side.
    pub piles: Vec<PileRow>,
}

/// Cubes with a small tilt, then piles of large balls.
pub fn run(amount: Amount) -> Result<Beside, String> {
    let mut all = Vec::new();
    for overlap in OVERLAPS {
        all.extend(cubes_beside([overlap, TILTS[0]], amount.poses.min(MOST_POSES))?);
    }
    Ok(Beside { cubes: all, piles: piles_beside(amount.seeds.min(MOST_SEEDS))? })
}

fn cubes_beside(place: [f64; 2], poses: u32) -> Result<Vec<(String, CubesRow)>, String> {
    let (choices, mut own) = (choices(), Vec::new());
    let mut theirs: Vec<_> = choices.iter().map(|_| Vec::new()).collect();
    for seed in 1..=poses {
        let (mut ours, mut judge) = cubes::scene(place, seed)?;
        for (choice, poses) in choices.iter().zip(&mut theirs) {
            let mut rapier = Rapier::new(&ours.built, choice)?;
            poses.push((seed, cubes::watched(&mut rapier, &mut judge, place, seed)));
        }
        own.push((seed, cubes::watched(&mut ours, &mut judge, place, seed)));
    }
    eprintln!("  overlap {}: {poses} poses", place[0]);
    let mut rows = vec![(OURS.to_string(), CubesRow::of(place, &own))];
    let named = choices.into_iter().map(|choice| choice.name);
    rows.extend(named.zip(theirs.iter().map(|poses| CubesRow::of(place, poses))));
    Ok(rows)
}

fn piles_beside(seeds: u32) -> Result<Vec<PileRow>, String> {
    let (choices, mut own) = (choices(), Vec::new());
    let mut theirs: Vec<_> = choices.iter().map(|_| Vec::new()).collect();
    for seed in 1..=seeds {
        let (mut ours, mut judge) = pile::scene(&[], seed)?;
        let times = [ours.duration(), ours.built.info.dt];
        for (choice, piles) in choices.iter().zip(&mut theirs) {
            let mut rapier = Rapier::new(&ours.built, choice)?;
            let name = format!("{}, seed {seed}", choice.name);
            piles.push((seed, pile::watched(&mut rapier, &mut judge, times, &name)));
        }
        let name = pile::reported(&[], seed);
        own.push((seed, pile::watched(&mut ours, &mut judge, times, &name)));
    }
    let mut rows = vec![PileRow::of(OURS.to_string(), PileGoal::Fast, &own)];
    let named = choices.into_iter().zip(&theirs);
    rows.extend(named.map(|(choice, piles)| PileRow::of(choice.name, PileGoal::Fast, piles)));
    Ok(rows)
}
