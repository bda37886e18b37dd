//! Files of the real programs, and what each of them becomes when it is damaged.

use super::number::{KIB, LINE_MAX};
use super::*;
use crate::metric::MetricUnit;

/// The fixtures, each with its program and how many rows it has.
const FILES: &[(&str, &str, Program, usize)] = &[
    ("iostat-xt.txt", include_str!("../../tests/fixtures/programs/iostat-xt.txt"), Program::Iostat, 10),
    ("iostat-xy.txt", include_str!("../../tests/fixtures/programs/iostat-xy.txt"), Program::Iostat, 10),
    ("iostat-plain.txt", include_str!("../../tests/fixtures/programs/iostat-plain.txt"), Program::Iostat, 10),
    ("iostat-human.txt", include_str!("../../tests/fixtures/programs/iostat-human.txt"), Program::Iostat, 10),
    ("iostat.json", include_str!("../../tests/fixtures/programs/iostat.json"), Program::Iostat, 10),
    ("vmstat.txt", include_str!("../../tests/fixtures/programs/vmstat.txt"), Program::Vmstat, 3),
    ("vmstat-tw.txt", include_str!("../../tests/fixtures/programs/vmstat-tw.txt"), Program::Vmstat, 3),
    ("mpstat.txt", include_str!("../../tests/fixtures/programs/mpstat.txt"), Program::Mpstat, 3),
    ("mpstat.json", include_str!("../../tests/fixtures/programs/mpstat.json"), Program::Mpstat, 3),
    ("sar.txt", include_str!("../../tests/fixtures/programs/sar.txt"), Program::Sar, 12),
    ("sadf.json", include_str!("../../tests/fixtures/programs/sadf.json"), Program::Sar, 12),
    (
        "vdbench-flatfile.html",
        include_str!("../../tests/fixtures/programs/vdbench-flatfile.html"),
        Program::Vdbench,
        2,
    ),
    (
        "vdbench-summary.html",
        include_str!("../../tests/fixtures/programs/vdbench-summary.html"),
        Program::Vdbench,
        2,
    ),
    ("elbencho.csv", include_str!("../../tests/fixtures/programs/elbencho.csv"), Program::Elbencho, 3),
    ("hammerdb.txt", include_str!("../../tests/fixtures/programs/hammerdb.txt"), Program::HammerDb, 1),
    (
        "crystaldiskmark.txt",
        include_str!("../../tests/fixtures/programs/crystaldiskmark.txt"),
        Program::CrystalDiskMark,
        2,
    ),
    ("kdiskmark.txt", include_str!("../../tests/fixtures/programs/kdiskmark.txt"), Program::KDiskMark, 3),
];

fn read(text: &str) -> Vec<ProgramResult> {
    program_format(text).map(|format| (format.parse)(text)).unwrap_or_default()
}

fn file(name: &str) -> ProgramResult {
    let (_, text, ..) = FILES.iter().find(|(other, ..)| *other == name).expect("a fixture");
    read(text).remove(0)
}

fn value(of: &ProgramResult, key: &str, direction: &str, metric: &str) -> Option<f64> {
    let mut rows = of.rows.iter().filter(|row| row.key == key && row.direction == direction);
    rows.find_map(|row| row.value(metric))
}

#[test]
fn each_file_is_of_its_program() {
    for (name, text, program, rows) in FILES {
        let all = read(text);
        let told: Vec<(Program, bool)> = all.iter().map(|of| (of.program, of.rows.is_empty())).collect();
        assert_eq!(told, [(*program, false)], "{name}");
        let keys: std::collections::BTreeSet<&str> = all[0].rows.iter().map(|row| row.key.as_str()).collect();
        assert_eq!(keys.len(), *rows, "{name}: {keys:?}");
        let own = |of: &ProgramFinding| {
            matches!(
                of,
                ProgramFinding::NotRead { .. }
                    | ProgramFinding::FirstReportLeftOut { .. }
                    | ProgramFinding::MayBeSinceBoot { .. }
                    | ProgramFinding::Unit { .. }
            )
        };
        assert!(all[0].findings.iter().all(own), "{name}: {:?}", all[0].findings);
    }
}

