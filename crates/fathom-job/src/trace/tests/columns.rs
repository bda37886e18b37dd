//! Texts with columns: what their lines say, and what is wrong with some.

use super::*;

fn terms(columns: &str) -> ReplayTerms {
    ReplayTerms { columns: Some(TraceColumns::read(columns).unwrap()), ..PLAIN }
}

/// What a text says: microseconds, the name of the file, operation, offset and length.
fn all(columns: &str, text: &str) -> Vec<(u64, String, TraceOp, u64, u64)> {
    let mut replay = Replay::begin(pieces(text, 7), &terms(columns)).unwrap();
    let mut all = Vec::new();
    while let Some(io) = replay.next_io().unwrap() {
        all.push((io.due_ns / 1000, replay.file_name(io.file), io.op, io.offset, io.len));
    }
    all
}

fn io(us: u64, name: &str, op: TraceOp, offset: u64, len: u64) -> (u64, String, TraceOp, u64, u64) {
    (us, name.to_owned(), op, offset, len)
}

#[test]
fn known_texts_are_read() {
    use TraceOp::{Read, Sync, Trim, Write};
    let msr =
        "128166372003061629,hm,1,Read,3154152960,32768,3115\n128166372003061729,hm,1,Write,4096,512,99\n";
    assert_eq!(
        all("msr", msr),
        [io(0, "hm.1", Read, 3_154_152_960, 32_768), io(10, "hm.1", Write, 4096, 512)]
    );
    let alibaba = "419,W,8792731648,16384,1577808144360767\n725,R,59110326272,4096,1577808144361767\n";
    assert_eq!(
        all("alibaba", alibaba),
        [io(0, "419", Write, 8_792_731_648, 16_384), io(1000, "725", Read, 59_110_326_272, 4096)]
    );
    // blkparse 1.2.0 prints these lines of a recording that was made of such events, and a summary that begins so.
    let blkparse = "  7,0    0        1     0.000000000   100  Q  WS 8 + 8 [fio]\n\
                    \x20 7,0    0        2     0.000003000   100  G  WS 8 + 8 [fio]\n\
                    \x20 7,0    1        3     0.010000500   100  Q   R 100 + 1 [fio]\n\
                    \x20 7,0    1        4     0.020000000   101  Q FWS [kworker/0:1 H]\n\
                    \x20 7,0    1        5     0.021000000   102  Q FWFSM 16 + 8 [jbd2/loop0]\n\
                    \x20 7,0    1        6     0.022000000   100  Q  DS 24 + 8 [fio]\n\
                    \x20 7,0    0        0     0.023000000     0  m   N cfq 5 / a note\n\
                    CPU0 (bp):\n Reads Queued:           0,        0KiB\t Writes Queued:           1,        4KiB\n\n";
    let file = "/dev/block/7:0";
    assert_eq!(
        all("blkparse", blkparse),
        [
            io(0, file, Write, 4096, 4096),
            io(10_000, file, Read, 51_200, 512),
            io(20_000, file, Sync, 0, 0),
            io(21_000, file, Sync, 0, 0),
            io(21_000, file, Write, 8192, 4096),
            io(22_000, file, Trim, 12_288, 4096),
        ]
    );
}

#[test]
fn columns_are_named_by_the_user() {
    use TraceOp::{Read, Write};
    let text = "Timestamp,Response,IOType,LUN,Offset,Size\n1.5,0.001,R,4,512,1024\n1.25,,W,4,0,4096\n";
    assert_eq!(
        all("time_s,-,op,device,offset,length", text),
        [io(0, "4", Write, 0, 4096), io(250_000, "4", Read, 512, 1024)]
    );
    assert_eq!(
        all("time_ms, op, sector, sectors", "3;0;2;1\n4;1;3;2\n"),
        [io(0, "trace", Read, 1024, 512), io(1000, "trace", Write, 1536, 1024)]
    );
}

/// Only names of columns are left out of the first line: an I/O behind the mark that begins a text in UTF-8 is one.
#[test]
fn the_first_line_is_an_io_unless_it_names_columns() {
    use TraceOp::{Read, Write};
    let columns = "time_us,op,offset,length";
    let both = [io(0, "trace", Read, 0, 512), io(1, "trace", Write, 512, 512)];
    for heading in ["", "time_us,op,offset1,length\n"] {
        for mark in ["", "\u{feff}"] {
            let text = format!("{mark}{heading}1,R,0,512\r\n2,W,512,512\r\n");
            assert_eq!(all(columns, &text), both, "{text:?}");
        }
    }
}

#[test]
fn wrong_columns_and_lines_are_errors() {
    for (columns, expected) in [
        ("time_us,op,offset", "length or sectors is named 0 times, and has to be named once"),
        ("time_us,time_s,op,offset,length", "a time is named 2 times, and has to be named once"),
    ] {
        assert_eq!(TraceColumns::read(columns).unwrap_err(), expected);
    }
    let why = TraceColumns::read("time_us,op,offset,size").unwrap_err();
    assert!(why.starts_with("there is no column `size`; there are time_s, "), "{why}");
    for (text, expected) in [
        ("1,R,0,512\n2,R,0\n", "line 2: it has 3 fields, and trace_columns names 4"),
        ("1,R,0,512\n2,R,,512\n", "line 2: the offset `` is not a number of at most 64 bits"),
        ("1,R,0,512\n2,Q,0,512\n", "line 2: there is no action `Q`"),
        ("1,R,0,512\n2,R,0,5", "line 2: the file ends within it"),
        ("1,R,0,512\n2,R,0,0\n", "line 2: an I/O has at least one byte"),
        ("1,R,0,512\nx,R,0,512\n", "line 2: the time `x` is not a number of at most 64 bits"),
        ("1.x,R,0,512\n", "line 1: the time `1.x` is not a number of at most 64 bits"),
        ("nan,R,0,512\n2,R,0,512\n", "line 1: the time `nan` is not a number of at most 64 bits"),
        ("-1,R,0,512\n2,R,0,512\n", "line 1: the time `-1` is not a number of at most 64 bits"),
        ("time,op,offset,length\n", "line 1: there is no I/O to replay before the end of the file"),
    ] {
        let defect = scan(pieces(text, 64), &terms("time_us,op,offset,length")).unwrap_err();
        assert_eq!(defect.to_string(), expected, "{text}");
    }
    let late: String =
        (0..1500).map(|i| format!("{},R,0,512\n", if i == 1400 { 1 } else { i + 9 })).collect();
    let defect = scan(pieces(&late, 64), &terms("time_us,op,offset,length")).unwrap_err();
    assert!(defect.to_string().starts_with("line 1401: its time, 1000 ns, is before 385000 ns"), "{defect}");
}
