//! The flash of a drive: what the translation and the host ask of its dies.

use super::heat::{Heat, Throttle};
use super::service::{Dies, Planes};
use super::slc::{Mode, SlcCache, WriteBuffer};
use super::{Parallelism, Timing};
use crate::translation::{FlashSpace, FlashWork, PlacedBy};
use crate::{FlashModel, Frontiers};

/// Dies, buffer, cache and warmth of one drive.
#[derive(Debug)]
pub(super) struct Flash {
    pub timing: Timing,
    pub buffer: WriteBuffer,
    /// Units that were programmed, for whatever reason.
    pub programmed_units: u64,
    /// The times at each state of throttling.
    timings: [Timing; 3],
    dies: Dies,
    groups: u32,
    line_units: u32,
    page_units: u32,
    unit_bytes: u64,
    units: u32,
    /// The host's units share their word lines with collected ones.
    is_shared: bool,
    power_loss_protection: bool,
    slc: Option<SlcCache>,
    heat: Option<Heat>,
    now_ns: u64,
    mapped_units: u32,
}

impl Flash {
    pub fn new(model: &FlashModel, space: &FlashSpace, parallelism: Parallelism) -> Self {
        let nand = &model.nand;
        let unit_bytes = u64::from(model.unit_bytes);
        let line_units = model.line_units();
        let timing = Timing::new(model, parallelism);
        // Two lines for each die, so that no die waits for a line to be filled.
        let lines = model.buffer_bytes / u64::from(model.scale) / nand.word_line_bytes();
        let lines = lines.max(2 * u64::from(parallelism.dies));
        Self {
            timing,
            buffer: WriteBuffer::new(lines, line_units),
            programmed_units: 0,
            timings: Throttle::ALL.map(|throttle| timing.slowed(throttle.halves())),
            dies: Dies::new(parallelism.dies, nand.read_groups),
            groups: nand.read_groups,
            line_units,
            page_units: (nand.page_bytes / model.unit_bytes).max(1),
            unit_bytes,
            units: space.units(),
            is_shared: model.frontiers == Frontiers::One,
            power_loss_protection: model.power_loss_protection,
            slc: model.slc.map(|slc| SlcCache::new(slc, space, unit_bytes, model.scale)),
            heat: model.heat.map(|heat| Heat::new(heat, model.scale)),
            now_ns: 0,
            mapped_units: 0,
        }
    }

    /// Before each I/O: the drive has had nothing to do for `idle_ns`.
    pub fn begin(&mut self, now_ns: u64, idle_ns: u64, mapped_units: u32) {
        (self.now_ns, self.mapped_units) = (now_ns, mapped_units);
        if let Some(heat) = &mut self.heat
            && heat.advance(now_ns)
        {
            self.timing = self.timings[heat.throttle() as usize];
        }
        if let Some(slc) = &mut self.slc {
            let line_ns = self.timing.slc_fold.busy_ns - self.timing.slc_program.busy_ns;
            let line_ns = line_ns / u64::from(self.dies.count());
            let folded = slc.fold_idle(idle_ns, u64::from(self.line_units), line_ns);
            self.programmed_units += folded;
            if let Some(heat) = &mut self.heat {
                heat.program(folded * self.unit_bytes);
            }
        }
    }

    pub fn die_of(&self, slot: u32) -> u32 {
        slot / self.line_units % self.dies.count()
    }

    pub fn page_of(&self, slot: u32) -> u32 {
        slot / self.page_units
    }

    /// The host's read of the page of `slot` ends at the time that is returned. What is still in the open
    /// word line of the host's frontier, where the next slot is `frontier`, comes from the buffer.
    pub fn read(&mut self, slot: u32, ready_ns: u64, frontier: u32) -> u64 {
        let is_open = slot < frontier && slot / self.line_units == frontier / self.line_units;
        if is_open {
            return ready_ns;
        }
        let is_cached = self.slc.as_ref().is_some_and(|slc| slc.holds(slot));
        let service = if is_cached { self.timing.slc_read } else { self.timing.read };
        let planes = Planes { die: self.die_of(slot), group: self.page_of(slot) % self.groups };
        self.dies.read(planes, ready_ns, service, self.timing.program, self.timing.suspend_ns)
    }

    pub fn heat_of_read(&mut self, bytes: u64) {
        if let Some(heat) = &mut self.heat {
            heat.read(bytes);
        }
    }

    /// Everything that arrived is safe at the time that is returned.
    pub fn flush(&mut self, ready_ns: u64, frontier: u32) -> u64 {
        if self.power_loss_protection {
            return ready_ns;
        }
        let units = self.buffer.unsafe_units();
        if units > 0 {
            // The open word line cannot be programmed in part: its units go to a page of their own, and later
            // with their line to their slots.
            let arrived_ns = self.buffer.arrived_ns().max(ready_ns);
            let die = self.die_of(frontier);
            let done_ns = self.dies.work(die, arrived_ns, self.timing.flush_program);
            self.buffer.programmed(done_ns);
            self.programmed_units += u64::from(units);
        }
        ready_ns.max(self.buffer.programmed_ns())
    }

    pub fn slc_used_units(&self) -> u64 {
        self.slc.as_ref().map_or(0, SlcCache::used_units)
    }

    pub fn slc_size_units(&self, mapped_units: u32) -> u64 {
        self.slc.as_ref().map_or(0, |slc| slc.size_units(mapped_units, self.units))
    }

    pub fn temperature_c(&self) -> Option<f64> {
        self.heat.as_ref().map(Heat::temperature_c)
    }

    pub fn throttled_ns(&self) -> u64 {
        self.heat.as_ref().map_or(0, Heat::throttled_ns)
    }

    /// A word line with units of the host is full.
    fn program_host_line(&mut self, die: u32) {
        let line_units = u64::from(self.line_units);
        let size_units = self.slc_size_units(self.mapped_units);
        let mode = self.slc.as_mut().map_or(Mode::Native, |slc| slc.admit(line_units, size_units));
        let (service, native_units, slc_units) = match mode {
            Mode::Native => (self.timing.program, line_units, 0),
            Mode::Slc => (self.timing.slc_program, 0, line_units),
            Mode::Fold => (self.timing.slc_fold, line_units, line_units),
        };
        let done_ns = self.dies.work(die, self.buffer.arrived_ns(), service);
        self.buffer.programmed(done_ns);
        self.count_programs(native_units, slc_units);
    }

    fn count_programs(&mut self, native_units: u64, slc_units: u64) {
        self.programmed_units += native_units + slc_units;
        if let Some(heat) = &mut self.heat {
            heat.program(native_units * self.unit_bytes);
            heat.slc_program(slc_units * self.unit_bytes);
        }
    }
}

impl FlashWork for Flash {
    fn placed(&mut self, slot: u32, by: PlacedBy) {
        if let Some(slc) = &mut self.slc {
            match by {
                PlacedBy::Host => slc.host_placed(slot),
                PlacedBy::Collection => slc.collected_placed(slot),
            }
        }
        if !(slot + 1).is_multiple_of(self.line_units) {
            return;
        }
        let die = self.die_of(slot);
        if by == PlacedBy::Host || self.is_shared {
            self.program_host_line(die);
        } else {
            self.dies.work(die, self.now_ns, self.timing.program);
            self.count_programs(u64::from(self.line_units), 0);
        }
    }

    fn collection_read(&mut self, slot: u32) {
        self.dies.work(self.die_of(slot), self.now_ns, self.timing.read);
    }
}
