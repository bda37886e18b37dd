//! `fathom devices`: what could be measured here, and what measuring it would risk. Reads only.

use super::machine::FactSource;
use crate::args::carried;
use crate::edge::{Ready, print_document, print_ready};
use crate::failure::{Exit, Failure};
use crate::screen::Screen;
use crate::terminal::slow_look;
use clap::Args;
use fathom_host::devices::{DeviceList, Listed};
use fathom_host::topology::map::aim;
use std::collections::BTreeSet;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct DevicesArgs {
    /// Show these devices in detail; also a file or directory, for the device below it
    #[arg(value_name = "DEVICE", value_parser = carried())]
    pub devices: Vec<String>,
    /// Also list what is seldom measured: empty loop devices, RAM disks, optical drives,
    /// read-only images
    #[arg(long, conflicts_with = "devices")]
    pub all: bool,
    /// Print one JSON document (fathom.devices/1)
    #[arg(long)]
    pub json: bool,
    /// A recorded machine: a file of `doctor capture`, or a directory with its sys and proc
    #[arg(long, value_name = "FILE_OR_DIR")]
    pub root: Option<PathBuf>,
}

pub fn run(args: &DevicesArgs) -> Result<Exit, Failure> {
    let machine = FactSource::open(args.root.as_deref())?;
    let list = slow_look().at_all(&args.devices, || read(&machine, args))?;
    let style = Screen::stdout().style;
    match args.devices.is_empty() {
        _ if args.json => print_document(&list)?,
        true => print_ready(&Ready::painted(&list.to_text(style)))?,
        false => print_ready(&Ready::painted(&list.to_detailed_text(style)))?,
    }
    Ok(Exit::Ok)
}

fn read(machine: &FactSource, args: &DevicesArgs) -> Result<DeviceList, Failure> {
    let root = machine.root();
    machine.reaches(&args.devices)?;
    let mut numbers = Vec::new();
    for name in &args.devices {
        let found = aim(root, name).map_err(|e| Failure::new(Exit::Usage, &e).hint(e.hint()))?;
        numbers.extend(found);
    }
    // Two names may mean one device.
    let mut known = BTreeSet::new();
    numbers.retain(|number| known.insert(*number));
    let list = match numbers.is_empty() {
        true => DeviceList::read(root, if args.all { Listed::All } else { Listed::Measurable }),
        false => DeviceList::of(root, &numbers),
    };
    list.map_err(|unknown| Failure::new(Exit::Failed, &unknown))
}
