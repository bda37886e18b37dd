//! Traces as text: what they say, what is wrong with them, and what is made of them.

mod blktrace;
mod columns;

use super::*;
use crate::direction::Direction;
use std::io::{Cursor, Seek, SeekFrom};

const PLAIN: ReplayTerms = ReplayTerms {
    keeps_gaps: true,
    time_scale: 100,
    scale: 1,
    align: 0,
    skips: [false; 4],
    is_redirected: false,
    columns: None,
    merges: Vec::new(),
};

/// Hands out bytes in pieces of so many.
struct Pieces<'a> {
    bytes: Cursor<&'a [u8]>,
    piece: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.piece.min(into.len());
        self.bytes.read(&mut into[..count])
    }
}

impl Seek for Pieces<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.bytes.seek(to)
    }
}

fn pieces<'a>(bytes: &'a (impl AsRef<[u8]> + ?Sized), piece: usize) -> Vec<Pieces<'a>> {
    vec![Pieces { bytes: Cursor::new(bytes.as_ref()), piece }]
}

fn ios(text: &(impl AsRef<[u8]> + ?Sized), terms: &ReplayTerms, piece: usize) -> Vec<ReplayedIo> {
    let mut replay = Replay::begin(pieces(text, piece), terms).unwrap();
    std::iter::from_fn(|| replay.next_io().unwrap()).collect()
}

const V3: &str = "fio version 3 iolog\n15 /f add\n16 /g add\n103 /f open\n106 /g open\n115 /g read 61440 4096\n\
                  538 /f write 770048 8192\n1115 /f sync 770048 0\n1115 /g datasync 0 0\n2015 /f trim 4096 4096\n2020 /f close\n";

/// A line with one blank between its words is read in one pass, and one with two blanks word by word.
#[test]
fn a_trace_is_the_same_with_one_blank_and_with_several() {
    let all = |text: &str| {
        let mut replay = Replay::begin(pieces(text, 4096), &PLAIN).unwrap();
        let ios: Result<Vec<ReplayedIo>, TraceDefect> =
            std::iter::from_fn(|| replay.next_io().transpose()).collect();
        ios
    };
    let wide = |text: &str| {
        let (head, lines) = text.split_once('\n').unwrap();
        format!("{head}\n{}", lines.replace(' ', "  "))
    };
    assert_eq!(all(V3), all(&wide(V3)));
    let head = "fio version 3 iolog\n1 /f add\n1 /ff add\n2 /f open\n2 /ff open\n7 /f read 0 512\n";
    for line in [
        "7 /f read 512 512",
        "7 /f read 512 512\r",
        "7 /ff write 18446744073709551615 1",
        "7 /ff write 18446744073709551616 1",
        "7 /f read 00000000000000000000512 512",
        "18446744073709551615 /f read 0 512",
        "6 /f read 0 512",
        "7 /f read 0 0",
        "7 /f read 0",
        "7 /f read 0 512 1",
        "7 /f read x 512",
        "7 /f read 0 5x",
        "/f read 0 512",
        "7 /f reads 0 512",
        "7 /g read 0 512",
        "7 /f close\n7 /f read 0 512",
    ] {
        let text = format!("{head}{line}\n");
        assert_eq!(all(&text), all(&wide(&text)), "{line}");
    }
}

#[test]
fn a_trace_is_the_same_in_whatever_pieces_it_comes() {
    use TraceOp::{Datasync, Read, Sync, Trim, Write};
    let io = |line, op, file, offset, len, us: u64| ReplayedIo {
        at: TracePlace::line(line),
        op,
        file,
        offset,
        len,
        due_ns: us * 1000,
    };
    let expected = [
        io(6, Read, 0, 61_440, 4096, 100),
        io(7, Write, 1, 770_048, 8192, 523),
        io(8, Sync, 1, 770_048, 0, 1100),
        io(9, Datasync, 0, 0, 0, 1100),
        io(10, Trim, 1, 4096, 4096, 2000),
    ];
    for piece in [1, 2, 3, 7, 50, 1 << 20] {
        assert_eq!(ios(V3, &PLAIN, piece), expected, "{piece}");
    }
}

#[test]
fn the_options_change_times_and_places() {
    let of = |terms: &ReplayTerms| -> Vec<(u64, u64, u64)> {
        ios(V3, terms, 64).iter().map(|io| (io.at.number, io.offset, io.due_ns)).collect()
    };
    let twice = of(&ReplayTerms { time_scale: 200, ..PLAIN });
    assert_eq!(
        twice.iter().map(|io| io.2).collect::<Vec<_>>(),
        [50_000, 261_500, 550_000, 550_000, 1_000_000]
    );
    let at_once = of(&ReplayTerms { keeps_gaps: false, ..PLAIN });
    assert!(at_once.iter().all(|io| io.2 == 0));
    let scaled = of(&ReplayTerms { scale: 3, align: 4096, ..PLAIN });
    assert_eq!(scaled.iter().map(|io| io.1).collect::<Vec<_>>(), [20_480, 253_952, 253_952, 0, 0]);
    let skipped = of(&ReplayTerms { skips: [true, false, false, true], ..PLAIN });
    assert_eq!(skipped.iter().map(|io| io.0).collect::<Vec<_>>(), [7, 10]);
    let one = ios(V3, &ReplayTerms { is_redirected: true, ..PLAIN }, 64);
    assert!(one.iter().all(|io| io.file == 0));
}

