//! Which blocks, in which order, in which direction, and how much of the target a job uses.

use crate::direction::PerDirection;
use crate::distribution::Distribution;
use crate::option::{Kind, OptionDef, OptionRelation, OptionStatus};
use crate::table;
use crate::units::Bytes;
use crate::value::{Rw, Size, SizeRange, Split};

const BASE: OptionDef = OptionDef::BASE;
const FLAG: OptionDef = OptionDef::FLAG;
const SIZE_BASE: OptionDef = OptionDef { kind: Kind::AMOUNT, ..OptionDef::BASE };

table! {
    // Which blocks, in which order, in which direction.
    RW: Rw = OptionDef {
        name: "rw", aliases: &["readwrite"], kind: Kind::Rw, default: "read",
        help: "access pattern; `rand…:N` jumps to a random offset every N I/Os, `read:N` and `write:N` \
            skip N bytes after each I/O",
        ..BASE
    };
    RWMIXREAD: Option<u32> = OptionDef {
        name: "rwmixread", kind: Kind::PERCENT, relation: OptionRelation::Opposite("rwmixwrite"),
        help: "percent of I/Os of a read-write mix that are reads; 50 if neither share is given", ..BASE
    };
    RWMIXWRITE: Option<u32> = OptionDef {
        name: "rwmixwrite", kind: Kind::PERCENT, relation: OptionRelation::Opposite("rwmixread"),
        help: "percent of I/Os of a read-write mix that are writes; 50 if neither share is given", ..BASE
    };
    BS: PerDirection<Bytes> = OptionDef {
        name: "bs", aliases: &["blocksize"], kind: Kind::PerDirection(&Kind::BLOCK), default: "4096",
        help: "bytes of each I/O: `all`, or `read,write,trim`", ..BASE
    };
    BSRANGE: Option<PerDirection<SizeRange>> = OptionDef {
        name: "bsrange", aliases: &["blocksize_range"],
        kind: Kind::PerDirection(&Kind::Range { lone: false }),
        help: "bytes of each I/O, drawn evenly from the multiples of the low end: `low-high`", ..BASE
    };
    BSSPLIT: Option<PerDirection<Vec<Split>>> = BASE.of("bssplit", Kind::PerDirection(&Kind::Splits), "",
        "bytes of each I/O, drawn at random: `size/percent:size/percent…`; the percentages count \
            I/Os, not bytes");
    BS_IS_SEQ_RAND: bool = OptionDef {
        name: "bs_is_seq_rand",
        status: OptionStatus::Differently("a job with both sequential and random I/O (percentage_random, rw=rand…:N) \
            is an error"),
        help: "the first value of bs, bsrange or bssplit is for sequential I/O, the second for random I/O, in all directions",
        ..OptionDef::OFF
    };
    BS_UNALIGNED: bool = OptionDef {
        name: "bs_unaligned", aliases: &["blocksize_unaligned"],
        help: "draw any size within bsrange, not only multiples of its low end; not with direct=1", ..FLAG
    };
    BLOCKALIGN: Option<PerDirection<Bytes>> = OptionDef {
        name: "ba", aliases: &["blockalign"], kind: Kind::PerDirection(&Kind::BLOCK),
        help: "random offsets are multiples of this many bytes; the smallest block size if not given",
        ..BASE
    };
    RW_SEQUENCER: &'static str = OptionDef {
        name: "rw_sequencer", kind: Kind::Word(&[("sequential", "sequential"), ("identical", "identical")]),
        default: "sequential",
        help: "what `rw=rand…:N` does between two jumps: go on from there, or repeat the same offset",
        ..BASE
    };
    PERCENTAGE_RANDOM: PerDirection<u32> = OptionDef {
        name: "percentage_random", kind: Kind::PerDirection(&Kind::PERCENT), default: "100",
        help: "percent of the I/Os of a random job that go to a random offset; the others go on where the \
            last one ended",
        ..BASE
    };
    RANDOM_DISTRIBUTION: Distribution = OptionDef {
        name: "random_distribution", kind: Kind::Distribution, default: "random",
        status: OptionStatus::Differently("zipf, pareto and normal follow their distributions exactly, and zipf and \
            pareto can reach every block; compat=fio draws by fio's formulas"),
        help: "how random offsets are spread over the region; with all others than random, blocks repeat as with norandommap",
        ..BASE
    };
    RANDOM_SEQUENCE_STRIDE: bool = OptionDef {
        name: "random_sequence_stride",
        help: "with random_distribution=sequence: each time the list begins again, it begins behind the blocks that it has had",
        ..OptionDef::OFF
    };
    RANDOM_GENERATOR: &'static str = OptionDef {
        name: "random_generator", default: "tausworthe",
        kind: Kind::Word(&[("tausworthe", "tausworthe"), ("lfsr", "lfsr"), ("tausworthe64", "tausworthe64")]),
        status: OptionStatus::Differently("fathom's own generators: xoshiro256++, and for full coverage a \
            permutation that needs no memory; lfsr selects the latter"),
        help: "generator of random offsets", ..BASE
    };
    RANDREPEAT: bool = OptionDef {
        name: "randrepeat", aliases: &["allrandrepeat"],
        help: "same seeds, so the same offsets, in each run", ..OptionDef::ON
    };
    RANDSEED: u64 = BASE.of("randseed", Kind::Int { min: 0, max: i64::MAX }, "0x89",
        "seed of all random numbers; given, it overrides randrepeat");
    NORANDOMMAP: bool = FLAG.row("norandommap",
        "draw each random offset independently: blocks may repeat, and some may never be used");
    SOFTRANDOMMAP: bool = OptionDef {
        name: "softrandommap",
        help: "go on without full coverage if the map does not fit in memory",
        status: OptionStatus::NoEffect("full coverage needs no map here, so there is nothing that might not fit"),
        ..OptionDef::OFF
    };
    // How much of the target a job uses, and from which byte.
    SIZE: Option<Size> = SIZE_BASE.row("size",
        "bytes of the region that the job works on, and of a file to be created; `N%` of the target");
    IO_SIZE: Option<Size> = OptionDef {
        name: "io_size", aliases: &["io_limit"], help: "bytes to move; size if not given", ..SIZE_BASE
    };
    OFFSET: Size = OptionDef {
        name: "offset", aliases: &["fileoffset"], default: "0",
        help: "first byte of the region, from the start of the target; `N%` of it", ..SIZE_BASE
    };
    OFFSET_INCREMENT: Size = OptionDef {
        name: "offset_increment", default: "0",
        help: "bytes from the start of one clone's region to the start of the next clone's",
        ..SIZE_BASE
    };
    OFFSET_ALIGN: Bytes = SIZE_BASE.of("offset_align", Kind::BYTES, "0",
        "round an offset given in percent to a multiple of this many bytes; 0 is the smallest block");
    FILESIZE: Option<SizeRange> = SIZE_BASE.of("filesize", Kind::Range { lone: true }, "",
        "bytes of each file, or `low-high`: drawn between the two");
    NUMBER_IOS: u64 = SIZE_BASE.of("number_ios", Kind::Int { min: 0, max: i64::MAX }, "0",
        "end after this many I/Os; 0 means no limit");
    LOOPS: u32 = SIZE_BASE.of("loops", Kind::Int { min: 1, max: u32::MAX as i64 }, "1", "passes over the region");
}
