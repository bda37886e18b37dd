//! Drives with a name. Their figures follow from their parts: dies × word line / program time.
//!
//! | preset | sequential read / write | 4 KiB random read / write, steady | read at iodepth 1 |
//! |---|---|---|---|
//! | `consumer` | 7.0 GB/s / 5.24, then 2.25 | 1.0 M / 63 K | 58 µs |
//! | `datacentre` | 6.5 / 3.5 | 700 K / 145 K | 84 µs |
//! | `qlc` | 1.8 / 1.81, then 0.109 | 220 K / 3.6 K | 113 µs |
//!
//! `thermal` is `consumer` without a heat sink.
//!
//! Published figures near them: Intel P5510 3.84 TB: 703 K and 146.5 K measured; Samsung PM9A3: 6.5 and 3.5
//! GB/s; Intel 660p 1 TB: 1.8 GB/s, 220 K, about 100 MB/s past the cache, which is 140 GB when empty and 12
//! GB from 75 % full.

use super::flash::{FlashModel, HeatModel, NandModel, SlcFull, SlcModel};
use crate::{Frontiers, VictimChoice};

const GB: u64 = 1_000_000_000;
const MIB: u64 = 1 << 20;

/// Bytes of memory that a simulated drive takes at most, unless `memory=` says otherwise.
pub const MEMORY_BYTES_MAX: u64 = 4 << 30;

/// The longest wait of a read for a program: MQSim's default.
const SUSPEND_NS: Option<u64> = Some(100_000);

/// The cache of a consumer's TLC drive counts as filled for this long before it is folded (our choice).
const SLC_IDLE_NS: u64 = 1_000_000_000;

/// Consumer TLC, 1 TB, PCIe 4.0, without power-loss protection.
pub fn consumer() -> FlashModel {
    FlashModel {
        capacity_bytes: 1000 * GB,
        unit_bytes: 4096,
        over_provisioning_percent: 7.0,
        blocks: 8192,
        frontiers: Frontiers::HostAndCollected,
        victims: VictimChoice::Greedy,
        nand: NandModel {
            channels: 8,
            dies: 16,
            planes: 4,
            read_groups: 4,
            page_bytes: 16_384,
            word_line_pages: 3,
            block_pages: 1536,
            read_ns: 45_000,
            program_ns: 1_400_000,
            erase_ns: 8_000_000,
            suspend_ns: SUSPEND_NS,
            bus_bytes_per_s: 1_600_000_000,
        },
        command_ns: 1000,
        fixed_ns: 10_000,
        link_bytes_per_s: 7 * GB,
        buffer_bytes: 64 * MIB,
        power_loss_protection: false,
        slc: Some(SlcModel {
            // Of the order of drives of this class; our choice.
            fixed_bytes: 6 * GB,
            dynamic_bytes: 108 * GB,
            read_ns: 25_000,
            program_ns: 200_000,
            full: SlcFull::Direct,
            idle_ns: SLC_IDLE_NS,
        }),
        heat: None,
        scale: 1,
        memory_bytes_max: MEMORY_BYTES_MAX,
    }
}

/// Datacentre TLC, 3.84 TB, PCIe 4.0, with power-loss protection.
pub fn datacentre() -> FlashModel {
    FlashModel {
        capacity_bytes: 3840 * GB,
        // 4,096 GiB of flash would be 14.5 %; spares and parity take their part.
        over_provisioning_percent: 11.0,
        nand: NandModel {
            dies: 32,
            read_groups: 2,
            read_ns: 70_000,
            program_ns: 1_800_000,
            erase_ns: 10_000_000,
            bus_bytes_per_s: 1_200_000_000,
            ..consumer().nand
        },
        command_ns: 1430,
        link_bytes_per_s: 6_500_000_000,
        power_loss_protection: true,
        slc: None,
        ..consumer()
    }
}

/// QLC with SLC cache, 1 TB, PCIe 3.0: everything is written to the cache first.
pub fn qlc() -> FlashModel {
    FlashModel {
        nand: NandModel {
            channels: 4,
            dies: 8,
            word_line_pages: 4,
            read_ns: 90_000,
            program_ns: 18_000_000,
            erase_ns: 10_000_000,
            bus_bytes_per_s: 670_000_000,
            ..consumer().nand
        },
        command_ns: 4500,
        fixed_ns: 15_000,
        link_bytes_per_s: 1_800_000_000,
        buffer_bytes: 16 * MIB,
        slc: Some(SlcModel {
            fixed_bytes: 12 * GB,
            dynamic_bytes: 128 * GB,
            read_ns: 30_000,
            program_ns: 290_000,
            full: SlcFull::Fold,
            idle_ns: SLC_IDLE_NS,
        }),
        ..consumer()
    }
}

/// The consumer drive without a heat sink. Busy all the time, it takes 6.5 W, would reach 88.5 °C, and is
/// throttled after 163 seconds.
pub fn thermal() -> FlashModel {
    FlashModel { heat: Some(BARE), ..consumer() }
}

/// A bare M.2 drive. The energies make 5 W more than at rest at 7 GB/s of reads, at 2.25 GB/s of programs and
/// at 5.24 GB/s of programs in SLC mode. (Our choice.)
const BARE: HeatModel = HeatModel {
    ambient_c: 30.0,
    resistance_k_per_w: 9.0,
    capacity_j_per_k: 15.0,
    idle_w: 1.5,
    read_nj_per_byte: 5.0 / 7.0,
    program_nj_per_byte: 5.0 / 2.25,
    slc_nj_per_byte: 5.0 / 5.24,
    light_throttle_c: 75.0,
    heavy_throttle_c: 82.0,
};
