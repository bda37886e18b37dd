//! One session: every case that was asked for, then the other rows, then the instructions.

use std::collections::BTreeMap;
use std::path::Path;

use super::Asked;
use super::cases::{CASES, Case, Sides};
use super::contest::Contest;
use super::figure::{Figure, Goal, Quantity};
use super::meter::last_processor;
use super::record::{FORMAT, Machine, Record, commit, fio_version, now};
use super::rows::{Ground, ROWS, Row};
use super::side::Tool;
use super::syscalls::Tracing;
use crate::{instructions, workspace};

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
