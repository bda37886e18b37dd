//! The facts about a disk, relative to its directory in sysfs.

use super::Row;
use super::parse::{flag, number, sectors, selected, text};

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    Row { name: "model", paths: &["device/model"], parse: text },
    Row { name: "firmware", paths: &["device/firmware_rev", "device/rev"], parse: text },
    Row { name: "size_bytes", paths: &["size"], parse: sectors },
    Row { name: "logical_block_bytes", paths: &["queue/logical_block_size"], parse: number },
    Row { name: "physical_block_bytes", paths: &["queue/physical_block_size"], parse: number },
    Row { name: "scheduler", paths: &["queue/scheduler"], parse: selected },
    Row { name: "nr_requests", paths: &["queue/nr_requests"], parse: number },
    Row { name: "max_sectors_kib", paths: &["queue/max_sectors_kb"], parse: number },
    Row { name: "max_hw_sectors_kib", paths: &["queue/max_hw_sectors_kb"], parse: number },
    Row { name: "read_ahead_kib", paths: &["queue/read_ahead_kb"], parse: number },
    Row { name: "nomerges", paths: &["queue/nomerges"], parse: number },
    Row { name: "rq_affinity", paths: &["queue/rq_affinity"], parse: number },
    Row { name: "rotational", paths: &["queue/rotational"], parse: flag },
    Row { name: "write_cache", paths: &["queue/write_cache"], parse: text },
    Row { name: "io_poll", paths: &["queue/io_poll"], parse: flag },
    Row { name: "iostats", paths: &["queue/iostats"], parse: flag },
    Row { name: "zoned", paths: &["queue/zoned"], parse: text },
    Row { name: "discard_max_bytes", paths: &["queue/discard_max_bytes"], parse: number },
    Row { name: "loop_backing_file", paths: &["loop/backing_file"], parse: text },
    Row { name: "loop_direct_io", paths: &["loop/dio"], parse: flag },
];
