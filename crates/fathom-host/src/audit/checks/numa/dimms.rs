//! `numa.dimms`: are all memory channels filled, with equal modules?

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::Bandwidth;
use fathom_device::root::Unknown;

use crate::smbios::TABLE;
use crate::smbios::module::{self, MemorySlot};

pub(super) const CHECK: Check = Check {
    id: "numa.dimms",
    title: "Memory modules and channels",
    reads: "/sys/firmware/dmi/tables/DMI, structures of type 17",
    why: "Every byte of an I/O goes through memory at least once, with the page cache twice or more. A server has six \
          to twelve memory channels on each socket, each with 20 to 40 GB/s; an empty channel is missing from the sum, \
          and one slow module slows down its whole socket. An array of modern NVMe drives can use half of what all \
          channels carry.",
    judged: "An empty channel, where the board's names show the channels, and modules of different size or speed warn \
             for bandwidth. Modules that run below their own speed are a remark. Equal modules in every channel are \
             ok. Only root may read the table.",
    remedy: "Fill every channel of every socket with modules of one kind (the board's manual has the order), and check \
             the memory speed in the BIOS. dmidecode -t 17 shows the same table.",
    needs: Needs::Hardware,
    kernels: "4.2 and later (the table in sysfs)",
    sources: &["I-5", "I-2", "V-16", "DMTF DSP0134, 7.18"],
    observe: Observe::Once(|scene| vec![Observation::or_unknown("host", one(scene))]),
};

fn one(scene: &Scene<'_>) -> Observed {
    let bytes = scene.root.read_bytes(TABLE)?;
    let start = &bytes[..bytes.len().min(16)];
    let garbled = || Unknown::garbled(TABLE.as_ref(), &String::from_utf8_lossy(start));
    let slots = module::slots(&bytes).ok_or_else(garbled)?;
    Ok(judged(TABLE.as_ref(), &slots))
}

/// Judges the modules that `path` lists.
pub(crate) fn judged(path: &Path, slots: &[MemorySlot]) -> Observation {
    let filled: Vec<&MemorySlot> = slots.iter().filter(|slot| slot.size_mb.is_some()).collect();
    let lines: Vec<String> = filled.iter().map(|slot| line(slot)).collect();
    let seen = Observation::on("host").with(path, lines.join("\n"));
    if filled.is_empty() {
        return seen.not_applicable("the firmware lists no memory module");
    }
    let counted = format!("{} of {} slots are filled", filled.len(), slots.len());
    let faults = [empty_channels(slots), mixed(&filled)];
    let faults: Vec<String> = faults.into_iter().flatten().collect();
    if !faults.is_empty() {
        return seen.warn_for(&[Bandwidth], format!("{counted}: {}", faults.join("; ")));
    }
    let slow =
        filled.iter().find(|slot| slot.configured_mts < slot.speed_mts && slot.configured_mts.is_some());
    match slow {
        Some(slot) => seen.info(format!("{counted}, and modules run below their speed: {}", line(slot))),
        None => seen.ok(format!("{counted}, all equal")),
    }
}

fn line(slot: &MemorySlot) -> String {
    let mts = |speed: Option<u16>| speed.map_or("?".to_owned(), |speed| speed.to_string());
    let size_mb = slot.size_mb.unwrap_or(0);
    let (runs, can) = (mts(slot.configured_mts), mts(slot.speed_mts));
    format!("{} {}: {size_mb} MB, {runs} of {can} MT/s", slot.bank, slot.locator).trim().to_owned()
}

/// How many channels are empty, if the name of every slot contains its channel.
fn empty_channels(slots: &[MemorySlot]) -> Option<String> {
    let mut channels: BTreeMap<String, bool> = BTreeMap::new();
    for slot in slots {
        *channels.entry(slot.channel()?).or_default() |= slot.size_mb.is_some();
    }
    let empty = channels.iter().filter(|(_, is_filled)| !**is_filled).count();
    (empty > 0).then(|| format!("{empty} of {} channels are empty", channels.len()))
}

fn mixed(filled: &[&MemorySlot]) -> Option<String> {
    let sizes: BTreeSet<_> = filled.iter().map(|slot| slot.size_mb).collect();
    let speeds: BTreeSet<_> = filled.iter().map(|slot| slot.configured_mts.or(slot.speed_mts)).collect();
    match (sizes.len() > 1, speeds.len() > 1) {
        (false, false) => None,
        (true, false) => Some("modules differ in size".to_owned()),
        (false, true) => Some("modules differ in speed".to_owned()),
        (true, true) => Some("modules differ in size and speed".to_owned()),
    }
}
