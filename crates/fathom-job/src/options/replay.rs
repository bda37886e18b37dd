//! Traces: I/Os that are recorded, and recorded I/Os that are issued again.

use crate::option::{Kind, OptionDef, OptionStatus};
use crate::table;
use crate::units::Bytes;

const BASE: OptionDef = OptionDef::BASE;
/// fio 3.33 uses these for recordings of blktrace alone.
const ALSO_OF_TEXT: OptionDef = OptionDef {
    status: OptionStatus::Differently(
        "fio 3.33 does this to recordings of blktrace alone; fathom does it to fio's text of I/Os too",
    ),
    ..BASE
};

table! {
    READ_IOLOG: Option<Vec<String>> = OptionDef {
        name: "read_iolog", kind: Kind::List,
        help: "issue the I/Os of this file, which is fio's text of I/Os, version 2 or 3, a recording of blktrace, or a text with trace_columns; \
            several, separated by `:`, are given to the clones in turn",
        status: OptionStatus::Differently("pipes are not read; a wrong line or event is an error before the run, and fio leaves it out or \
            ends there; times are kept from the start of the trace, trims are issued, and loops repeat the trace"),
        ..BASE
    };
    WRITE_IOLOG: Option<String> = OptionDef {
        name: "write_iolog", help: "write what the job issues to this file, as fio's text of I/Os of version 3",
        status: OptionStatus::Differently("jobs that name the same file get one each, NAME.1, NAME.2 and so on; fio mixes their lines"),
        ..BASE
    };
    READ_IOLOG_CHUNKED: bool = OptionDef {
        name: "read_iolog_chunked", help: "read the file of read_iolog in pieces",
        status: OptionStatus::NoEffect("a trace is always read in pieces"), ..OptionDef::OFF
    };
    REPLAY_NO_STALL: bool = OptionDef::OFF.row("replay_no_stall", "replay without the gaps of the trace");
    REPLAY_TIME_SCALE: u32 = BASE.of("replay_time_scale", Kind::Int { min: 1, max: i32::MAX as i64 }, "100",
        "speed of a replay in percent: 200 is twice as fast");
    REPLAY_REDIRECT: Option<String> = ALSO_OF_TEXT.row("replay_redirect",
        "issue all I/Os of the trace on this file or device");
    REPLAY_SCALE: u32 = ALSO_OF_TEXT.of("replay_scale", Kind::Int { min: 1, max: u32::MAX as i64 }, "1",
        "divide the offsets of the trace by this");
    REPLAY_ALIGN: Option<Bytes> = ALSO_OF_TEXT.of("replay_align", Kind::BLOCK, "",
        "round the offsets of the trace down to a multiple of this power of two, after replay_scale, and lengths up");
    REPLAY_SKIP: Option<String> = ALSO_OF_TEXT.row("replay_skip",
        "what of a trace is left out: read, write, trim, sync, separated by commas");
    TRACE_COLUMNS: Option<String> = OptionDef { source: "fathom", ..BASE }.row("trace_columns",
        "what the columns of the text of read_iolog are: msr, alibaba, blkparse, or a list of time_s, time_ms, time_us, time_ns, \
        time_filetime, op, offset, sector, length, sectors, device, major_minor, action and `-`, separated by `,` where `,`, `;` or tabs separate fields, and else by white space");
    MERGE_BLKTRACE_FILE: Option<String> = OptionDef {
        name: "merge_blktrace_file", help: "replay the recordings of read_iolog as one, and write that recording to this file",
        status: OptionStatus::Differently("the times of each recording count from its first I/O; the recordings are merged while they are \
            replayed, and the file is a copy"),
        ..BASE
    };
    MERGE_BLKTRACE_SCALARS: Option<Vec<f64>> = BASE.of("merge_blktrace_scalars", Kind::Numbers, "",
        "percent by which the times of each recording are multiplied");
    MERGE_BLKTRACE_ITERS: Option<Vec<f64>> = BASE.of("merge_blktrace_iters", Kind::Numbers, "",
        "repetitions of each recording");
}
