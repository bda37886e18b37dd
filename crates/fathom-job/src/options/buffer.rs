//! CPUs and memory of the workers, what they write, and when it must be safe.

use crate::option::{Kind, OptionDef, OptionRelation, OptionStatus};
use crate::table;
use crate::units::Bytes;
use crate::value::{MemPolicy, SyncRange};

const BASE: OptionDef = OptionDef::BASE;
const FLAG: OptionDef = OptionDef::FLAG;
const DURABILITY_BASE: OptionDef = OptionDef { kind: Kind::COUNT, ..OptionDef::BASE };
const OFF: OptionDef = OptionDef::OFF;

table! {
    // CPUs, memory nodes and priorities of the workers.
    CPUS_ALLOWED: Option<Vec<usize>> = BASE.of("cpus_allowed", Kind::Cpus, "",
        "CPUs that the job may run on: `0,2,8-15`");
    CPUMASK: Option<Vec<usize>> = OptionDef {
        name: "cpumask", kind: Kind::CpuMask, relation: OptionRelation::Becomes("cpus_allowed"),
        help: "CPUs 0 to 31 that the job may run on, as a bit mask", ..BASE
    };
    CPUS_ALLOWED_POLICY: &'static str = OptionDef {
        name: "cpus_allowed_policy", kind: Kind::Word(&[("shared", "shared"), ("split", "split")]),
        default: "shared",
        help: "shared: every clone may use all of cpus_allowed; split: each clone gets one of those CPUs",
        ..BASE
    };
    NUMA_CPU_NODES: Option<Vec<usize>> = BASE.of("numa_cpu_nodes", Kind::Cpus, "",
        "NUMA nodes on whose CPUs the job runs: `0,2-3`");
    NUMA_MEM_POLICY: Option<MemPolicy> = BASE.of("numa_mem_policy", Kind::MemPolicy, "",
        "NUMA nodes of the buffers: default, local, prefer:N, bind:LIST, interleave:LIST");
    NICE: i64 = BASE.of("nice", Kind::Int { min: -20, max: 19 }, "0",
        "CPU priority, -20 (first) to 19 (last)");
    PRIO: Option<u32> = BASE.of("prio", Kind::Int { min: 0, max: 7 }, "",
        "I/O priority within the class, 0 (first) to 7");
    PRIOCLASS: Option<u32> = BASE.of("prioclass", Kind::Int { min: 0, max: 3 }, "",
        "I/O priority class: 1 real-time, 2 best effort, 3 idle");
    PRIOHINT: u32 = BASE.of("priohint", Kind::Int { min: 0, max: 1023 }, "0", "I/O priority hint");
    // What is written, and the memory it is written from.
    REFILL_BUFFERS: bool = FLAG.row("refill_buffers",
        "fill the buffer with new random data before each write");
    ZERO_BUFFERS: bool = OptionDef { name: "zero_buffers", help: "write zeros", ..FLAG };
    SCRAMBLE_BUFFERS: bool = OptionDef::ON.row("scramble_buffers",
        "change a few bytes in every 512 bytes of the buffer before each write, so that no two \
            blocks are equal");
    SCRAMBLE_CHUNK: Bytes = OptionDef {
        name: "scramble_chunk", kind: Kind::BLOCK, default: "512", source: "fathom",
        help: "scramble_buffers changes a few bytes in each chunk of this many bytes; larger chunks cost \
            less CPU, but a device that deduplicates smaller blocks sees equal data",
        ..BASE
    };
    BUFFER_PATTERN: Option<Vec<u8>> = BASE.of("buffer_pattern", Kind::Pattern, "",
        "write these bytes over and over: decimal, 0x…, \"text\", one after another");
    BUFFER_COMPRESS_PERCENTAGE: Option<u32> = BASE.of("buffer_compress_percentage", Kind::PERCENT, "",
        "percent of each chunk that compresses to nothing");
    BUFFER_COMPRESS_CHUNK: Bytes = BASE.of("buffer_compress_chunk", Kind::BLOCK, "512",
        "bytes of the chunks that buffer_compress_percentage applies to");
    DEDUPE_PERCENTAGE: Option<u32> = BASE.of("dedupe_percentage", Kind::PERCENT, "",
        "percent of writes that repeat earlier data");
    DEDUPE_MODE: &'static str = OptionDef {
        name: "dedupe_mode", kind: Kind::Word(&[("repeat", "repeat"), ("working_set", "working_set")]),
        default: "repeat",
        help: "what a duplicate repeats: the last unique block, or any of the first ones (working_set)", ..BASE
    };
    DEDUPE_WORKING_SET_PERCENTAGE: u32 = BASE.of("dedupe_working_set_percentage", Kind::PERCENT, "5",
        "percent of the job's files that dedupe_mode=working_set has unique blocks for");
    DEDUPE_GLOBAL: bool = OFF.row("dedupe_global",
        "with dedupe_mode=working_set: duplicates repeat the blocks of all jobs that have this option, each job's alike");
    MEM: &'static str = OptionDef {
        name: "mem", aliases: &["iomem"], default: "malloc",
        kind: Kind::Word(&[("malloc", "malloc"), ("shm", "shm"), ("shmhuge", "shmhuge"), ("mmap", "mmap"), ("mmaphuge", "mmaphuge"), ("mmapshared", "mmapshared")]),
        refused_words: &[("cudamalloc", "buffers in GPU memory are not supported")],
        status: OptionStatus::Differently("each worker has one private anonymous mapping, with huge pages for \
            shmhuge and mmaphuge; a mapped file (mmap:FILE) is refused"),
        help: "kind of memory that holds the I/O buffers", ..BASE
    };
    IOMEM_ALIGN: Bytes = OptionDef {
        name: "iomem_align", aliases: &["mem_align"], kind: Kind::BYTES, default: "0",
        help: "each buffer starts at a multiple of this many bytes, a power of two of at most 1 GiB; \
            0 is the page size",
        ..BASE
    };
    HUGEPAGE_SIZE: Bytes = OptionDef {
        name: "hugepage-size", kind: Kind::BYTES, default: "0",
        status: OptionStatus::NoEffect("huge pages always have the system's default size"),
        help: "bytes of a huge page, for mem=shmhuge and mmaphuge; 0 is the system's default", ..BASE
    };
    WRITE_HINT: Option<&'static str> = OptionDef {
        name: "write_hint",
        kind: Kind::Word(&[("none", "none"), ("short", "short"), ("medium", "medium"), ("long", "long"), ("extreme", "extreme")]),
        help: "how long written data will live, for the file system and the drive: fcntl(2) with F_SET_RW_HINT", ..BASE
    };
    // When written data must be safe.
    FSYNC: u32 = OptionDef {
        name: "fsync", default: "0", help: "fsync after every N writes; 0 is never", ..DURABILITY_BASE
    };
    FDATASYNC: u32 = OptionDef {
        name: "fdatasync", default: "0", help: "fdatasync after every N writes; 0 is never", ..DURABILITY_BASE
    };
    SYNC_FILE_RANGE: Option<SyncRange> = OptionDef {
        name: "sync_file_range", kind: Kind::SyncRange,
        status: OptionStatus::Differently("each call covers the whole file, not only the writes since the \
            previous call"),
        help: "sync_file_range of the file after every N writes: `wait_before,write,wait_after:N`", ..DURABILITY_BASE
    };
    END_FSYNC: bool = OFF.row("end_fsync", "fsync when all writes are done, within the measured time");
    END_SYNCFS: bool = OFF.row("end_syncfs",
        "syncfs the file systems of the files when all writes are done, within the measured time");
    FSYNC_ON_CLOSE: bool = OptionDef { name: "fsync_on_close", help: "fsync when a file is closed", ..OFF };
    SYNC: &'static str = OptionDef {
        name: "sync",
        kind: Kind::Word(&[("none", "none"), ("0", "none"), ("sync", "sync"), ("1", "sync"), ("dsync", "dsync")]),
        default: "none", help: "open with O_SYNC or O_DSYNC: each write returns when the data is safe",
        ..DURABILITY_BASE
    };
}
