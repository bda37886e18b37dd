//! The keys of the text form. One line is one key.

use super::quantity::{bytes, number, percent, time_ns};
use crate::model::{ArrayModel, DiskModel, FlashModel, HeatModel, Redundancy, SlcModel, ZoneModel};
use crate::{Frontiers, VictimChoice};

/// A key, what its value may be, and how it changes a model.
pub(super) struct Key<M> {
    pub name: &'static str,
    pub allowed: &'static str,
    /// `None` if the value is not one.
    pub set: fn(&mut M, &str) -> Option<()>,
}

const SIZE: &str = "a size, such as 64m or 960GB";
const RATE: &str = "bytes a second, such as 3.5GB";
const TIME: &str = "a time with its unit, such as 70us";
const COUNT: &str = "a whole number";

const fn key<M>(name: &'static str, allowed: &'static str, set: fn(&mut M, &str) -> Option<()>) -> Key<M> {
    Key { name, allowed, set }
}

fn put<T>(place: &mut T, value: Option<T>) -> Option<()> {
    *place = value?;
    Some(())
}

pub(super) const FLASH_KEYS: &[Key<FlashModel>] = &[
    key("size", SIZE, |m, v| put(&mut m.capacity_bytes, bytes(v))),
    key("unit", "4k, 8k, 16k, 32k or 64k", |m, v| put(&mut m.unit_bytes, bytes(v)?.try_into().ok())),
    key("op", "percent, such as 7 or 28%", |m, v| put(&mut m.over_provisioning_percent, percent(v))),
    key("blocks", COUNT, |m, v| put(&mut m.blocks, v.parse().ok())),
    key("frontiers", "1 or 2", |m, v| put(&mut m.frontiers, frontiers(v))),
    key("victim", "greedy or fifo", |m, v| put(&mut m.victims, victims(v))),
    key("channels", COUNT, |m, v| put(&mut m.nand.channels, v.parse().ok())),
    key("dies", COUNT, |m, v| put(&mut m.nand.dies, v.parse().ok())),
    key("planes", COUNT, |m, v| put(&mut m.nand.planes, v.parse().ok())),
    key("groups", COUNT, |m, v| put(&mut m.nand.read_groups, v.parse().ok())),
    key("bits", COUNT, |m, v| put(&mut m.nand.word_line_pages, v.parse().ok())),
    key("read", TIME, |m, v| put(&mut m.nand.read_ns, time_ns(v))),
    key("program", TIME, |m, v| put(&mut m.nand.program_ns, time_ns(v))),
    key("erase", TIME, |m, v| put(&mut m.nand.erase_ns, time_ns(v))),
    key("suspend", "a time with its unit, or no", |m, v| put(&mut m.nand.suspend_ns, suspend(v))),
    key("bus", RATE, |m, v| put(&mut m.nand.bus_bytes_per_s, bytes(v))),
    key("link", RATE, |m, v| put(&mut m.link_bytes_per_s, bytes(v))),
    key("command", TIME, |m, v| put(&mut m.command_ns, time_ns(v))),
    key("fixed", TIME, |m, v| put(&mut m.fixed_ns, time_ns(v))),
    key("buffer", SIZE, |m, v| put(&mut m.buffer_bytes, bytes(v))),
    key("plp", "yes or no", |m, v| put(&mut m.power_loss_protection, yes(v))),
    key("slc", "no: a preset with a cache has it unless it is switched off", |m, v| no(&mut m.slc, v)),
    key("slc_fixed", SLC, |m, v| put(&mut slc(m)?.fixed_bytes, bytes(v))),
    key("slc_dynamic", SLC, |m, v| put(&mut slc(m)?.dynamic_bytes, bytes(v))),
    key("heat", "no: the preset thermal has it unless it is switched off", |m, v| no(&mut m.heat, v)),
    key("ambient", HEAT, |m, v| put(&mut heat(m)?.ambient_c, degrees(v))),
    key("resistance", HEAT, |m, v| put(&mut heat(m)?.resistance_k_per_w, positive(v))),
    key("memory", SIZE, |m, v| put(&mut m.memory_bytes_max, bytes(v))),
];

