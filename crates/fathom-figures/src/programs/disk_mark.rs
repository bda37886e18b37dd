//! The text of CrystalDiskMark and KDiskMark: a line for each test.
//!
//! Their header says that a MB is 1,000,000 bytes. KDiskMark divides KiB per second by 1,000, which IOPS and the size of an I/O show.

use super::finding::{Findings, ProgramFinding, cut};
use super::format::ProgramFormat;
use super::number::{Comma, US, Written, lines, readable, size, value};
use super::program::Program;
use super::result::{ProgramLoad, ProgramResult, ProgramRow};
use super::unit::bandwidth;
use crate::metric::of_id;

/// Known by its name.
pub(super) const CRYSTAL: ProgramFormat = ProgramFormat {
    program: Program::CrystalDiskMark,
    is_it: is_crystal,
    parse: |text| read(text, Program::CrystalDiskMark),
};

/// Known by its name.
pub(super) const KDE: ProgramFormat = ProgramFormat {
    program: Program::KDiskMark,
    is_it: is_kde,
    parse: |text| read(text, Program::KDiskMark),
};

fn is_crystal(head: &str) -> bool {
    head.contains("CrystalDiskMark ") && head.contains("MB/s")
}

fn is_kde(head: &str) -> bool {
    head.contains("KDiskMark") && head.contains("MB/s")
}

/// A result begins with the line that names the program.
fn read(text: &str, program: Program) -> Vec<ProgramResult> {
    let mut all = Vec::new();
    let (mut result, mut findings) = (ProgramResult::new(program), Findings::default());
    let mut direction = "";
    for line in lines(text) {
        let Some(line) = readable(line, &mut findings) else { continue };
        if let Some(version) = version(line.text, program) {
            if !result.rows.is_empty() {
                let findings = std::mem::take(&mut findings).into_all();
                all.push(ProgramResult {
                    findings,
                    ..std::mem::replace(&mut result, ProgramResult::new(program))
                });
            }
            result.version = Some(cut(version));
            direction = "";
        }
        let section = line.text.trim_start_matches(['>', ' ']);
        match section.get(..5) {
            Some("[Read") => direction = "read",
            Some("[Writ") => direction = "write",
            Some("[Mix]") => direction = "mixed",
            _ => {}
        }
        if line.is_cut && line.text.contains("MB/s") && !line.text.trim_end().ends_with(['>', ']']) {
            findings.add(ProgramFinding::Cut { line: line.number });
            continue;
        }
        if result.rows.len() < super::gather::ROWS_MAX {
            result.rows.extend(row((line.number, section), direction, &mut findings));
        }
    }
    all.push(ProgramResult { findings: findings.into_all(), ..result });
    all
}

/// `CrystalDiskMark 8.0.4 x64 (C) …`, `KDiskMark (3.0.0): …`
fn version(text: &str, program: Program) -> Option<&str> {
    let after = text.split_once(program.name())?.1.trim_start();
    let version = after.split([' ', ':']).next()?.trim_matches(['(', ')']);
    version.starts_with(|c: char| c.is_ascii_digit()).then_some(version)
}

/// `SEQ 1MiB (Q= 8, T= 1): 7427.749 MB/s [ 7083.7 IOPS] < 987.81 us>`, and of older versions
/// `Random Read 4KiB (Q= 32,T= 1) : 384.970 MB/s [ 93986.8 IOPS]`.
fn row((line, text): (u64, &str), section: &'static str, findings: &mut Findings) -> Option<ProgramRow> {
    let (name, values) = text.split_once(" MB/s").and_then(|(before, after)| {
        let (name, megabytes) = before.rsplit_once(':')?;
        Some((name.trim(), (megabytes.trim(), after)))
    })?;
    let (megabytes, after) = values;
    let (what, how) =
        name.split_once('(').map_or((name, ""), |(what, how)| (what, how.trim_end_matches(')')));
    let words: Vec<&str> = what.split_whitespace().collect();
    let is_random = match *words.first()? {
        "SEQ" | "Sequential" => false,
        "RND" | "Random" => true,
        _ => return None,
    };
    let direction = match () {
        () if words.contains(&"Read") => "read",
        () if words.contains(&"Write") => "write",
        () => section,
    };
    let block = block(&words);
    let load = ProgramLoad {
        rw: pattern(is_random, direction),
        block_bytes: block,
        depth: number_after(how, 'Q'),
        jobs: number_after(how, 'T').or_else(|| how.is_empty().then_some(1)),
    };
    let key = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut row = ProgramRow { line, key: cut(&key), direction, load, figures: Vec::new() };
    let mut read = |metric: &str, column, text, factor| {
        let written = Written { line, column, text, factor, comma: Comma::MayBePoint };
        value(written, of_id(metric), findings)
    };
    let iops = between(after, '[', " IOPS").and_then(|text| read("iops", "IOPS", text, 1.0));
    let latency = between(after, '<', " us").and_then(|text| read("latency_mean", "us", text, US));
    let bytes = read("bandwidth", "MB/s", megabytes, 1e6);
    // A test that was not run has 0 in every column.
    let is_measured = [iops, bytes].into_iter().flatten().any(|it| it > 0.0);
    let checked = bytes.and_then(|bytes| bandwidth((line, 1e6), iops, block, bytes, findings));
    row.add(of_id("iops"), iops);
    row.add(of_id("bandwidth"), checked);
    row.add(of_id("latency_mean"), latency.filter(|ns| *ns > 0.0));
    (is_measured && !row.figures.is_empty()).then_some(row)
}

