//! `fathom devices`: what could be measured here, and what measuring it would risk. Reads only.

use super::machine::FactSource;
use crate::args::carried;
use crate::edge::{Ready, print_document, print_ready};
use crate::failure::{Exit, Failure};
use crate::screen::Screen;
use crate::terminal::slow_look;
use clap::Args;
use fathom_device::zones::{DeviceZones, ZonedModel};
use fathom_host::devices::{DeviceList, Listed, SimulatedDevice, SimulatedZones};
use fathom_host::topology::map::aim;
use fathom_job::plan::TargetFacts;
use fathom_sim::{DriveModel, ZoneModel};
use std::collections::BTreeSet;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct DevicesArgs {
    /// Show these devices in detail; also a file or directory, for the device below it, or a
    /// simulated drive such as sim:smr
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
    let (mut simulated, mut numbers) = (Vec::new(), Vec::new());
    machine.reaches(&args.devices)?;
    for name in &args.devices {
        match crate::simulated::simulated(name) {
            Some(known) => simulated.push(simulated_device(name, &known?)),
            None => {
                numbers.extend(aim(root, name).map_err(|e| Failure::new(Exit::Usage, &e).hint(e.hint()))?)
            }
        }
    }
    // Two names may mean one device.
    let mut known = BTreeSet::new();
    numbers.retain(|number| known.insert(*number));
    let list = match args.devices.is_empty() {
        true => DeviceList::read(root, if args.all { Listed::All } else { Listed::Measurable }),
        false => DeviceList::of(root, &numbers, simulated),
    };
    list.map_err(|unknown| Failure::new(Exit::Failed, &unknown))
}

fn simulated_device(name: &str, (model, facts): &(DriveModel, TargetFacts)) -> SimulatedDevice {
    let size_bytes = facts.size.map_or(0, |size| size.0);
    let block_bytes = facts.direct_align.map_or(0, |block| block.0);
    let zones = |zones: &ZoneModel| SimulatedZones {
        device: DeviceZones {
            model: ZonedModel::HostManaged,
            size_bytes: zones.zone_bytes,
            count: u32::try_from(size_bytes / zones.zone_bytes).ok(),
            open_max: Some(zones.open_max),
            active_max: Some(zones.active_max),
            write_unit_bytes: facts.zones.and_then(|zones| u32::try_from(zones.write_unit.0).ok()),
        },
        capacity_bytes: zones.usable_bytes(),
        conventional: zones.conventional,
        reads_unwritten: zones.reads_unwritten,
    };
    SimulatedDevice {
        name: name.to_owned(),
        size_bytes,
        logical_block_bytes: block_bytes,
        zones: match model {
            DriveModel::Zoned(model) => Some(zones(&model.zones)),
            _ => None,
        },
        remarks: model.remarks().unwrap_or_default().iter().map(ToString::to_string).collect(),
    }
}