/// Means of the reports, that since boot left out; latencies are weighted.
#[test]
fn a_series_of_iostat_is_a_row_for_each_disk_and_direction() {
    let text = "Linux 6.1 (host) \t01/01/26 \t_x86_64_\t(2 CPU)\n\n\
        Device r/s rkB/s r_await rareq-sz w/s wkB/s w_await aqu-sz %util\n\
        sda 9999 9999 9.00 1.00 9.00 9.00 9.00 9.00 9.00\n\n\
        Device r/s rkB/s r_await rareq-sz w/s wkB/s w_await aqu-sz %util\n\
        sda 900.00 3600.00 0.10 4.00 0.00 0.00 0.00 0.50 10.00\n\n\
        Device r/s rkB/s r_await rareq-sz w/s wkB/s w_await aqu-sz %util\n\
        sda 100.00 400.00 1.00 4.00 0.00 0.00 0.00 1.50 30.00\n\n";
    let of = read(text).remove(0);
    assert_eq!(of.host.as_deref(), Some("host"));
    let figures = [
        ("read", "iops", 500.0),
        ("read", "bandwidth", 2000.0 * KIB),
        ("read", "latency_mean", 190_000.0),
        ("read", "device_size", 4096.0),
        ("write", "iops", 0.0),
        ("", "in_flight", 1.0),
        ("", "busy", 20.0),
    ];
    for (direction, metric, expected) in figures {
        let found = value(&of, "sda", direction, metric).unwrap_or(f64::NAN);
        assert!((found - expected).abs() < 1e-6 * expected.max(1.0), "{direction} {metric}: {found}");
    }
    assert_eq!(value(&of, "sda", "write", "latency_mean"), None, "no write has no latency");
    assert_eq!(of.findings, [ProgramFinding::FirstReportLeftOut { line: 3 }]);
    assert_eq!(of.rows[0].figure("iops").and_then(|it| it.range), Some((100.0, 900.0)));
}

#[test]
fn headings_of_old_versions_say_their_units() {
    let old = "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n 1,00 0,00 2,00 3,00 0,00 94,00\n\n\
        Device:         rrqm/s   wrqm/s     r/s     w/s   rsec/s   wMB/s avgrq-sz avgqu-sz   await  svctm  %util\n\
        sda 0,00 0,00 10,00 30,00 80,00 2,00 16,00 0,50 4,00 0,10 1,00\n";
    let of = read(old).remove(0);
    assert_eq!(value(&of, "sda", "read", "bandwidth"), Some(80.0 * 512.0));
    assert_eq!(value(&of, "sda", "write", "bandwidth"), Some(2.0 * KIB * KIB));
    assert_eq!(value(&of, "sda", "mixed", "latency_mean"), Some(4e6));
    assert_eq!(value(&of, "sda", "mixed", "device_size"), Some(16.0 * 512.0));
    assert_eq!(value(&of, "all CPUs", "", "all_cpus"), Some(3.0));
    assert!(of.findings.contains(&ProgramFinding::DecimalComma { line: 2 }), "{:?}", of.findings);
    assert!(of.findings.contains(&ProgramFinding::MayBeSinceBoot { line: 1 }), "{:?}", of.findings);
}

#[test]
fn text_and_json_of_one_program_agree() {
    let (text, json) = (file("sar.txt"), file("sadf.json"));
    for row in &text.rows {
        for figure in &row.figures {
            let other = value(&json, &row.key, row.direction, figure.metric.id);
            assert_eq!(other, Some(figure.value), "{} {} {}", row.key, row.direction, figure.metric.id);
        }
    }
    let (human, xt) = (file("iostat-human.txt"), file("iostat-xt.txt"));
    assert_eq!(
        value(&human, "vda", "read", "bandwidth").is_some(),
        value(&xt, "vda", "read", "bandwidth").is_some()
    );
}

#[test]
fn a_time_of_twelve_hours_is_no_column() {
    let text = "Linux 6.1 (h) \t01/01/26 \t_x86_64_\t(2 CPU)\n\n\
        05:58:17 PM     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n\
        05:58:18 PM     all    5.00    0.00    1.00    4.00    0.00    0.00    0.00    0.00    0.00   90.00\n\
        05:58:18 PM       1    6.00    0.00    1.00    4.00    0.00    0.00    0.00    0.00    0.00   89.00\n\n\
        Durchschn.:     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n\
        Durchschn.:     all   55.00    0.00    1.00    4.00    0.00    0.00    0.00    0.00    0.00   40.00\n";
    let of = read(text).remove(0);
    assert_eq!((of.program, value(&of, "all CPUs", "", "cpu_user")), (Program::Mpstat, Some(5.0)));
    assert_eq!(
        (value(&of, "CPU 1", "", "cpu_user"), value(&of, "all CPUs", "", "all_cpus")),
        (Some(6.0), Some(6.0))
    );
    // Only the averages are left of a file that someone shortened.
    let short: String =
        text.lines().filter(|line| !line.contains("PM")).map(|line| format!("{line}\n")).collect();
    let of = read(&short).remove(0);
    assert_eq!(
        (value(&of, "all CPUs", "", "cpu_user"), &of.findings[..]),
        (Some(55.0), &[ProgramFinding::AveragesOnly][..])
    );
}

/// Programs whose output has no beginning: their rows are those of one result.
fn is_one(program: Program) -> bool {
    matches!(program, Program::Vmstat | Program::Vdbench | Program::Elbencho | Program::HammerDb)
}

#[test]
fn runs_one_behind_the_other_are_several() {
    for (name, text, ..) in FILES.iter().filter(|(.., program, _)| !is_one(*program)) {
        let both = read(&format!("{text}{text}"));
        assert_eq!(both.len(), 2, "{name}");
        assert_eq!(both[0].rows.len(), both[1].rows.len(), "{name}");
    }
}

