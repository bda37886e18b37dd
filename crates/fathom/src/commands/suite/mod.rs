//! `fathom suite`: lists suites, shows and copies them, checks them for a target, runs them, and puts their tables side by side.
//!
//! A suite is a file that says what to measure, in which order, after which preparation, and which tables come out. fathom brings
//! some; `suite new` begins another. Running one is a procedure: after Ctrl-C, a crash or a reboot `fathom resume` goes on.

mod chosen;
mod plan;
pub mod run;
mod tables;

use crate::args::OutputArgs;
use crate::edge::{Ready, print_document};
use crate::failure::{Exit, Failure, print};
use crate::place::OutputKind;
use chosen::{known_names, text_of};
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use fathom_procedures::suite::{ListedSuite, SuitesDocument};
use fathom_session::outputs::InUse;
use fathom_text::table;

#[derive(Debug, Args)]
pub struct SuiteArgs {
    /// What to do.
    #[command(subcommand)]
    pub act: SuiteAct,
}

#[derive(Debug, Subcommand)]
pub enum SuiteAct {
    /// List the suites that fathom brings
    List(SuiteListArgs),
    /// Print the text of a suite
    Show(SuiteShowArgs),
    /// Begin a suite of your own
    New(SuiteNewArgs),
    /// Check that every cell can run on these targets, and say what the suite would do
    Check(run::SuiteCheckArgs),
    /// Run a suite
    Run(Box<run::SuiteRunArgs>),
    /// Put the tables of several runs of one suite side by side
    Tables(tables::SuiteTablesArgs),
}

#[derive(Debug, Args)]
pub struct SuiteListArgs {
    /// Print one JSON document (its schema: fathom schema suites)
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct SuiteShowArgs {
    /// The name of a suite
    #[arg(value_name = "SUITE", value_parser = PossibleValuesParser::new(known_names()))]
    pub suite: String,
}

#[derive(Debug, Args)]
pub struct SuiteNewArgs {
    /// Begin with a copy of this suite [default: a small one that says what can be in it]
    #[arg(long, value_name = "SUITE", value_parser = PossibleValuesParser::new(known_names()))]
    pub from: Option<String>,
    /// Where it goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The suite that `suite new` begins with.
const TEMPLATE: &str = include_str!("template.toml");

pub fn run(args: &SuiteArgs) -> Result<Exit, Failure> {
    match &args.act {
        SuiteAct::List(args) => list(args),
        SuiteAct::Show(args) => print(text_of(&args.suite)).map(|()| Exit::Ok),
        SuiteAct::New(args) => new(args),
        SuiteAct::Check(args) => run::check(args),
        SuiteAct::Run(args) => run::run(args),
        SuiteAct::Tables(args) => tables::tables(args),
    }
}

fn list(args: &SuiteListArgs) -> Result<Exit, Failure> {
    let all = SuitesDocument::of_this_fathom().map_err(|why| Failure::new(Exit::Failed, why))?;
    if args.json {
        return print_document(&all).map(|()| Exit::Ok);
    }
    let rows = |suite: &ListedSuite| {
        let kind = if suite.kind == "shape" { "shape of" } else { "after" };
        let about = format!("{kind} {}; {}", suite.source, suite.targets);
        [vec![suite.name.clone(), suite.title.clone()], vec![String::new(), about]]
    };
    let lines = table::lines(&all.suites.iter().flat_map(rows).collect::<Vec<_>>());
    print(&(lines.join("\n") + "\n")).map(|()| Exit::Ok)
}

fn new(args: &SuiteNewArgs) -> Result<Exit, Failure> {
    let in_use = InUse::default();
    let place = args.output.place(OutputKind::Suite, &in_use)?;
    let text = args.from.as_deref().map_or(TEMPLATE, text_of);
    place.write(&Ready::text(text)).map(|()| Exit::Ok)
}