const SLC: &str = "a size, for a drive with an SLC cache (consumer, qlc, thermal)";
const HEAT: &str = "°C from -50 to 70, or K/W from 0.1 to 1000, for a drive with warmth (thermal)";

pub(super) const DISK_KEYS: &[Key<DiskModel>] = &[
    key("size", SIZE, |m, v| put(&mut m.capacity_bytes, bytes(v))),
    key("rpm", COUNT, |m, v| put(&mut m.turns_per_minute, v.parse().ok())),
    key("seek", TIME, |m, v| put(&mut m.seek_least_ns, time_ns(v))),
    key("stroke", TIME, |m, v| put(&mut m.seek_stroke_ns, time_ns(v))),
    key("outer", RATE, |m, v| put(&mut m.outer_bytes_per_s, bytes(v))),
    key("inner", RATE, |m, v| put(&mut m.inner_bytes_per_s, bytes(v))),
    key("overhead", TIME, |m, v| put(&mut m.overhead_ns, time_ns(v))),
    key("age", TIME, |m, v| put(&mut m.age_limit_ns, time_ns(v))),
];

pub(super) const ZONE_KEYS: &[Key<ZoneModel>] = &[
    key("zone", SIZE, |m, v| put(&mut m.zone_bytes, bytes(v))),
    key("zone_capacity", SIZE, |m, v| put(&mut m.capacity_bytes, bytes(v))),
    key("conventional", COUNT, |m, v| put(&mut m.conventional, v.parse().ok())),
    key("open", COUNT, |m, v| put(&mut m.open_max, v.parse().ok())),
    key("active", COUNT, |m, v| put(&mut m.active_max, v.parse().ok())),
    key("reads_unwritten", "yes or no", |m, v| put(&mut m.reads_unwritten, yes(v))),
];

pub(super) const ARRAY_KEYS: &[Key<ArrayModel>] = &[
    key("raid", "0, 1, 5, 6 or 10", |m, v| put(&mut m.redundancy, redundancy(v))),
    key("chunk", "a power of two from 4k to 64m", |m, v| put(&mut m.chunk_bytes, bytes(v))),
    key("failed", "the number of a drive, from 0", |m, v| put(&mut m.failed, v.parse().ok().map(Some))),
];

fn frontiers(text: &str) -> Option<Frontiers> {
    match text {
        "1" => Some(Frontiers::One),
        "2" => Some(Frontiers::HostAndCollected),
        _ => None,
    }
}

fn victims(text: &str) -> Option<VictimChoice> {
    match text {
        "greedy" => Some(VictimChoice::Greedy),
        "fifo" => Some(VictimChoice::Fifo),
        _ => None,
    }
}

fn redundancy(text: &str) -> Option<Redundancy> {
    match text {
        "0" => Some(Redundancy::Stripes),
        "1" => Some(Redundancy::Mirror),
        "10" => Some(Redundancy::MirroredStripes),
        "5" => Some(Redundancy::Parity),
        "6" => Some(Redundancy::DoubleParity),
        _ => None,
    }
}

fn suspend(text: &str) -> Option<Option<u64>> {
    if text == "no" { Some(None) } else { time_ns(text).map(Some) }
}

fn yes(text: &str) -> Option<bool> {
    match text {
        "yes" | "1" => Some(true),
        "no" | "0" => Some(false),
        _ => None,
    }
}

fn no<T>(place: &mut Option<T>, text: &str) -> Option<()> {
    (text == "no").then(|| *place = None)
}

fn slc(model: &mut FlashModel) -> Option<&mut SlcModel> {
    model.slc.as_mut()
}

fn heat(model: &mut FlashModel) -> Option<&mut HeatModel> {
    model.heat.as_mut()
}

fn degrees(text: &str) -> Option<f64> {
    number(text).filter(|degrees| (-50.0..=70.0).contains(degrees))
}

fn positive(text: &str) -> Option<f64> {
    number(text).filter(|number| (0.1..=1000.0).contains(number))
}
