//! `fio-status` of Fusion-io (M-13, V-80): adapters and drives with their links,
//! capacity and temperature.

mod parse;

use super::check::{AGREEMENT, FACTS};
use super::figure::{line_with, name};
use super::kind::{Found, Part, PrintoutKind};
use crate::audit::Observation;
use crate::calc::packet::{LinkDirection, PAYLOAD_DEFAULT_BYTES};
use fathom_device::Goal::{Bandwidth, Repeatability};

use parse::LINK;
pub use parse::{Adapter, FioStatus, FioStatusDrive, PrintedLink};

pub(super) const KIND: PrintoutKind =
    PrintoutKind { program: "fio-status", called: "fio-status -a", marks: parse::is_mark, judge };

fn judge(part: &Part, _: &[Part]) -> Vec<Found> {
    let status = FioStatus::parse(&part.text);
    let mut found = Vec::new();
    for (at, adapter) in status.adapters.iter().enumerate() {
        let seen = part.seen(format!("adapter {}", name(&adapter.name)), line_with(&adapter.lines, LINK));
        if let Some(link) = adapter.link {
            let below = status.drives.iter().filter(|drive| drive.adapter == Some(at));
            let needs: Vec<f64> =
                below.filter_map(|drive| drive.link).map(|link| link.rate.raw_mbps()).collect();
            found.extend(of_link(&seen, link));
            found.extend((!needs.is_empty()).then(|| shared(seen, link, needs.iter().sum())));
        }
    }
    for drive in &status.drives {
        let seen = |word| part.seen(name(&drive.name), line_with(&drive.lines, word));
        found.extend(drive.link.iter().flat_map(|link| of_link(&seen(LINK), *link)));
        found.extend(identity(seen("Attached"), drive));
        let format = line_with(&drive.lines, "Format:");
        found.extend(capacity(seen("physical device size").with(&part.path, format), drive));
        found.extend(temperature(seen("Internal temperature:"), drive));
    }
    found.extend(number_of_drives(part, &status));
    found
}

/// What a link carries, whether the figure printed with it follows from lanes and
/// speed, and whether the link lost lanes.
fn of_link(seen: &Observation, link: PrintedLink) -> Vec<Found> {
    let (rate, raw) = (link.rate, link.rate.raw_mbps());
    let data = rate.ceiling_mbps(PAYLOAD_DEFAULT_BYTES, LinkDirection::DeviceToHost);
    let says = format!("its link carries {rate}, {raw:.0} MB/s, about {data:.0} of them data");
    let mut found = vec![("pcie.path_bw", seen.clone().info(says))];
    if rate.lanes == 1 {
        let says = "the link runs with one lane, which is a quarter of a link of four; the printout does not tell how \
                    many the card has";
        found.push(("pcie.width", seen.clone().warn_for(&[Bandwidth], says)));
    }
    if !link.is_consistent() {
        let says = format!("{:.0} MB/s is printed for the link, but {rate} carries {raw:.0}", link.mbps);
        found.push((AGREEMENT, seen.clone().warn(says)));
    }
    found
}

/// What the links of the drives on one adapter carry against the adapter's own:
/// the rule of `pcie.oversub`.
fn shared(seen: Observation, link: PrintedLink, need: f64) -> Found {
    let there = link.rate.raw_mbps();
    let says =
        format!("the drives printed below it can ask for {need:.0} MB/s, and its link carries {there:.0}");
    let seen = match need > there {
        true => seen.warn_for(&[Bandwidth, Repeatability], says),
        false => seen.ok(says),
    };
    ("pcie.oversub", seen)
}

fn identity(seen: Observation, drive: &FioStatusDrive) -> Option<Found> {
    let said = [
        (!drive.block.is_empty()).then(|| format!("/dev/{}", drive.block)),
        drive.address.map(|address| format!("at {address}")),
        drive.serial.as_ref().map(|serial| format!("serial number {serial}")),
        drive.firmware.as_ref().map(|firmware| format!("firmware {firmware}")),
    ];
    let said: Vec<String> = said.into_iter().flatten().collect();
    (!said.is_empty()).then(|| (FACTS, seen.info(name(&said.join(", ")))))
}

/// The share of its flash that the drive offers.
fn capacity(seen: Observation, drive: &FioStatusDrive) -> Option<Found> {
    let (user, physical) = (drive.user_bytes()?, drive.physical_gb?);
    let offers = format!("it offers {:.3} GB of {physical:.0} GB of flash", user as f64 / 1e9);
    Some(match drive.overprovision_percent()? {
        Ok(percent) => (FACTS, seen.info(format!("{offers}: over-provisioning {percent:.1} %"))),
        Err(e) => (AGREEMENT, seen.warn(format!("{offers}: {e}"))),
    })
}

/// The program names no limit, so there is nothing to judge it by.
fn temperature(seen: Observation, drive: &FioStatusDrive) -> Option<Found> {
    let (now, most) = drive.temperature_c?;
    let says = format!("{now:.1} °C, and {most:.1} °C at most so far; the printout names no limit");
    Some(("nvme.temp", seen.info(says)))
}

/// How many drives there are, and how many are printed in full.
fn number_of_drives(part: &Part, status: &FioStatus) -> Option<Found> {
    let (found, printed) = (status.drives_found?, status.drives.len());
    let line = part.text.lines().find(|line| line.trim().starts_with("Found ")).unwrap_or_default();
    let says = match usize::try_from(found) == Ok(printed) {
        true => format!("{found} drives were found, and each is printed"),
        false => format!("{found} drives were found; printed in full: {printed}"),
    };
    Some((FACTS, part.seen("fio-status", line.trim()).info(says)))
}