#[test]
fn waits_of_version_2_add_up() {
    let text = "fio version 2 iolog\nf add\nf open\nf write 0 512\nf wait 300 0\nf read 0 512\nf wait 200 0\nf read 512 512\n";
    let due: Vec<u64> = ios(text, &PLAIN, 64).iter().map(|io| io.due_ns).collect();
    assert_eq!(due, [0, 300_000, 500_000]);
}

#[test]
fn facts_are_those_of_what_is_issued() {
    let facts = scan(pieces(V3, 64), &PLAIN).unwrap();
    let file = |name: &str, end, offset, line| TraceFile {
        name: name.to_owned(),
        end,
        offset,
        at: TracePlace::line(line),
    };
    assert_eq!(facts.files, [file("/g", 65_536, 61_440, 6), file("/f", 778_240, 770_048, 7)]);
    assert_eq!(Direction::ALL.map(|d| facts.ios[d]), [1, 1, 1]);
    assert_eq!(
        Direction::ALL.map(|d| (facts.smallest[d], facts.largest[d])),
        [(4096, 4096), (8192, 8192), (4096, 4096)]
    );
    assert_eq!((facts.syncs, facts.unit, facts.last_due_ns), (2, 4096, 2_000_000));
}

#[test]
fn every_defect_names_its_line() {
    let v3 = |rest: &str| format!("fio version 3 iolog\n0 f add\n0 f open\n{rest}");
    let v2 = |rest: &str| format!("fio version 2 iolog\nf add\nf open\n{rest}");
    let long = format!("f read {} 1\n", "0".repeat(20_000));
    for (text, expected) in [
        (
            String::new(),
            "line 1: it does not begin with `fio version 2 iolog` or `fio version 3 iolog`, and is no recording of blktrace; trace_columns= reads other texts",
        ),
        (
            "0 f add\n".to_owned(),
            "line 1: it does not begin with `fio version 2 iolog` or `fio version 3 iolog`, and is no recording of blktrace; trace_columns= reads other texts",
        ),
        (
            "fio version 4 iolog\n".to_owned(),
            "line 1: it does not begin with `fio version 2 iolog` or `fio version 3 iolog`, and is no recording of blktrace; trace_columns= reads other texts",
        ),
        (v3("5 f read 0 40"), "line 4: the file ends within it"),
        (v3("5 f frob 0 4096\n"), "line 4: there is no action `frob`"),
        (v3("5 f frob\n"), "line 4: there is no action `frob`"),
        (
            v3("5 f read 99999999999999999999 1\n"),
            "line 4: the offset `99999999999999999999` is not a number of at most 64 bits",
        ),
        (v3("5 f read -1 1\n"), "line 4: the offset `-1` is not a number of at most 64 bits"),
        (
            v3("5 f read 18446744073709551615 2\n"),
            "line 4: offset 18446744073709551615 and length 2 go beyond 64 bits",
        ),
        (
            v3("9 f read 0 1\n8 f read 0 1\n"),
            "line 5: its time, 8 µs, is before that of the line before it, 9 µs",
        ),
        (
            v3("5 g read 0 4096\n"),
            "line 4: the file g is not open here: there is no `add` and `open` of it before",
        ),
        (
            v3("5 f close\n6 f read 0 1\n"),
            "line 5: the file f is not open here: there is no `add` and `open` of it before",
        ),
        (v3("5 g open\n"), "line 4: there is no `add` of the file g before"),
        (v3("5 f read 0 0\n"), "line 4: an I/O has at least one byte"),
        (
            v3("5 f read 0 2147483647\n"),
            "line 4: an I/O of 2147483647 bytes is more than one system call moves",
        ),
        (
            v3("f read 0 1\n"),
            "line 4: it has 4 words, and version 3 has 3 (TIME FILE ACTION) or 5 (with OFFSET LENGTH)",
        ),
        (
            v2("f read 0\n"),
            "line 4: it has 3 words, and version 2 has 2 (FILE ACTION) or 4 (with OFFSET LENGTH)",
        ),
        (v2("f wait 18446744073709551615 0\nf wait 1 0\n"), "line 5: its time is more than 500 years"),
        (v2("f wait 18446744073709551615 0\nf read 0 1\n"), "line 5: its time is more than 500 years"),
        (v2(&long), "line 4: it has more than 16384 bytes"),
        (v2("f sync 0 0\n\n"), "line 5: there is no I/O to replay before the end of the file"),
    ] {
        let defect = scan(pieces(&text, 4096), &PLAIN).unwrap_err();
        assert_eq!(defect.to_string(), expected, "{}", text.chars().take(90).collect::<String>());
    }
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("no medium"))
        }
    }
    impl Seek for Broken {
        fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
            Ok(0)
        }
    }
    let unreadable = scan(vec![Broken], &PLAIN).unwrap_err();
    assert_eq!(unreadable.to_string(), "line 1: it cannot be read: no medium");
}