/// `1MiB` or `4 KiB` among words; `4KB` of the oldest versions is 4,096 bytes too.
fn block(words: &[&str]) -> Option<f64> {
    let one = words
        .iter()
        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        .find_map(|word| size(word).filter(|_| word.ends_with('B')));
    let two = || words.windows(2).find_map(|two| size(two[0]).and_then(|_| size(&two.concat())));
    one.or_else(two)
}

fn pattern(is_random: bool, direction: &str) -> Option<String> {
    let base = match direction {
        "read" => "read",
        "write" => "write",
        "mixed" => "rw",
        _ => return None,
    };
    Some(if is_random { format!("rand{base}") } else { base.to_owned() })
}

/// The number of `Q= 32` or `QD=32`.
fn number_after(how: &str, letter: char) -> Option<u64> {
    let part = how.split(',').find(|part| part.trim_start().starts_with(letter))?;
    part.split_once('=')?.1.trim().parse().ok()
}

fn between<'a>(text: &'a str, from: char, to: &str) -> Option<&'a str> {
    Some(text.split_once(from)?.1.split_once(to)?.0.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_6_and_8_are_read() {
        let text = "CrystalDiskMark 6.0.2 x64 (C) 2007-2018\n* MB/s = 1,000,000 bytes/s\n\
            Sequential Read (Q= 32,T= 1) :   471.231 MB/s\n\
            Random Write 4KiB (Q=  8,T= 8) :   321.975 MB/s [  78607.2 IOPS]\n\
            CrystalDiskMark 8.0.4 x64 (C) 2007-2021\n[Read]\n\
            SEQ    1MiB (Q=  8, T= 1):  7427,749 MB/s [   7083,7 IOPS] <   987,81 us>\n[Mix] Read 70%/Write 30%\n\
            RND    4KiB (Q= 32, T=16):   571.979 MB/s [ 139643.3 IOPS] <  3640.51 us>\n";
        let all = read(text, Program::CrystalDiskMark);
        assert_eq!(
            all.iter().map(|of| of.version.as_deref()).collect::<Vec<_>>(),
            [Some("6.0.2"), Some("8.0.4")]
        );
        let row = &all[0].rows[1];
        assert_eq!((row.direction, row.load.rw.as_deref(), row.line), ("write", Some("randwrite"), 4));
        assert_eq!((row.load.block_bytes, row.load.depth, row.load.jobs), (Some(4096.0), Some(8), Some(8)));
        assert_eq!(
            (row.value("iops"), row.value("bandwidth"), row.value("latency_mean")),
            (Some(78_607.2), Some(321.975e6), None)
        );
        assert_eq!(
            (all[0].rows[0].value("iops"), all[0].rows[0].load.block_bytes),
            (None, None),
            "it has none"
        );
        let (read, mixed) = (&all[1].rows[0], &all[1].rows[1]);
        assert_eq!(
            (read.value("latency_mean"), read.value("bandwidth")),
            (Some(987_810.0), Some(7427.749e6))
        );
        assert_eq!((mixed.direction, mixed.load.rw.as_deref()), ("mixed", Some("randrw")));
        assert_eq!(all[1].findings, [ProgramFinding::DecimalComma { line: 7 }]);
    }

    /// 508.897 MB/s of 497.0 I/Os of 1 MiB each second.
    #[test]
    fn a_megabyte_of_kdiskmark_has_1024000_bytes() {
        let of =
            read(include_str!("../../tests/fixtures/programs/kdiskmark.txt"), Program::KDiskMark).remove(0);
        assert_eq!((of.version.as_deref(), of.rows.len()), (Some("3.0.0"), 4));
        assert_eq!(of.rows[0].value("bandwidth"), Some(512.0 * 1_024_000.0));
        assert_eq!(of.findings, [ProgramFinding::Unit { line: 7, rows: 4, says: 1e6, is: 1_024_000.0 }]);
        assert_eq!(of.rows[2].key, "Sequential 1 MiB (Q= 8, T= 1)");
    }
}
