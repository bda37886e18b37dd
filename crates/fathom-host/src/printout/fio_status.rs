//! `fio-status` of Fusion-io (docs/guide-index.md: M-13, V-80): adapters and drives with their links,
//! capacity and temperature.

use super::{AGREEMENT, FACTS, Part, PrintoutFinding, PrintoutKind, after, line_with, name, number};
use crate::audit::Observation;
use crate::calc::capacity;
use crate::calc::capacity::OverprovisionError;
use crate::calc::pcie::{Generation, LinkDirection, LinkRate, PAYLOAD_DEFAULT_BYTES};
use crate::topology::address::Address;
use fathom_device::Goal::{Bandwidth, Repeatability};
use fathom_text::quantity::{megabytes, percent_with};

pub(super) const KIND: PrintoutKind =
    PrintoutKind { program: "fio-status", called: "fio-status -a", marks: is_mark, judge };

fn judge(part: &Part, _: &[Part]) -> Vec<PrintoutFinding> {
    let status = FioStatus::parse(&part.text);
    let mut findings = Vec::new();
    for (at, adapter) in status.adapters.iter().enumerate() {
        let observation =
            part.observation(format!("adapter {}", name(&adapter.name)), line_with(&adapter.lines, LINK));
        if let Some(link) = adapter.link {
            let below = status.drives.iter().filter(|drive| drive.adapter == Some(at));
            let needs: Vec<f64> =
                below.filter_map(|drive| drive.link).map(|link| link.rate.raw_mbps()).collect();
            findings.extend(of_link(&observation, link));
            findings.extend((!needs.is_empty()).then(|| shared(observation, link, needs.iter().sum())));
        }
    }
    for drive in &status.drives {
        let observe = |word| part.observation(name(&drive.name), line_with(&drive.lines, word));
        findings.extend(drive.link.iter().flat_map(|link| of_link(&observe(LINK), *link)));
        findings.extend(identity(observe("Attached"), drive));
        let format = line_with(&drive.lines, "Format:");
        findings.extend(capacity(observe("physical device size").with(&part.path, format), drive));
        findings.extend(temperature(observe("Internal temperature:"), drive));
    }
    findings.extend(number_of_drives(part, &status));
    findings
}

/// What a link carries, whether the figure printed with it follows from lanes and
/// speed, and whether the link lost lanes.
fn of_link(observation: &Observation, link: PrintedLink) -> Vec<PrintoutFinding> {
    let (rate, raw) = (link.rate, link.rate.raw_mbps());
    let data = rate.ceiling_mbps(PAYLOAD_DEFAULT_BYTES, LinkDirection::DeviceToHost);
    let says = format!("its link carries {rate}, {}, about {data:.0} of them data", megabytes(raw));
    let mut findings = vec![("pcie.path_bw", observation.clone().info(says))];
    if rate.lanes == 1 {
        let says = "the link runs with one lane, which is a quarter of a link of four; the printout does not tell how \
                    many the card has";
        findings.push(("pcie.width", observation.clone().warn_for(&[Bandwidth], says)));
    }
    if !link.is_consistent() {
        let says = format!("{} is printed for the link, but {rate} carries {raw:.0}", megabytes(link.mbps));
        findings.push((AGREEMENT, observation.clone().warn(says)));
    }
    findings
}

/// What the links of the drives on one adapter carry against the adapter's own:
/// the rule of `pcie.oversub`.
fn shared(observation: Observation, link: PrintedLink, need: f64) -> PrintoutFinding {
    let there = link.rate.raw_mbps();
    let says = format!(
        "the drives printed below it can ask for {}, and its link carries {there:.0}",
        megabytes(need)
    );
    let observation = match need > there {
        true => observation.warn_for(&[Bandwidth, Repeatability], says),
        false => observation.ok(says),
    };
    ("pcie.oversub", observation)
}

