//! One case, run in pairs.

use std::path::Path;

use super::cases::{Case, Sides};
use super::figure::{Figure, Quantity};
use super::side;
use super::side::{Run, Runs, Side, Tool};
use super::syscalls::Tracing;
use super::target::Made;

/// If the hypervisor took more than this share of the processor from a run, the pair is run again.
const STEAL_MAX: f64 = 0.01;

/// The tools that may take part, and how long they run.
pub struct Contest {
    /// fathom, or fio to compare it with itself.
    pub ours: Tool,
    /// fio.
    pub fio: Tool,
    /// The loop that measures nothing, if a case uses it.
    pub bare: Option<Tool>,
    /// Pairs of runs for each case.
    pub pairs: u64,
    /// Length of each run.
    pub seconds: u64,
}

impl Contest {
    /// Runs the case on a target that is there.
    pub fn hold(
        &self,
        case: &Case,
        made: &Made,
        tracing: Option<&Tracing>,
        scratch: &Path,
    ) -> Result<Figure, String> {
        let (first, second) = self.tools(case.sides)?;
        let side = |tool| Side::new(tool, case, made, self.seconds, scratch);
        let (mut ours, mut theirs) = (side(first)?, second.map(side).transpose()?);
        let count = |tracing: &Tracing, tool: &Tool| {
            let text = |length| side::text(case, &made.lines, tool.is_fio, length);
            tracing.per_io(tool, text, scratch)
        };
        let calls = match tracing {
            Some(tracing) => {
                Some((count(tracing, first)?, second.map(|tool| count(tracing, tool)).transpose()?))
            }
            None => None,
        };
        self.run_pairs(&mut ours, theirs.as_mut(), made, scratch)?;
        let theirs = theirs.as_ref().map(|side| &side.runs);
        Ok(Figure {
            name: case.name.clone(),
            iops: quantity(&ours.runs, theirs, |runs| &runs.iops),
            cpu_ns: quantity(&ours.runs, theirs, |runs| &runs.cpu_ns),
            machine_ns: quantity(&ours.runs, theirs, |runs| &runs.machine_ns),
            calls,
        })
    }

    fn tools(&self, sides: Sides) -> Result<(&Tool, Option<&Tool>), String> {
        let bare = || self.bare.as_ref().ok_or("the bare loop was not built");
        Ok(match sides {
            Sides::FathomFio => (&self.ours, Some(&self.fio)),
            Sides::Fathom => (&self.ours, None),
            Sides::FathomBare => (&self.ours, Some(bare()?)),
            Sides::BareFio => (bare()?, Some(&self.fio)),
        })
    }

    /// Runs until enough pairs are clean, at most twice as many as asked.
    fn run_pairs(
        &self,
        ours: &mut Side,
        mut theirs: Option<&mut Side>,
        made: &Made,
        scratch: &Path,
    ) -> Result<(), String> {
        let second = theirs.as_ref().map_or("-", |theirs| theirs.name());
        println!("{:>4}  {:>14}  {second:>14}  {:>6}", "pair", ours.name(), "ratio");
        let mut tried = 0;
        while (ours.runs.iops.len() as u64) < self.pairs && tried < 2 * self.pairs {
            tried += 1;
            // A B, then B A, so that a machine that warms up or slows down favours neither.
            let ours_first = tried % 2 == 1;
            let (a, b) = match &theirs {
                None => (ours.run(made, scratch)?, None),
                Some(theirs) if ours_first => {
                    let a = ours.run(made, scratch)?;
                    (a, Some(theirs.run(made, scratch)?))
                }
                Some(theirs) => {
                    let b = theirs.run(made, scratch)?;
                    (ours.run(made, scratch)?, Some(b))
                }
            };
            print_pair(tried, &a, b.as_ref());
            if [Some(&a), b.as_ref()].into_iter().flatten().any(|run| run.used.steal > STEAL_MAX) {
                println!("      the hypervisor took more than {:.0} %: again", STEAL_MAX * 100.0);
                continue;
            }
            ours.add(&a);
            if let (Some(theirs), Some(b)) = (&mut theirs, &b) {
                theirs.add(b);
            }
        }
        match ours.runs.iops.len() {
            0 => Err(format!("all {tried} pairs were lost to steal: this machine cannot tell now")),
            _ => Ok(()),
        }
    }
}

fn quantity(ours: &Runs, theirs: Option<&Runs>, pick: fn(&Runs) -> &Vec<f64>) -> Quantity {
    Quantity::from_runs(pick(ours), theirs.map_or(&[], |runs| pick(runs)))
}

fn print_pair(number: u64, ours: &Run, theirs: Option<&Run>) {
    match theirs {
        Some(theirs) => println!(
            "{number:>4}  {:>9.0} IOPS  {:>9.0} IOPS  {:>6.3}",
            ours.iops,
            theirs.iops,
            ours.iops / theirs.iops
        ),
        None => println!("{number:>4}  {:>9.0} IOPS", ours.iops),
    }
}
