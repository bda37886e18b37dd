//! One random stack: drawn from a seed, built, asked about, and made smaller if it fails.

use std::fmt;

use crate::dice::Dice;
use crate::image::Images;
use crate::inquiry::inquire;
use crate::steps::{STEPS, Step, draw, first};
use crate::tally::Tally;
use crate::world::World;

/// What is to be done. Each step has dice of its own, so that it can be left out without changing
/// the choices of the others.
#[derive(Clone)]
pub struct Plan {
    seed: u64,
    /// There is little to ask about where nothing is mounted.
    begins_mounted: bool,
    steps: Vec<Dice>,
    /// The kind of the last step: every kind has its turn, the rare ones too.
    turn: usize,
}

/// Larger stacks are asked about in part, or the time goes into few of them.
const PATHS: usize = 12;

/// How many kinds of steps are tried before one is left out: many need something that is not there.
const TRIES: usize = 6;

/// A stack about which the guard is wrong, or the oracle.
pub struct Failure {
    seed: u64,
    story: Vec<String>,
    wrong: Vec<String>,
}

impl Plan {
    pub fn draw(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let (begins_mounted, steps) = (!dice.one_in(5), 3 + dice.below(9));
        let turn = usize::try_from(seed % STEPS.len() as u64).expect("less than the number of steps");
        let steps = (0..steps).map(|_| Dice::new(dice.roll())).collect();
        Self { seed, begins_mounted, steps, turn }
    }

    /// Builds the stack and asks about it.
    pub fn run(&self, images: &Images) -> Result<Tally, Failure> {
        let mut tally = Tally { stacks: 1, ..Tally::default() };
        let mut world = World::new(images).expect("an empty stack can be made");
        if self.begins_mounted {
            take(first(), &mut world, &mut Dice::new(self.seed), &mut tally);
        }
        for dice in &self.steps {
            let mut dice = dice.clone();
            (0..TRIES).any(|_| take(&STEPS[draw(&mut dice)], &mut world, &mut dice, &mut tally));
        }
        let (turn, mut dice) = (&STEPS[self.turn], Dice::new(self.seed));
        (0..TRIES).any(|_| take(turn, &mut world, &mut dice, &mut tally));
        let wrong = inquire(&mut world, PATHS, &mut Dice::new(self.seed), &mut tally);
        match wrong.is_empty() {
            true => Ok(tally),
            false => Err(Failure { seed: self.seed, story: std::mem::take(&mut world.story), wrong }),
        }
    }

    /// Leaves out every step without which the stack still fails.
    pub fn shrink(mut self, images: &Images, mut failure: Failure) -> Failure {
        for at in (0..self.steps.len()).rev() {
            let mut smaller = self.clone();
            smaller.steps.remove(at);
            if let Err(still) = smaller.run(images) {
                (self, failure) = (smaller, still);
            }
        }
        failure
    }
}

/// Takes the step if it can be taken.
fn take(step: &Step, world: &mut World, dice: &mut Dice, tally: &mut Tally) -> bool {
    let done = (step.act)(world, dice).is_ok();
    if done {
        tally.count_step(step.name);
    }
    done
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "The stack of seed {}, without the steps that do not matter:", self.seed)?;
        self.story.iter().try_for_each(|step| writeln!(f, "    {step}"))?;
        writeln!(f, "Wrong about it:")?;
        self.wrong.iter().try_for_each(|wrong| writeln!(f, "    {wrong}"))
    }
}
