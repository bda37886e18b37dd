//! What is written, and the memory it is written from.

use crate::option::{Kind, OptionDef, OptionStatus};
use crate::table;
use crate::units::Bytes;

const BASE: OptionDef = OptionDef::BASE;
const FLAG: OptionDef = OptionDef::FLAG;

table! {
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
        name: "dedupe_mode", kind: Kind::Word(&[("repeat", "repeat")]), default: "repeat",
        refused_words: &[("working_set", "not in this version: duplicates repeat the last unique data (dedupe_mode=repeat)")],
        help: "what a duplicate repeats", ..BASE
    };
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
}
