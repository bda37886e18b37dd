//! Recording and replaying I/O: known, not built yet.

use crate::option::{Kind, OptionDef};
use crate::rows;

const REPLAY: OptionDef =
    OptionDef::refused("not in this version: recording and replaying I/O is not built yet");

rows! {
    OptionDef { name: "write_iolog", help: "record the I/Os in this file", ..REPLAY };
    OptionDef { name: "read_iolog", help: "replay the I/Os of this file", ..REPLAY };
    OptionDef {
        name: "read_iolog_chunked", kind: Kind::Bool, default: "0",
        help: "read the file of read_iolog in pieces",
        ..REPLAY
    };
    OptionDef {
        name: "replay_no_stall", kind: Kind::Bool, default: "0", help: "replay without the recorded gaps",
        ..REPLAY
    };
    OptionDef { name: "replay_redirect", help: "replay on this device", ..REPLAY };
    OptionDef {
        name: "replay_scale", kind: Kind::COUNT, default: "1", help: "divide recorded offsets by this",
        ..REPLAY
    };
    OptionDef {
        name: "replay_align", kind: Kind::BYTES, default: "0",
        help: "align recorded offsets to this many bytes", ..REPLAY
    };
    OptionDef {
        name: "replay_time_scale", kind: Kind::COUNT, default: "100",
        help: "percent of the recorded gaps to keep", ..REPLAY
    };
    OptionDef { name: "replay_skip", help: "directions not to replay", ..REPLAY };
    OptionDef { name: "merge_blktrace_file", help: "merge recordings into this file", ..REPLAY };
    OptionDef {
        name: "merge_blktrace_scalars", kind: Kind::Numbers,
        help: "percent by which each recording's times are scaled", ..REPLAY
    };
    OptionDef {
        name: "merge_blktrace_iters", kind: Kind::Numbers, help: "repetitions of each recording", ..REPLAY
    };
}