fn identity(observation: Observation, drive: &FioStatusDrive) -> Option<PrintoutFinding> {
    let parts = [
        (!drive.block.is_empty()).then(|| format!("/dev/{}", drive.block)),
        drive.address.map(|address| format!("at {address}")),
        drive.serial.as_ref().map(|serial| format!("serial number {serial}")),
        drive.firmware.as_ref().map(|firmware| format!("firmware {firmware}")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| (FACTS, observation.info(name(&parts.join(", ")))))
}

/// The share of its flash that the drive offers.
fn capacity(observation: Observation, drive: &FioStatusDrive) -> Option<PrintoutFinding> {
    let (user, physical) = (drive.user_bytes()?, drive.physical_gb?);
    let offers = format!("it offers {:.3} GB of {physical:.0} GB of flash", user as f64 / 1e9);
    Some(match drive.overprovision_percent()? {
        Ok(percent) => (
            FACTS,
            observation.info(format!("{offers}: over-provisioning {}", percent_with(percent / 100.0, 1))),
        ),
        Err(e) => (AGREEMENT, observation.warn(format!("{offers}: {e}"))),
    })
}

/// The program names no limit, so there is nothing to judge it by.
fn temperature(observation: Observation, drive: &FioStatusDrive) -> Option<PrintoutFinding> {
    let (now, most) = drive.temperature_c?;
    let says = format!("{now:.1} °C, and {most:.1} °C at most so far; the printout names no limit");
    Some(("nvme.temp", observation.info(says)))
}

/// How many drives there are, and how many are printed in full.
fn number_of_drives(part: &Part, status: &FioStatus) -> Option<PrintoutFinding> {
    let (listed, printed) = (status.drives_found?, status.drives.len());
    let line = part.text.lines().find(|line| line.trim().starts_with("Found ")).unwrap_or_default();
    let says = match usize::try_from(listed) == Ok(printed) {
        true => format!("{listed} drives were found, and each is printed"),
        false => format!("{listed} drives were found; printed in full: {printed}"),
    };
    Some((FACTS, part.observation("fio-status", line.trim()).info(says)))
}

// What Fusion-io's `fio-status` prints about adapters and drives.

/// The words before a link, of an adapter or of a drive.
const LINK: &str = "PCIe negotiated link:";

/// A whole printout.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FioStatus {
    /// Number of drives that the printout says there are.
    pub drives_found: Option<u32>,
    /// Adapters, in their order.
    pub adapters: Vec<Adapter>,
    /// Drives with their details.
    pub drives: Vec<FioStatusDrive>,
    /// Whether the next lines are about the last drive, or about an adapter.
    is_in_drive: bool,
}

/// An adapter, which may carry several drives.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Adapter {
    /// `ioDrive Duo`.
    pub name: String,
    /// Its link.
    pub link: Option<PrintedLink>,
    /// Its lines.
    pub(super) lines: Vec<String>,
}

/// A link as it is printed, with the rate printed for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrintedLink {
    /// Speed and width.
    pub rate: LinkRate,
    /// The printed rate, in MB/s.
    pub mbps: f64,
}

/// A drive.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FioStatusDrive {
    /// `fct4`.
    pub name: String,
    /// `fioe`.
    pub block: String,
    /// Serial number.
    pub serial: Option<String>,
    /// The adapter below which it is printed, as an index into the list.
    pub adapter: Option<usize>,
    /// Address.
    pub address: Option<Address>,
    /// Firmware.
    pub firmware: Option<String>,
    /// Physical flash, in units of 10⁹ bytes.
    pub physical_gb: Option<f64>,
    /// Sectors.
    pub sectors: Option<u64>,
    /// Bytes in a sector.
    pub sector_bytes: Option<u32>,
    /// Link.
    pub link: Option<PrintedLink>,
    /// Temperature inside in °C: now, and the highest so far.
    pub temperature_c: Option<(f64, f64)>,
    /// Its lines.
    pub(super) lines: Vec<String>,
}

impl PrintedLink {
    /// Whether the printed rate follows from lanes and speed.
    pub fn is_consistent(&self) -> bool {
        (self.rate.raw_mbps() - self.mbps).abs() < 0.5
    }
}

