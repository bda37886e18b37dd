//! `fathom doctor capture`: this machine as a file.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use fathom_host::Root;
use fathom_host::capture::{Redaction, record};

use crate::commands::output::Place;
use crate::failure::{Exit, Failure, print, say};

/// `fathom doctor capture`.
#[derive(Debug, Args)]
pub struct CaptureArgs {
    /// Devices, files or directories that matter; default: every real disk
    pub targets: Vec<PathBuf>,
    /// Write it to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Leave serial numbers, names and addresses as they are
    #[arg(long)]
    pub keep_names: bool,
    /// Seconds between the two readings of counters
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = super::seconds)]
    pub watch: f64,
}

pub(super) fn run(args: &CaptureArgs) -> Result<Exit, Failure> {
    let place = args.output.as_deref().map(Place::of).transpose()?;
    let tree = record(&Root::live(), &args.targets, Duration::from_secs_f64(args.watch));
    let tree = if args.keep_names { tree } else { Redaction::default().apply(&tree) };
    let text = tree.to_string();
    match place {
        None => print(&text)?,
        Some(place) => {
            place.write(&text)?;
            say(&format!("{} entries. It is text: look it through before you send it", tree.len()));
        }
    }
    Ok(Exit::Ok)
}
