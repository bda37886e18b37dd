//! `fathom topology`: from a target to the CPU, with need against capacity at
//! every hop. Reads only.

use super::machine::FactSource;
use crate::args::carried;
use crate::edge::{Ready, print_document, print_ready};
use crate::failure::{Exit, Failure, print};
use crate::screen::Screen;
use crate::simulated::refuse_simulated;
use crate::terminal::slow_look;
use clap::Args;
use fathom_host::topology::{MapError, MapRequest, Topology, svg, text};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct TopologyArgs {
    /// Devices, files or directories; default: every disk
    #[arg(value_parser = carried())]
    pub targets: Vec<String>,
    /// What to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: MapForm,
    /// Print one JSON document; the same as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Rate of a drive by its datasheet, such as nvme0n1=3500 (MB/s); a drive
    /// without it counts as needing all that its link carries
    #[arg(long, value_name = "DISK=MBPS", value_parser = rate)]
    pub need: Vec<(String, f64)>,
    /// A recorded machine: a file of its text form, or a directory with its
    /// sys and proc
    #[arg(long, value_name = "FILE_OR_DIR")]
    pub root: Option<PathBuf>,
}

/// Forms of the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum MapForm {
    /// Text for people.
    Text,
    /// JSON for programs: `fathom.topology/1`.
    Json,
    /// A picture in SVG.
    Svg,
}

pub fn run(args: &TopologyArgs) -> Result<Exit, Failure> {
    refuse_simulated(args.targets.iter().map(String::as_str), "no disk, bus or CPU is under it")?;
    let machine = FactSource::open(args.root.as_deref())?;
    let request =
        MapRequest { targets: args.targets.clone(), datasheet_mbps: args.need.iter().cloned().collect() };
    machine.reaches(&args.targets)?;
    let map = slow_look().at_all(&args.targets, || Topology::read(machine.root(), &request));
    let map = map.map_err(failure)?;
    match args.format {
        _ if args.json => print_document(&map)?,
        MapForm::Text => print_ready(&Ready::painted(&text::text(&map, Screen::stdout().style)))?,
        MapForm::Svg => print(&svg::svg(&map))?,
        MapForm::Json => print_document(&map)?,
    }
    Ok(Exit::Ok)
}

fn failure(error: MapError) -> Failure {
    let failure = Failure::new(
        if matches!(error, MapError::Unreadable(_)) { Exit::Failed } else { Exit::Usage },
        &error,
    );
    match error {
        MapError::Aim(aim) => failure.hint(aim.hint()),
        MapError::NoDisk(_) => failure.hint("--need takes a kernel name such as nvme0n1"),
        MapError::Unreadable(_) => failure,
    }
}

fn rate(text: &str) -> Result<(String, f64), String> {
    let parsed = text.split_once('=').and_then(|(disk, rate)| {
        let rate = rate.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate > 0.0)?;
        (!disk.is_empty()).then(|| (disk.to_owned(), rate))
    });
    parsed.ok_or_else(|| "give DISK=MBPS, such as nvme0n1=3500".to_owned())
}
