//! The times of a drive, computed once from its model.

use super::service::Service;
use crate::FlashModel;
use crate::model::NandModel;

/// Times of one drive at one state of throttling.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timing {
    pub command: Service,
    pub fixed_ns: u64,
    /// A mapping unit on the link.
    pub link: Service,
    /// A mapping unit on a channel.
    pub bus: Service,
    pub read: Service,
    pub slc_read: Service,
    /// A word line, with its part of the erase.
    pub program: Service,
    /// The pages of a word line in SLC mode.
    pub slc_program: Service,
    /// The same, after as much of the cache has been folded.
    pub slc_fold: Service,
    /// One page, for a flush.
    pub flush_program: Service,
    pub suspend_ns: u64,
}

/// How many dies and channels a drive of 1/scale has, and how much longer each is occupied for what could not
/// be left out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Parallelism {
    pub dies: u32,
    pub channels: u32,
    die_stretch: f64,
    channel_stretch: f64,
}

impl Parallelism {
    pub fn new(nand: &NandModel, scale: u32) -> Self {
        let dies = nand.dies.div_ceil(scale);
        let channels = nand.channels.div_ceil(scale).min(dies);
        let stretch = |left: u32, whole: u32| f64::from(scale) * f64::from(left) / f64::from(whole);
        Self {
            dies,
            channels,
            die_stretch: stretch(dies, nand.dies),
            channel_stretch: stretch(channels, nand.channels),
        }
    }
}

impl Timing {
    pub fn new(model: &FlashModel, parallelism: Parallelism) -> Self {
        let nand = &model.nand;
        let scale = f64::from(model.scale);
        let unit = u64::from(model.unit_bytes);
        let pages = u64::from(nand.word_line_pages);
        let die = |latency_ns| Service::new(latency_ns, parallelism.die_stretch);
        let erase_part_ns = nand.erase_ns * pages / u64::from(nand.block_pages);
        let slc_program_ns = model.slc.map_or(nand.program_ns / pages, |slc| slc.program_ns);
        let slc_read_ns = model.slc.map_or(nand.read_ns, |slc| slc.read_ns);
        let fold_ns = pages * (slc_program_ns + slc_read_ns) + nand.program_ns + erase_part_ns;
        Self {
            command: Service { latency_ns: 0, busy_ns: model.command_ns * u64::from(model.scale) },
            fixed_ns: model.fixed_ns,
            link: Service::transfer(unit, model.link_bytes_per_s, scale),
            bus: Service::transfer(unit, nand.bus_bytes_per_s, parallelism.channel_stretch),
            read: die(nand.read_ns),
            slc_read: die(slc_read_ns),
            program: die(nand.program_ns + erase_part_ns),
            slc_program: die(pages * slc_program_ns),
            slc_fold: die(fold_ns),
            flush_program: die(slc_program_ns),
            suspend_ns: nand.suspend_ns.unwrap_or(u64::MAX),
        }
    }

    /// Everything `halves` / 2 times as slow.
    pub fn slowed(&self, halves: u64) -> Self {
        Self {
            command: self.command.slowed(halves),
            fixed_ns: self.fixed_ns * halves / 2,
            link: self.link.slowed(halves),
            bus: self.bus.slowed(halves),
            read: self.read.slowed(halves),
            slc_read: self.slc_read.slowed(halves),
            program: self.program.slowed(halves),
            slc_program: self.slc_program.slowed(halves),
            slc_fold: self.slc_fold.slowed(halves),
            flush_program: self.flush_program.slowed(halves),
            suspend_ns: self.suspend_ns,
        }
    }
}
