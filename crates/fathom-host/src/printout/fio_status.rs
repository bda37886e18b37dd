//! `fio-status` of Fusion-io (M-13, V-80): adapters and drives with their links,
//! capacity and temperature.

mod parse;

use std::collections::BTreeMap;

use super::check::{AGREEMENT, FACTS};
use super::figure::{line_with, name};
use super::kind::{Found, Part, PrintoutKind};
use crate::audit::Observation;
use crate::calc::packet::{LinkDirection, PAYLOAD_DEFAULT_BYTES};
use fathom_device::Goal::{Bandwidth, Repeatability};

pub use parse::{Adapter, FioStatus, FioStatusDrive, PrintedLink};

pub(super) const KIND: PrintoutKind =
    PrintoutKind { program: "fio-status", called: "fio-status -a", marks: parse::is_mark, judge };

/// Before a link, of an adapter or of a drive.
const LINK: &str = "PCIe negotiated link:";

fn judge(part: &Part, _: &[Part]) -> Vec<Found> {
    let status = FioStatus::parse(&part.text);
    let mut found = Vec::new();
    for adapter in &status.adapters {
        let subject = format!("adapter {}", name(&adapter.name));
        found.extend(adapter.link.iter().flat_map(|link| of_link(part, &subject, &adapter.lines, *link)));
    }
    for drive in &status.drives {
        let links = drive.link.iter().flat_map(|link| of_link(part, &subject(drive), &drive.lines, *link));
        found.extend(links);
        found.extend(
            [identity(part, drive), capacity(part, drive), temperature(part, drive)].into_iter().flatten(),
        );
    }
    found.extend(shared(part, &status));
    found.extend(number_of_drives(part, &status));
    found
}

fn subject(drive: &FioStatusDrive) -> String {
    name(&drive.name)
}

fn seen_of(part: &Part, drive: &FioStatusDrive, word: &str) -> Observation {
    Observation::on(subject(drive)).with(&part.path, line_with(&drive.lines, word))
}

/// What a link carries, whether the figure printed with it follows from lanes and
/// speed, and whether the link lost lanes.
fn of_link(part: &Part, subject: &str, lines: &[String], link: PrintedLink) -> Vec<Found> {
    let seen = || Observation::on(subject).with(&part.path, line_with(lines, LINK));
    let (rate, raw) = (link.rate, link.rate.raw_mbps());
    let data = rate.ceiling_mbps(PAYLOAD_DEFAULT_BYTES, LinkDirection::DeviceToHost);
    let says = format!("its link carries {rate}, {raw:.0} MB/s, about {data:.0} of them data");
    let mut found = vec![Found::of("pcie.path_bw", seen().info(says))];
    if rate.lanes == 1 {
        let says = "the link runs with one lane, which is a quarter of a link of four; the printout does not tell how \
                    many the card has";
        found.push(Found::of("pcie.width", seen().warn_for(&[Bandwidth], says)));
    }
    if !link.is_consistent() {
        let says = format!("{:.0} MB/s is printed for the link, but {rate} carries {raw:.0}", link.mbps);
        found.push(Found::of(AGREEMENT, seen().warn(says)));
    }
    found
}

/// The links of the drives on one adapter against the adapter's own: the rule
/// of `pcie.oversub`.
fn shared(part: &Part, status: &FioStatus) -> Vec<Found> {
    let mut needs: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for drive in &status.drives {
        if let (Some(adapter), Some(link)) = (drive.adapter, drive.link) {
            needs.entry(adapter).or_default().push(link.rate.raw_mbps());
        }
    }
    let one = |(at, needs): (usize, Vec<f64>)| {
        let adapter = &status.adapters[at];
        let there = adapter.link?.rate.raw_mbps();
        let need: f64 = needs.iter().sum();
        let seen = Observation::on(format!("adapter {}", name(&adapter.name)));
        let seen = seen.with(&part.path, line_with(&adapter.lines, LINK));
        let says = format!(
            "the drives printed below it can ask for {need:.0} MB/s, and its link carries {there:.0}"
        );
        let goals = [Bandwidth, Repeatability];
        Some(Found::of(
            "pcie.oversub",
            match need > there {
                true => seen.warn_for(&goals, says),
                false => seen.ok(says),
            },
        ))
    };
    needs.into_iter().filter_map(one).collect()
}

fn identity(part: &Part, drive: &FioStatusDrive) -> Option<Found> {
    let said = [
        (!drive.block.is_empty()).then(|| format!("/dev/{}", drive.block)),
        drive.address.map(|address| format!("at {address}")),
        drive.serial.as_ref().map(|serial| format!("serial number {serial}")),
        drive.firmware.as_ref().map(|firmware| format!("firmware {firmware}")),
    ];
    let said: Vec<String> = said.into_iter().flatten().collect();
    let seen = seen_of(part, drive, "Attached");
    (!said.is_empty()).then(|| Found::of(FACTS, seen.info(name(&said.join(", ")))))
}

/// The share of its flash that the drive offers.
fn capacity(part: &Part, drive: &FioStatusDrive) -> Option<Found> {
    let (user, physical) = (drive.user_bytes()?, drive.physical_gb?);
    let seen =
        seen_of(part, drive, "physical device size").with(&part.path, line_with(&drive.lines, "Format:"));
    let offers = format!("it offers {:.3} GB of {physical:.0} GB of flash", user as f64 / 1e9);
    Some(match drive.overprovision_percent()? {
        Ok(percent) => Found::of(FACTS, seen.info(format!("{offers}: over-provisioning {percent:.1} %"))),
        Err(e) => {
            let says = format!("{offers}: {e}");
            Found::of(AGREEMENT, seen.warn(says))
        }
    })
}

/// The program names no limit, so there is nothing to judge it by.
fn temperature(part: &Part, drive: &FioStatusDrive) -> Option<Found> {
    let (now, most) = drive.temperature_c?;
    let says = format!("{now:.1} °C, and {most:.1} °C at most so far; the printout names no limit");
    Some(Found::of("nvme.temp", seen_of(part, drive, "Internal temperature:").info(says)))
}

/// How many drives there are, and how many are printed in full.
fn number_of_drives(part: &Part, status: &FioStatus) -> Option<Found> {
    let (found, printed) = (status.drives_found?, status.drives.len());
    let line = part.text.lines().find(|line| line.trim().starts_with("Found ")).unwrap_or_default();
    let seen = Observation::on("fio-status").with(&part.path, line.trim());
    let says = match usize::try_from(found) == Ok(printed) {
        true => format!("{found} drives were found, and each is printed"),
        false => format!("{found} drives were found; printed in full: {printed}"),
    };
    Some(Found::of(FACTS, seen.info(says)))
}
