//! The same cubes and the same piles, ours and rapier3d's in turn.

use crate::settle::Amount;
use crate::settle::cubes::{self, CubesRow, OVERLAPS, TILTS};
use crate::settle::pile::{self, PileGoal, PileRow};
use crate::settle::rapier::{Rapier, Solver};

/// Poses for each overlap at most, count.
const MOST_POSES: u32 = 10;

/// Piles at most, count.
const MOST_SEEDS: u32 = 3;

/// Solvers of the peer.
const SOLVERS: [Solver; 2] = [Solver::Constraints, Solver::Fem];

/// Who made a row.
pub const OURS: &str = "Pliant";

/// What both sides gave.
pub struct Beside {
    /// Side and what its cubes did.
    pub cubes: Vec<(&'static str, CubesRow)>,
    /// What the piles of each side did.
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

fn cubes_beside(place: [f64; 2], poses: u32) -> Result<Vec<(&'static str, CubesRow)>, String> {
    let mut sides = [(); 1 + SOLVERS.len()].map(|()| Vec::new());
    for seed in 1..=poses {
        let (mut ours, mut judge) = cubes::scene(place, seed)?;
        for (solver, poses) in SOLVERS.into_iter().zip(&mut sides[1..]) {
            let mut rapier = Rapier::new(&ours.built, solver)?;
            poses.push((seed, cubes::watched(&mut rapier, &mut judge, place, seed)));
        }
        sides[0].push((seed, cubes::watched(&mut ours, &mut judge, place, seed)));
    }
    eprintln!("  overlap {}: {poses} poses", place[0]);
    let names = [OURS].into_iter().chain(SOLVERS.map(Solver::name));
    Ok(names.zip(sides.iter().map(|poses| CubesRow::of(place, poses))).collect())
}

fn piles_beside(seeds: u32) -> Result<Vec<PileRow>, String> {
    let mut sides = [(); 1 + SOLVERS.len()].map(|()| Vec::new());
    for seed in 1..=seeds {
        let (mut ours, mut judge) = pile::scene(&[], seed)?;
        let times = [ours.duration(), ours.built.info.dt];
        for (solver, piles) in SOLVERS.into_iter().zip(&mut sides[1..]) {
            let mut rapier = Rapier::new(&ours.built, solver)?;
            let name = format!("{}, seed {seed}", solver.name());
            piles.push((seed, pile::watched(&mut rapier, &mut judge, times, &name)));
        }
        let name = pile::told(&[], seed);
        sides[0].push((seed, pile::watched(&mut ours, &mut judge, times, &name)));
    }
    let names = [OURS].into_iter().chain(SOLVERS.map(Solver::name));
    let row = |(name, piles): (&str, &Vec<_>)| PileRow::of(name.to_string(), PileGoal::Fast, piles);
    Ok(names.zip(&sides).map(row).collect())
}
