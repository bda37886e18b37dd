//! From a model to the division of its flash, with everything that can be wrong.

use super::{FlashModel, NandModel};
use crate::SimError;
use crate::translation::{Division, FlashSpace, Frontiers};

impl FlashModel {
    /// Mapping units of a word line on all planes of a die.
    pub(crate) fn line_units(&self) -> u32 {
        ((self.nand.word_line_bytes() / u64::from(self.unit_bytes)) as u32).max(1)
    }

    /// The division of the scaled drive's flash.
    ///
    /// # Errors
    /// The model contradicts itself, its scale leaves too little, or it takes too much memory.
    pub fn space(&self) -> Result<FlashSpace, SimError> {
        self.check()?;
        let units = self.capacity_bytes / u64::from(self.scale) / u64::from(self.unit_bytes);
        let over_provisioning = self.over_provisioning_percent / 100.0;
        let slots = units as f64 * (1.0 + over_provisioning);
        // Whole word lines, and at least one.
        let line_units = self.line_units();
        let lines = (slots / f64::from(self.blocks) / f64::from(line_units)).round().max(1.0);
        let least = if line_units < 2 { 2.0 } else { f64::from(line_units) };
        let block_units = (lines * f64::from(line_units)).max(least) as u32;
        let read_units = (self.nand.plane_set_bytes() / u64::from(self.unit_bytes)) as u32;
        let division =
            Division { units, over_provisioning, block_units, read_units, frontiers: self.frontiers };
        let space = FlashSpace::new(division)?;
        if space.memory_bytes() > self.memory_bytes_max {
            return Err(SimError::NoMemory { needed_bytes: space.memory_bytes() });
        }
        Ok(space)
    }

    fn check(&self) -> Result<(), SimError> {
        let NandModel { channels, dies, planes, read_groups, page_bytes, .. } = self.nand;
        allowed("unit", self.unit_bytes, is_unit(self.unit_bytes), "a power of two from 4k to 64k")?;
        let over_provisioning = self.over_provisioning_percent;
        allowed("op", over_provisioning, (1.0..=400.0).contains(&over_provisioning), "1 to 400 percent")?;
        allowed("scale", self.scale, (1..=1_000_000).contains(&self.scale), "1 to 1000000")?;
        allowed("buffer", self.buffer_bytes, self.buffer_bytes <= 64 << 30, "at most 64g")?;
        allowed("blocks", self.blocks, (16..=1 << 20).contains(&self.blocks), "16 to 1048576")?;
        allowed("channels", channels, (1..=1024).contains(&channels), "1 to 1024")?;
        allowed("dies", dies, (1..=65_536).contains(&dies), "1 to 65536")?;
        allowed("planes", planes, (1..=64).contains(&planes), "1 to 64")?;
        allowed("groups", read_groups, (1..=planes).contains(&read_groups), "1 to the number of planes")?;
        allowed("page", page_bytes, (4096..=1 << 20).contains(&page_bytes), "4k to 1m")?;
        self.check_nand()?;
        self.check_rates()?;
        self.check_times()?;
        self.check_agreement()
    }

    fn check_nand(&self) -> Result<(), SimError> {
        let NandModel { word_line_pages, block_pages, .. } = self.nand;
        allowed("bits", word_line_pages, (1..=8).contains(&word_line_pages), "1 to 8")?;
        let is_possible = (word_line_pages..=1 << 20).contains(&block_pages);
        allowed("block_pages", block_pages, is_possible, "at least the pages of a word line, at most 1048576")
    }

    fn check_rates(&self) -> Result<(), SimError> {
        let rates = [("link", self.link_bytes_per_s), ("bus", self.nand.bus_bytes_per_s)];
        for (key, rate) in rates {
            allowed(key, rate, (1_000_000..=1_000_000_000_000).contains(&rate), "1m to 1t bytes a second")?;
        }
        Ok(())
    }

    fn check_times(&self) -> Result<(), SimError> {
        let nand = &self.nand;
        let slc = self.slc.map_or([0, 0], |slc| [slc.read_ns, slc.program_ns]);
        let times = [
            ("read", nand.read_ns),
            ("program", nand.program_ns),
            ("erase", nand.erase_ns),
            ("command", self.command_ns),
            ("fixed", self.fixed_ns),
            ("slc_read", slc[0]),
            ("slc_program", slc[1]),
        ];
        for (key, time_ns) in times {
            allowed(key, time_ns, time_ns <= 1_000_000_000, "at most 1 second")?;
        }
        Ok(())
    }

    fn check_agreement(&self) -> Result<(), SimError> {
        let contradiction = |text: &str| Err(SimError::Contradiction { text: text.to_owned() });
        if self.nand.channels > self.nand.dies {
            return contradiction("channels is larger than dies: each channel has at least one die");
        }
        if self.slc.is_some() && self.frontiers != Frontiers::HostAndCollected {
            return contradiction(
                "an SLC cache needs frontiers=2: what is collected does not go through the cache",
            );
        }
        let slc_bytes = self.slc.map_or(0, |slc| slc.fixed_bytes.saturating_add(slc.dynamic_bytes));
        if slc_bytes > self.capacity_bytes {
            return contradiction("the SLC cache is larger than the drive");
        }
        if self.nand.word_line_bytes() < u64::from(self.unit_bytes) {
            return contradiction("unit is larger than what a die programs at once (page × planes × bits)");
        }
        Ok(())
    }
}

fn is_unit(bytes: u32) -> bool {
    bytes.is_power_of_two() && (4096..=65_536).contains(&bytes)
}

pub(super) fn allowed(
    key: &'static str,
    given: impl ToString,
    is_allowed: bool,
    allowed: &'static str,
) -> Result<(), SimError> {
    if is_allowed {
        return Ok(());
    }
    Err(SimError::Value { key: key.to_owned(), given: given.to_string(), allowed: allowed.to_owned() })
}
