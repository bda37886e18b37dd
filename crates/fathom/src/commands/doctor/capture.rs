//! `fathom doctor capture`: this machine as a file.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use fathom_device::Root;
use fathom_host::capture::{Redaction, record};

use crate::args::OutputArgs;
use crate::edge::Ready;
use crate::failure::{Exit, Failure, say};
use crate::place::OutputKind;
use fathom_session::outputs::InUse;

#[derive(Debug, Args)]
pub struct CaptureArgs {
    /// Devices, files or directories that will be measured; default: every real
    /// disk
    pub targets: Vec<PathBuf>,
    /// Where the capture goes.
    #[command(flatten)]
    pub output: OutputArgs,
    /// Leave serial numbers, names and addresses as they are
    #[arg(long)]
    pub keep_names: bool,
    /// Seconds between the two readings of counters
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = super::seconds)]
    pub watch: f64,
}

pub(super) fn run(args: &CaptureArgs) -> Result<Exit, Failure> {
    let in_use = InUse::default();
    let place = args.output.place(OutputKind::Capture, &in_use)?;
    let tree = record(&Root::live(), &args.targets, Duration::from_secs_f64(args.watch));
    let tree = if args.keep_names { tree } else { Redaction::default().apply(&tree) };
    let is_stdout = place.is_stdout();
    place.write(&Ready::text(&tree.to_string()))?;
    if !is_stdout {
        say(&format!("{} entries. The capture is text: read it before you send it", tree.len()));
    }
    Ok(Exit::Ok)
}
