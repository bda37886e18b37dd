//! What is written, and the memory it is written from.

use crate::option::{Kind, OptionDef, Status, Topic};
use crate::table;
use crate::units::Bytes;

const BASE: OptionDef = OptionDef { topic: Topic::Buffer, ..OptionDef::BASE };
const FLAG: OptionDef = OptionDef { topic: Topic::Buffer, ..OptionDef::FLAG };

table! {
    /// New data for each write.
    REFILL_BUFFERS: bool = OptionDef {
        name: "refill_buffers", help: "fill the buffer with new random data before each write", ..FLAG
    };
    /// Write zeros.
    ZERO_BUFFERS: bool = OptionDef { name: "zero_buffers", help: "write zeros", ..FLAG };
    /// Change a little before each write.
    SCRAMBLE_BUFFERS: bool = OptionDef {
        name: "scramble_buffers", topic: Topic::Buffer,
        help: "change a few bytes in each 512 before each write, so that no two blocks are alike",
        ..OptionDef::ON
    };
    /// How far apart the changes are.
    SCRAMBLE_CHUNK: Bytes = OptionDef {
        name: "scramble_chunk", kind: Kind::BLOCK, default: "512", source: "fathom",
        help: "scramble_buffers changes a few bytes in each of these; larger costs less, but devices that \
            deduplicate below it see equal data",
        ..BASE
    };
    /// Write a pattern.
    BUFFER_PATTERN: Option<Vec<u8>> = OptionDef {
        name: "buffer_pattern", kind: Kind::Pattern,
        help: "write these bytes over and over: decimal, 0x…, \"text\", one after another", ..BASE
    };
    /// Compressible share.
    BUFFER_COMPRESS_PERCENTAGE: Option<u32> = OptionDef {
        name: "buffer_compress_percentage", kind: Kind::PERCENT,
        help: "percent of each chunk that compresses to nothing", ..BASE
    };
    /// Its granularity.
    BUFFER_COMPRESS_CHUNK: Bytes = OptionDef {
        name: "buffer_compress_chunk", kind: Kind::BLOCK, default: "512",
        help: "bytes over which buffer_compress_percentage is held", ..BASE
    };
    /// Share of duplicates.
    DEDUPE_PERCENTAGE: Option<u32> = OptionDef {
        name: "dedupe_percentage", kind: Kind::PERCENT, help: "percent of writes that repeat earlier data",
        ..BASE
    };
    /// Duplicates of what.
    DEDUPE_MODE: &'static str = OptionDef {
        name: "dedupe_mode", kind: Kind::Word(&[("repeat", "repeat")]), default: "repeat",
        refused_words: &[("working_set", "not in this version: duplicates repeat the last unique data (dedupe_mode=repeat)")],
        help: "what a duplicate repeats", ..BASE
    };
    /// Memory of the buffers.
    MEM: &'static str = OptionDef {
        name: "mem", aliases: &["iomem"], default: "malloc",
        kind: Kind::Word(&[("malloc", "malloc"), ("shm", "shm"), ("shmhuge", "shmhuge"), ("mmap", "mmap"), ("mmaphuge", "mmaphuge"), ("mmapshared", "mmapshared")]),
        refused_words: &[("cudamalloc", "buffers in GPU memory are not supported")],
        status: Status::Differently("one private anonymous mapping for each worker, of huge pages for \
            shmhuge and mmaphuge; a file behind it (mmap:FILE) is refused"),
        help: "where the I/O buffers lie", ..BASE
    };
    /// Offset of the buffers within their alignment.
    IOMEM_ALIGN: Bytes = OptionDef {
        name: "iomem_align", aliases: &["mem_align"], kind: Kind::BYTES, default: "0",
        help: "each buffer starts at a multiple of this many bytes, a power of two of at most 1 GiB; \
            0 is the page size",
        ..BASE
    };
    /// Size of huge pages.
    HUGEPAGE_SIZE: Bytes = OptionDef {
        name: "hugepage-size", kind: Kind::BYTES, default: "0",
        status: Status::NoEffect("huge pages are of the system's default size"),
        help: "bytes of a huge page, for mem=shmhuge and mmaphuge; 0 is the system's default", ..BASE
    };
}
