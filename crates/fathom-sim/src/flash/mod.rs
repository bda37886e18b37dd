//! A flash drive: what each I/O costs, computed when it is submitted.
//!
//! ```text
//!   host ─► controller ─┬─ read ──► die ─► channel ─► link ─► + fixed
//!                       └─ write ─► link ─► write buffer ─► + fixed          program ─► die
//!                                              └─ full word line ─► frontier ──┘
//! ```
//!
//! Each part has a time until which it is busy, so an I/O costs constant time for each unit and no events
//! are kept. Garbage collection uses the same dies. A unit that was never written is answered by the
//! controller alone. What is left out: the transfer of programs on the channels, which overlaps with the
//! programs before, and rewrites that a buffer absorbs.

mod heat;
mod service;
mod slc;
mod work;

use crate::model::NandModel;
use crate::{DriveCounters, FlashModel, Io, IoKind, SimError, SimulatedDrive, Submitted, Translation};
use service::{Pipe, Service};
use work::Flash;

/// A simulated flash drive.
#[derive(Debug)]
pub struct FlashDrive {
    capacity_bytes: u64,
    unit_bytes: u64,
    translation: Translation,
    flash: Flash,
    controller: Pipe,
    channels: Vec<Pipe>,
    link_in: Pipe,
    link_out: Pipe,
    /// When the newest completion so far is.
    completed_ns: u64,
    counters: DriveCounters,
}

/// The part of an I/O that lies in one mapping unit.
struct Piece {
    unit: u32,
    bytes: u64,
}

impl FlashDrive {
    /// A new drive, without data.
    ///
    /// # Errors
    /// The model contradicts itself, its scale leaves too little, or memory does not suffice.
    pub fn new(model: &FlashModel) -> Result<Self, SimError> {
        let space = model.space()?;
        let parallelism = Parallelism::new(&model.nand, model.scale);
        Ok(Self {
            capacity_bytes: u64::from(space.units()) * u64::from(model.unit_bytes),
            unit_bytes: u64::from(model.unit_bytes),
            translation: Translation::new(space, model.victims)?,
            flash: Flash::new(model, &space, parallelism),
            controller: Pipe::default(),
            channels: vec![Pipe::default(); parallelism.channels as usize],
            link_in: Pipe::default(),
            link_out: Pipe::default(),
            completed_ns: 0,
            counters: DriveCounters::default(),
        })
    }

    /// When an I/O that is submitted at `now_ns` is complete. Calls are in the order of time.
    ///
    /// # Panics
    /// The I/O reaches beyond the end of the drive.
    pub fn submit_at(&mut self, now_ns: u64, io: Io) -> u64 {
        let inside = io.offset.checked_add(io.length).is_some_and(|end| end <= self.capacity_bytes);
        assert!(inside || io.kind == IoKind::Flush, "{io:?} is beyond the end, {}", self.capacity_bytes);
        let idle_ns = now_ns.saturating_sub(self.completed_ns);
        self.flash.begin(now_ns, idle_ns, self.translation.mapped_units());
        let ready_ns = self.controller.pass(now_ns, now_ns, self.flash.timing.command);
        let done_ns = match io.kind {
            IoKind::Read => self.read(now_ns, ready_ns, io),
            IoKind::Write => self.write(now_ns, ready_ns, io),
            IoKind::Trim => self.trim(ready_ns, io),
            IoKind::Flush => self.flush(ready_ns),
        };
        let completion_ns = done_ns + self.flash.timing.fixed_ns;
        self.completed_ns = self.completed_ns.max(completion_ns);
        completion_ns
    }

    /// The flash translation, for tests and for proof of what is written.
    pub fn translation(&self) -> &Translation {
        &self.translation
    }

