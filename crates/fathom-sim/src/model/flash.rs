//! What a simulated flash drive is made of.

use crate::{Frontiers, VictimChoice};

/// A flash drive, as on its data sheet: before any scale is applied.
#[derive(Debug, Clone, PartialEq)]
pub struct FlashModel {
    /// Capacity in bytes.
    pub capacity_bytes: u64,
    /// Bytes that are mapped as one: 4 to 64 KiB, a power of two.
    pub unit_bytes: u32,
    /// Effective over-provisioning in percent of the capacity.
    pub over_provisioning_percent: f64,
    /// Blocks into which the flash is divided for collection. Drives have fewer and larger ones, whose write
    /// amplification is that of very large blocks; below about 4,096 a simulation of them would be wrong
    /// (`few_blocks`).
    pub blocks: u32,
    /// How writes are assigned to open blocks.
    pub frontiers: Frontiers,
    /// Which block is collected.
    pub victims: VictimChoice,
    /// The flash chips.
    pub nand: NandModel,
    /// Time for which a command occupies the controller. It limits IOPS; alone it adds no latency.
    pub command_ns: u64,
    /// Latency of every I/O beyond flash, bus and link.
    pub fixed_ns: u64,
    /// Bytes a second on the link to the host, in each direction.
    pub link_bytes_per_s: u64,
    /// Bytes of the write buffer.
    pub buffer_bytes: u64,
    /// Whether the buffer survives a loss of power, so that a flush has nothing to do.
    pub power_loss_protection: bool,
    /// Cache of flash that is written with one bit a cell.
    pub slc: Option<SlcModel>,
    /// Warmth and throttling.
    pub heat: Option<HeatModel>,
    /// The drive is 1/scale of this: capacity, parallelism, buffer and cache alike.
    pub scale: u32,
    /// Bytes of memory that the simulation may take.
    pub memory_bytes_max: u64,
}

/// Flash chips and the buses to them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NandModel {
    /// Buses.
    pub channels: u32,
    /// Dies on all channels together.
    pub dies: u32,
    /// Planes of a die; they program together.
    pub planes: u32,
    /// Groups of planes that read independently of each other.
    pub read_groups: u32,
    /// Bytes of a page of one plane.
    pub page_bytes: u32,
    /// Pages of a word line: bits of a cell.
    pub word_line_pages: u32,
    /// Pages of a plane's erase block.
    pub block_pages: u32,
    /// Time to read a page.
    pub read_ns: u64,
    /// Time to program a word line on all planes of a die.
    pub program_ns: u64,
    /// Time to erase a block. It is charged in equal parts to the word lines of the block, as drives spread
    /// it.
    pub erase_ns: u64,
    /// The longest that a read waits for a program, which is then suspended; `None` if the program always
    /// ends first.
    pub suspend_ns: Option<u64>,
    /// Bytes a second on a channel.
    pub bus_bytes_per_s: u64,
}

/// What happens to a write when the SLC cache is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlcFull {
    /// It goes to its final place directly.
    Direct,
    /// It goes through the cache, and as much as it brings is folded first.
    Fold,
}

/// A cache of flash in SLC mode, whose size depends on how full the drive is: `fixed + dynamic · max(0, 1 −
/// fill / 0.75)`, as Intel's 660p has it. Its data is folded to its final place when the drive is idle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlcModel {
    /// Bytes that are always there.
    pub fixed_bytes: u64,
    /// Bytes more when the drive is empty.
    pub dynamic_bytes: u64,
    /// Time to read a page.
    pub read_ns: u64,
    /// Time to program one page on all planes of a die.
    pub program_ns: u64,
    /// What happens when it is full.
    pub full: SlcFull,
    /// The drive folds when it has been idle for so long.
    pub idle_ns: u64,
}

/// Warmth: `C · dT/dt = P − (T − ambient) / R`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeatModel {
    /// Temperature of the air, °C.
    pub ambient_c: f64,
    /// Thermal resistance to the air, K/W.
    pub resistance_k_per_w: f64,
    /// Heat capacity, J/K.
    pub capacity_j_per_k: f64,
    /// Power at rest, W.
    pub idle_w: f64,
    /// Energy of a byte read, nJ.
    pub read_nj_per_byte: f64,
    /// Energy of a byte programmed, nJ.
    pub program_nj_per_byte: f64,
    /// Energy of a byte programmed in SLC mode, nJ.
    pub slc_nj_per_byte: f64,
    /// Above this the drive takes 1.5 times as long for everything (NVMe's TMT1), °C.
    pub light_throttle_c: f64,
    /// Above this it takes 4 times as long (TMT2), °C.
    pub heavy_throttle_c: f64,
}

impl NandModel {
    /// Bytes of a word line on all planes of a die: what is programmed at once.
    pub fn word_line_bytes(&self) -> u64 {
        self.plane_set_bytes() * u64::from(self.word_line_pages)
    }

    /// Bytes that all planes of a die read at once.
    pub fn plane_set_bytes(&self) -> u64 {
        u64::from(self.planes) * u64::from(self.page_bytes)
    }
}