impl FioStatusDrive {
    /// Capacity that it offers, in bytes.
    pub fn user_bytes(&self) -> Option<u64> {
        self.sectors?.checked_mul(u64::from(self.sector_bytes?))
    }

    /// Over-provisioning, in percent; `None` if the printout lacks a size.
    pub fn overprovision_percent(&self) -> Option<Result<f64, OverprovisionError>> {
        let physical = (self.physical_gb? * 1e9).round() as u64;
        Some(capacity::percent(physical, self.user_bytes()?))
    }

    fn detail(&mut self, line: &str) {
        let part = |word: &str| line.split(", ").find(|part| part.contains(word)).and_then(number);
        if let Some(link) = after(line, LINK).and_then(link) {
            self.link = Some(link);
        } else if let Some(rest) = line.strip_prefix("PCI:") {
            self.address = rest.trim().parse().ok();
        } else if let Some(rest) = line.strip_prefix("Firmware ") {
            self.firmware = rest.split(',').next().map(str::to_owned);
        } else if line.contains("physical device size") {
            self.physical_gb = part("physical");
        } else if line.starts_with("Format:") {
            self.sectors = part(" sectors").map(|sectors| sectors as u64);
            let bytes = after(line, "sectors of ").map_or_else(|| part("bytes per sector"), number);
            self.sector_bytes = bytes.map(|bytes| bytes as u32);
        } else if let Some(rest) = line.strip_prefix("Internal temperature:") {
            self.temperature_c = number(rest).zip(after(rest, "max").and_then(number));
        } else if self.serial.is_none() {
            let serial = after(line, "SN:").and_then(|rest| rest.split_whitespace().next());
            self.serial = serial.map(str::to_owned);
        }
    }
}

impl FioStatus {
    /// Reads a printout.
    pub fn parse(text: &str) -> Self {
        let mut status = Self::default();
        text.lines().for_each(|line| status.line(line.trim()));
        status
    }

    fn line(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("Found ") {
            self.drives_found = number(rest).map(|count| count as u32);
        } else if let Some((name, rest)) = attached(line) {
            let block = after(rest, "as '").and_then(|rest| rest.split('\'').next()).unwrap_or_default();
            self.drives.push(FioStatusDrive {
                name: name.to_owned(),
                block: block.to_owned(),
                adapter: self.adapters.len().checked_sub(1),
                lines: vec![line.to_owned()],
                ..FioStatusDrive::default()
            });
            self.is_in_drive = true;
        } else if let Some(name) = line.strip_prefix("Adapter:") {
            let name = name.trim().to_owned();
            self.adapters.push(Adapter { name, link: None, lines: vec![line.to_owned()] });
            self.is_in_drive = false;
        } else if let Some(drive) = self.drives.last_mut().filter(|_| self.is_in_drive) {
            drive.detail(line);
            drive.lines.push(line.to_owned());
        } else if let Some(adapter) = self.adapters.last_mut() {
            adapter.link = adapter.link.or(after(line, LINK).and_then(link));
            adapter.lines.push(line.to_owned());
        }
    }
}

/// `fct4 Attached as 'fioe' (block device)`; in later versions the line ends after
/// the second word.
fn attached(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.split_once(char::is_whitespace)?;
    let rest = rest.trim().strip_prefix("Attached")?;
    name.starts_with("fct").then_some((name, rest))
}

/// Whether only this program prints such a line.
fn is_mark(line: &str) -> bool {
    let line = line.trim();
    let begins = ["Adapter:", "Fusion-io driver version", LINK].iter().any(|word| line.starts_with(word));
    begins || attached(line).is_some() || (line.starts_with("Found ") && line.contains(" io"))
}

/// `4 lanes at 2.50 Gbits/sec each, 1000 MBytes/sec total`.
fn link(text: &str) -> Option<PrintedLink> {
    let (lanes, rest) = text.split_once(" lanes at ")?;
    let (speed, total) = rest.split_once("each,")?;
    let rate = LinkRate {
        generation: Generation::from_gigatransfers(number(speed)?)?,
        lanes: lanes.trim().parse().ok()?,
    };
    Some(PrintedLink { rate, mbps: number(total)? })
}