    fn read(&mut self, now_ns: u64, ready_ns: u64, io: Io) -> u64 {
        self.counters.host_read_bytes += io.length;
        let mut done_ns = ready_ns;
        // The page that was read last, and when: its other units need no other read.
        let mut page_read = None;
        for piece in pieces(io, self.unit_bytes) {
            let arrived_ns = match self.translation.slot_of(piece.unit) {
                None => {
                    self.counters.unwritten_read_bytes += piece.bytes;
                    ready_ns
                }
                Some(slot) => {
                    let page = self.flash.page_of(slot);
                    let read_ns = match page_read {
                        Some((last, read_ns)) if last == page => read_ns,
                        _ => self.flash.read(slot, ready_ns, self.translation.host_frontier()),
                    };
                    page_read = Some((page, read_ns));
                    self.flash.heat_of_read(piece.bytes);
                    let channel = self.flash.die_of(slot) as usize % self.channels.len();
                    let bus = self.part(self.flash.timing.bus, piece.bytes);
                    self.channels[channel].pass(now_ns, read_ns, bus)
                }
            };
            let link = self.part(self.flash.timing.link, piece.bytes);
            done_ns = done_ns.max(self.link_out.pass(now_ns, arrived_ns, link));
        }
        done_ns
    }

    fn write(&mut self, now_ns: u64, ready_ns: u64, io: Io) -> u64 {
        self.counters.host_written_bytes += io.length;
        let mut done_ns = ready_ns;
        for piece in pieces(io, self.unit_bytes) {
            let mut whole_ns = ready_ns;
            // Of a unit that is written in part, the rest is read.
            if piece.bytes < self.unit_bytes
                && let Some(slot) = self.translation.slot_of(piece.unit)
            {
                whole_ns = self.flash.read(slot, ready_ns, self.translation.host_frontier());
            }
            let link = self.part(self.flash.timing.link, piece.bytes);
            let here_ns = self.link_in.pass(now_ns, whole_ns, link);
            done_ns = done_ns.max(self.flash.buffer.arrive(here_ns));
            self.translation.write(piece.unit, &mut self.flash);
            self.flash.buffer.placed();
        }
        done_ns
    }

    /// Units that the range covers in part keep their data.
    fn trim(&mut self, ready_ns: u64, io: Io) -> u64 {
        let before = self.translation.mapped_units();
        let units = io.offset.div_ceil(self.unit_bytes)..(io.offset + io.length) / self.unit_bytes;
        for unit in units {
            self.translation.trim(unit as u32);
        }
        let trimmed = before - self.translation.mapped_units();
        self.counters.trimmed_bytes += u64::from(trimmed) * self.unit_bytes;
        ready_ns
    }

    fn flush(&mut self, ready_ns: u64) -> u64 {
        self.counters.flushes += 1;
        self.flash.flush(ready_ns, self.translation.host_frontier())
    }

    fn part(&self, whole: Service, bytes: u64) -> Service {
        whole.part(bytes, self.unit_bytes)
    }
}

/// The units that an I/O touches, in order.
fn pieces(io: Io, unit_bytes: u64) -> impl Iterator<Item = Piece> {
    let end = io.offset + io.length;
    let mut offset = io.offset;
    std::iter::from_fn(move || {
        (offset < end).then(|| {
            let unit = offset / unit_bytes;
            let next = ((unit + 1) * unit_bytes).min(end);
            let bytes = next - std::mem::replace(&mut offset, next);
            Piece { unit: unit as u32, bytes }
        })
    })
}

impl SimulatedDrive for FlashDrive {
    fn capacity_bytes(&self) -> u64 {
        self.capacity_bytes
    }

    fn submit(&mut self, now_ns: u64, _tag: u64, io: Io) -> Submitted {
        Submitted::At(self.submit_at(now_ns, io))
    }

    fn counters(&self) -> DriveCounters {
        let mapped_units = self.translation.mapped_units();
        DriveCounters {
            media_written_bytes: self.flash.programmed_units * self.unit_bytes,
            collected_bytes: self.translation.collected_units() * self.unit_bytes,
            mapped_bytes: u64::from(mapped_units) * self.unit_bytes,
            erases: self.translation.erases(),
            block_erases_max: self.translation.block_erases_max(),
            slc_used_bytes: self.flash.slc_used_units() * self.unit_bytes,
            slc_size_bytes: self.flash.slc_size_units(mapped_units) * self.unit_bytes,
            temperature_c: self.flash.temperature_c(),
            throttled_ns: self.flash.throttled_ns(),
            ..self.counters
        }
    }

    fn unwritten_read_bytes(&self) -> u64 {
        self.counters.unwritten_read_bytes
    }
}

/// Times of one drive at one state of throttling.
#[derive(Debug, Clone, Copy)]
struct Timing {
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
struct Parallelism {
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
