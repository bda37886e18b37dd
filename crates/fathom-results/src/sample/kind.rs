//! The kinds of tables, and the columns of each.
//!
//! Counters are named after what they count; times of disks are milliseconds, times of CPUs ticks of `USER_HZ`, 10 ms on
//! every architecture that fathom builds for. Only their ratios are used.

/// One kind of table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleKind {
    /// Its name in a spool.
    pub name: &'static str,
    /// Its columns; none for a table whose columns are CPUs.
    pub columns: &'static [&'static str],
    /// Whether the numbers are counters since boot. Otherwise they are gauges: values of the moment.
    pub is_counter: bool,
}

/// Time of each CPU by use, ticks (`/proc/stat`).
pub const CPU: SampleKind = SampleKind {
    name: "cpu",
    columns: &["user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice"],
    is_counter: true,
};

/// The clock of each CPU, its nominal one and the highest that it may have, kHz (cpufreq); 0 where that is not known.
pub const CLOCK: SampleKind =
    SampleKind { name: "clock", columns: &["khz", "khz_nominal", "khz_max"], is_counter: false };

/// Interrupts of the targets' devices: a row for each interrupt, a column for each CPU.
pub const INTERRUPT: SampleKind = SampleKind { name: "interrupt", columns: &[], is_counter: true };

/// The disks below the targets (`/sys/block/X/stat`); sectors of 512 bytes, times in milliseconds.
pub const DISK: SampleKind = SampleKind {
    name: "disk",
    columns: &[
        "reads",
        "read_merges",
        "read_sectors",
        "read_wait_ms",
        "writes",
        "write_merges",
        "write_sectors",
        "write_wait_ms",
        "busy_ms",
        "wait_ms",
        "discards",
        "discard_merges",
        "discard_sectors",
        "discard_wait_ms",
        "flushes",
        "flush_wait_ms",
    ],
    is_counter: true,
};

/// Memory, KiB: lines of `/proc/meminfo` with their names.
pub const MEMORY: SampleKind = SampleKind {
    name: "memory",
    columns: &[
        "MemTotal",
        "MemFree",
        "MemAvailable",
        "Buffers",
        "Cached",
        "SwapCached",
        "Active",
        "Inactive",
        "SwapTotal",
        "SwapFree",
        "Dirty",
        "Writeback",
        "AnonPages",
        "Shmem",
        "KReclaimable",
        "Slab",
        "SReclaimable",
        "KernelStack",
        "PageTables",
        "VmallocUsed",
        "Committed_AS",
    ],
    is_counter: false,
};

/// Paging, swapping and write-back: lines of `/proc/vmstat` with their names; `pgpgin` and `pgpgout` are KiB, the others
/// pages or events.
pub const PAGING: SampleKind = SampleKind {
    name: "paging",
    columns: &[
        "pgpgin",
        "pgpgout",
        "pgfault",
        "pgmajfault",
        "pgfree",
        "pgscan_kswapd",
        "pgscan_direct",
        "pgsteal_kswapd",
        "pgsteal_direct",
        "pswpin",
        "pswpout",
        "nr_dirtied",
        "nr_written",
    ],
    is_counter: true,
};

/// Pages that were added to the page cache, as the kernel's tracepoint counts them.
pub const PAGE_CACHE: SampleKind =
    SampleKind { name: "page-cache", columns: &["pages_added"], is_counter: true };

/// Temperatures of drives and CPUs and the limit that the sensor names, thousandths of a kelvin; 0 where it names none (hwmon).
pub const TEMPERATURE: SampleKind =
    SampleKind { name: "temperature", columns: &["millikelvin", "millikelvin_max"], is_counter: false };

/// How often heat slowed a CPU down (thermal_throttle).
pub const THROTTLE: SampleKind =
    SampleKind { name: "throttle", columns: &["core", "package"], is_counter: true };

/// Errors on the PCIe links of the targets' devices (AER).
pub const LINK_ERRORS: SampleKind =
    SampleKind { name: "link-errors", columns: &["correctable", "nonfatal", "fatal"], is_counter: true };

/// Every kind.
pub const ALL: [&SampleKind; 10] =
    [&CPU, &CLOCK, &INTERRUPT, &DISK, &MEMORY, &PAGING, &PAGE_CACHE, &TEMPERATURE, &THROTTLE, &LINK_ERRORS];