#[test]
fn what_a_killed_program_wrote_is_read() {
    let (_, text, ..) = FILES.iter().find(|(name, ..)| *name == "iostat.json").unwrap();
    let cut = &text[..text.len() - 900];
    let of = read(cut).remove(0);
    assert!(!of.rows.is_empty());
    let line = cut.bytes().filter(|byte| *byte == b'\n').count() as u64 + 1;
    assert!(of.findings.contains(&ProgramFinding::Cut { line }), "{:?}", of.findings);
}

#[test]
fn a_bad_value_is_named_and_its_row_is_read() {
    let text = include_str!("../../tests/fixtures/programs/vmstat.txt");
    let last = text.lines().last().unwrap();
    let cells: Vec<&str> = last.split_whitespace().collect();
    let with = |bad: &str| {
        let mut cells = cells.clone();
        cells[8] = bad;
        read(&format!("{text}{}\n", cells.join(" "))).remove(0)
    };
    for bad in ["nan", "inf", "1e300", "-7", "x"] {
        let of = with(bad);
        let found = of.findings.iter().find_map(|it| match it {
            ProgramFinding::LeftOut { times: 1, line: 6, fault } => Some(fault),
            _ => None,
        });
        let column = match found.expect(bad) {
            RowFault::NoNumber { column, text }
            | RowFault::Impossible { column, text }
            | RowFault::Negative { column, text } => (column.as_str(), text.as_str()),
            other => panic!("{bad}: {other:?}"),
        };
        assert_eq!(column, ("bi", bad));
        let n = |metric: &str| of.rows.iter().find_map(|row| row.figure(metric)).map(|figure| figure.n);
        assert_eq!(n("cpu_user"), Some(3), "{bad}: the rest of the row is read");
    }
}

/// Whatever a file holds: no figure is impossible, and there are not more of them than are bounded.
fn check(text: &str, what: &str) {
    for of in read(text) {
        assert!(of.rows.len() <= gather::ROWS_MAX, "{what}");
        for figure in of.rows.iter().flat_map(|row| &row.figures) {
            let most = if figure.metric.unit == MetricUnit::Percent { 110.0 } else { 1e15 };
            assert!(
                figure.value.is_finite() && figure.value >= 0.0 && figure.value <= most,
                "{what}: {figure:?}"
            );
            assert!(
                figure.n > 0 && figure.range.is_none_or(|(least, most)| least <= most),
                "{what}: {figure:?}"
            );
        }
        assert!(of.rows.iter().all(|row| row.line > 0), "{what}");
    }
}

/// A text with the n-th word that is a number replaced by another.
fn with_word(text: &str, at: usize, other: &str) -> String {
    let mut numbers = 0;
    let mut out = String::with_capacity(text.len() + other.len());
    for word in text.split_inclusive([' ', '\n', ',', ';', '<', '[']) {
        let body = word.trim_end_matches([' ', '\n', ',', ';', '<', '[']);
        let is_number = body.parse::<f64>().is_ok();
        numbers += usize::from(is_number);
        if is_number && numbers == at {
            out.push_str(other);
            out.push_str(&word[body.len()..]);
        } else {
            out.push_str(word);
        }
    }
    out
}

#[test]
fn no_damage_makes_a_figure_that_is_none() {
    for (name, text, ..) in FILES {
        let places = (0..text.len()).step_by(text.len().div_ceil(20)).filter(|at| text.is_char_boundary(*at));
        for at in places {
            check(&text[..at], &format!("{name} cut at {at}"));
            check(&text[at..], &format!("{name} from {at}"));
            check(&format!("{}\0{}", &text[..at], &text[at..]), &format!("{name} with NUL at {at}"));
        }
        for hostile in
            ["nan", "-inf", "infinity", "-3", "1e300", "1e308", "9".repeat(400).as_str(), "1,5", "0x10", ""]
        {
            for at in (1..80).step_by(13) {
                check(&with_word(text, at, hostile), &format!("{name}: {hostile} as number {at}"));
            }
        }
        check(&text.replace('.', ","), &format!("{name} with commas"));
        check(&text.replace('\n', ""), &format!("{name} as one line"));
        check(&text.replace('\n', "\r\n"), &format!("{name} with ends of Windows"));
    }
}

#[test]
fn a_line_without_end_is_not_taken_apart() {
    for (name, text, ..) in FILES.iter().filter(|(name, ..)| !name.ends_with(".json")) {
        let long = "7 ".repeat(1 << 20);
        let of = read(&format!("{text}{long}\n")).remove(0);
        let is_told = |it: &ProgramFinding| matches!(it, ProgramFinding::LeftOut { fault: RowFault::TooLong { bytes }, .. } if *bytes > LINE_MAX);
        assert!(of.findings.iter().any(is_told), "{name}: {:?}", of.findings);
        assert!(!of.rows.is_empty(), "{name}");
    }
}
