//! One session: every case that was asked for, then the other rows, then the instructions.

use std::collections::BTreeMap;
use std::path::Path;

use super::cases::{CASES, Case, Sides};
use super::figure::{Figure, Goal, Quantity};
use super::meter::last_processor;
use super::record::{FORMAT, Machine, Record, commit, fio_version, now};
use super::rows::{Ground, ROWS, Row};
use super::side::{Run, Runs, Side, Tool};
use super::syscalls::Tracing;
use super::target::Made;
use super::{Asked, side};
use xtask::{instructions, workspace};

/// The result of a session.
pub struct Session {
    /// The figures.
    pub record: Record,
    /// What cannot be measured on this machine.
    pub not_here: Vec<String>,
    /// What went wrong.
    pub failures: Vec<String>,
}

/// Measures what was asked for, and prints as it goes.
pub fn hold(asked: &Asked) -> Result<Session, String> {
    let program = asked.program()?;
    let mut session = Session { record: empty_record(asked)?, not_here: Vec::new(), failures: Vec::new() };
    let scratch = tempfile::tempdir_in(workspace::target());
    let scratch = scratch.map_err(|e| format!("a place for the job files: {e}"))?;
    let processor = last_processor()?;
    let ours =
        if asked.fio_on_both_sides { Tool::fio(processor) } else { Tool::fathom(program.clone(), processor) };
    let contest = Contest {
        ours,
        fio: Tool::fio(processor),
        bare: bare_loop(asked, processor)?,
        pairs: asked.pairs,
        seconds: asked.seconds,
    };
    session.cases(asked, &contest, scratch.path());
    if !asked.fio_on_both_sides {
        session.rows(
            asked,
            &Ground {
                program: &program,
                fathom: &contest.ours,
                fio: &contest.fio,
                scratch: scratch.path(),
                seconds: asked.seconds,
            },
        );
        session.instructions(asked, &program)?;
    }
    session.record.date = now()?;
    Ok(session)
}

impl Session {
    fn cases(&mut self, asked: &Asked, contest: &Contest, scratch: &Path) {
        let wanted: Vec<&Case> = CASES.iter().filter(|case| asked.wants(&case.name)).collect();
        if wanted.is_empty() {
            return;
        }
        let tracing = Tracing::open();
        if let Err(reason) = &tracing {
            self.not_here.push(format!("system calls: {reason}"));
        }
        for case in wanted {
            if asked.fio_on_both_sides && case.sides != Sides::FathomFio {
                continue;
            }
            println!("\n{}: {}", case.name, case.title);
            let made = match case.target.make(scratch) {
                Ok(made) => made,
                Err(reason) => {
                    println!("  not here: {reason}");
                    self.not_here.push(format!("{}: {reason}", case.name));
                    continue;
                }
            };
            match contest.hold(case, &made, tracing.as_ref().ok(), scratch) {
                Ok(figure) => {
                    print_figure(case, &figure);
                    self.record.cases.push(figure);
                }
                Err(error) => self.fail(&case.name, &error),
            }
        }
    }

    fn rows(&mut self, asked: &Asked, ground: &Ground) {
        for (name, measure) in ROWS.iter().filter(|(name, _)| asked.wants(name)) {
            println!("\n{name}");
            match measure(ground) {
                Ok(rows) => {
                    rows.iter().for_each(Row::print);
                    self.record.rows.extend(rows);
                }
                Err(error) => self.fail(name, &error),
            }
        }
    }

    fn instructions(&mut self, asked: &Asked, program: &Path) -> Result<(), String> {
        if !asked.wants_instructions() {
            return Ok(());
        }
        let counted = instructions::survey(program, true)?;
        for case in &counted {
            match &case.ours {
                Ok(ours) => {
                    let theirs = case.theirs.as_ref().and_then(|theirs| theirs.as_ref().ok()).copied();
                    self.record.instructions.insert(case.name.to_owned(), (*ours, theirs));
                }
                Err(_) => self.failures.push(format!("instructions of {}", case.name)),
            }
        }
        if asked.accept { instructions::accept(&counted) } else { Ok(()) }
    }

    fn fail(&mut self, name: &str, error: &str) {
        println!("  failed: {error}");
        self.failures.push(name.to_owned());
    }
}

/// The loop that measures nothing, if a case that was asked for uses it.
fn bare_loop(asked: &Asked, processor: u32) -> Result<Option<Tool>, String> {
    let wanted = CASES
        .iter()
        .any(|case| matches!(case.sides, Sides::FathomBare | Sides::BareFio) && asked.wants(&case.name));
    if !wanted || asked.fio_on_both_sides {
        return Ok(None);
    }
    Ok(Some(Tool::bare(workspace::build_bare_loop()?, processor)))
}

fn empty_record(asked: &Asked) -> Result<Record, String> {
    Ok(Record {
        format: FORMAT,
        date: now()?,
        commit: commit()?,
        machine: Machine::here()?,
        fio: fio_version()?,
        pairs: asked.pairs,
        seconds: asked.seconds,
        cases: Vec::new(),
        instructions: BTreeMap::new(),
        rows: Vec::new(),
    })
}

fn print_figure(case: &Case, figure: &Figure) {
    print_quantity("IOPS", &figure.iops, case.iops);
    print_quantity("CPU, ns per I/O", &figure.cpu_ns, case.cpu);
    print_quantity("whole machine, ns per I/O", &figure.machine_ns, Goal::Open);
    if let Some((ours, theirs)) = figure.calls {
        let theirs = theirs.map_or("-".to_owned(), |calls| format!("{calls:.3}"));
        println!("  {:<27}{ours:>12.3} :{theirs:>12}", "system calls per I/O");
    }
}

fn print_quantity(name: &str, quantity: &Quantity, goal: Goal) {
    let theirs = quantity.theirs.map_or("-".to_owned(), |theirs| format!("{theirs:.0}"));
    print!("  {name:<27}{:>12.0} :{theirs:>12}", quantity.ours);
    let Some(ratio) = &quantity.ratio else {
        println!();
        return;
    };
    let interval = ratio
        .interval
        .map_or("too few pairs for an interval".to_owned(), |(low, high)| format!("{low:.3} to {high:.3}"));
    print!("   × {:.3} ({interval}; {} pairs)", ratio.value, ratio.pairs);
    match goal.judge(ratio) {
        Some(verdict) => println!("   budget {goal}: {verdict}"),
        None => println!(),
    }
}

// One case, run in pairs.

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
