//! Recording and replaying I/O: known, not built yet.

use crate::option::{Kind, OptionDef};
use crate::rows;

const REPLAY: OptionDef = OptionDef::refused(
    "not in this version: recording and replaying I/O is not built yet; write_lat_log with log_offset=1 \
        records each I/O, and a job with bssplit, rwmixread and rate_iops comes near a recorded load",
);

rows! {
    REPLAY.row("write_iolog", "record the I/Os in this file");
    REPLAY.row("read_iolog", "replay the I/Os of this file");
    REPLAY.off("read_iolog_chunked", "read the file of read_iolog in pieces");
    REPLAY.off("replay_no_stall", "replay without the recorded gaps");
    REPLAY.row("replay_redirect", "replay on this device");
    REPLAY.of("replay_scale", Kind::COUNT, "1", "divide recorded offsets by this");
    REPLAY.of("replay_align", Kind::BYTES, "0", "align recorded offsets to this many bytes");
    REPLAY.of("replay_time_scale", Kind::COUNT, "100", "percent of the recorded gaps to keep");
    REPLAY.row("replay_skip", "directions not to replay");
    REPLAY.row("merge_blktrace_file", "merge recordings into this file");
    REPLAY.of("merge_blktrace_scalars", Kind::Numbers, "",
        "percent by which each recording's times are scaled");
    REPLAY.of("merge_blktrace_iters", Kind::Numbers, "", "repetitions of each recording");
}
