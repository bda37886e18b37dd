//! Scripts that search fio's output: their commands and patterns are those that dbench, YABS, the test profiles of Phoronix and Intel's
//! guide for arrays publish, with shorter times. Each pattern finds a figure, and each figure has the same form as with fio.

use super::{Tool, tools};
use crate::support::{Loop, own_devices};

fn script(tool: &Tool, name: &str, argument: &str) -> String {
    let path = format!("{}/tests/end_to_end/clients/scripts/{name}", env!("CARGO_MANIFEST_DIR"));
    tool.must(&["bash", &path, argument])
}

/// The bytes or the number that a figure of fio's text means: `27.9k`, `109MiB/s`, `870`.
fn value(figure: &str) -> f64 {
    let end = figure.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(figure.len());
    let (number, unit) = figure.split_at(end);
    let factor = match unit {
        "" | "B/s" => 1.0,
        "k" => 1e3,
        "M" => 1e6,
        "KiB/s" => 1024.0,
        "MiB/s" => 1048576.0,
        "GiB/s" => 1073741824.0,
        _ => panic!("{figure}"),
    };
    number.parse::<f64>().unwrap_or_else(|e| panic!("{figure}: {e}")) * factor
}

/// Lines of a name and one figure; the names.
fn figures(printed: &str) -> Vec<&str> {
    let pairs =
        printed.lines().map(|line| line.split_once(' ').unwrap_or_else(|| panic!("{line:?}: {printed}")));
    pairs
        .map(|(name, figure)| {
            match name {
                "unit" => assert!(["nsec", "usec", "msec"].contains(&figure), "{printed}"),
                _ => assert!(value(figure.trim()) > 0.0, "{name}: {printed}"),
            }
            name
        })
        .collect()
}

#[test]
fn patterns_of_dbench_find_their_figures() {
    let scratch = tempfile::tempdir_in("/dev/shm").unwrap();
    let [theirs, ours] = tools(scratch.path()).map(|tool| script(&tool, "dbench.sh", "."));
    assert_eq!(figures(&ours), figures(&theirs));
    assert_eq!(figures(&ours).len(), 8);
}

#[test]
fn columns_of_yabs_are_where_it_looks() {
    let scratch = tempfile::tempdir_in("/dev/shm").unwrap();
    let [theirs, ours] = tools(scratch.path()).map(|tool| script(&tool, "yabs.sh", "."));
    let numbers = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let [bs, columns, read_kib, reads, write_kib, writes] = words[..] else { panic!("{line}") };
        let of = |text: &str| text.parse::<f64>().unwrap();
        let block = if bs == "4k" { 4.0 } else { 64.0 };
        for (kib, ios) in [(read_kib, reads), (write_kib, writes)] {
            assert!(of(ios) > 0.0 && (of(kib) / of(ios) / block - 1.0).abs() < 0.05, "{line}");
        }
        (bs.to_owned(), columns.to_owned())
    };
    let shape = |printed: &str| printed.lines().map(numbers).collect::<Vec<_>>();
    assert_eq!(shape(&ours), shape(&theirs));
    assert_eq!(shape(&ours).len(), 2);
}

#[test]
fn patterns_of_test_profiles_find_their_figures() {
    let scratch = tempfile::tempdir_in("/dev/shm").unwrap();
    for tool in tools(scratch.path()) {
        std::fs::create_dir(tool.dir.join("at")).unwrap();
        let printed = script(&tool, "phoronix.sh", "at");
        assert_eq!(figures(&printed), ["iops", "bandwidth", "total"], "{}", tool.name);
        let of = |n| value(printed.lines().nth(n).unwrap().split(' ').next_back().unwrap());
        let (ios, bytes, all) = (of(0), of(1), of(2));
        // Both are rounded to three or four digits.
        assert!((bytes / ios / 4096.0 - 1.0).abs() < 0.01 && (all / bytes - 1.0).abs() < 0.01, "{printed}");
    }
}

/// The table has a line for each test, whose first columns say what was measured, and in each the same columns as with fio. It waits
/// for the process that `pidof fio` finds.
#[test]
fn the_script_of_the_guide_for_arrays_writes_its_table() {
    let _devices = own_devices();
    let scratch = tempfile::tempdir().unwrap();
    let [theirs, ours] = tools(scratch.path()).map(|tool| {
        let disk = Loop::blank(&tool.dir, 8);
        script(&tool, "arrays.sh", &disk.device);
        tool.read("results/AllFioResults.csv")
    });
    let lines = |table: &str| {
        let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        let mut lines: Vec<_> = table.lines().skip(1).map(cells).collect();
        lines.sort_by(|a, b| a[2..12].cmp(&b[2..12]));
        lines
    };
    let [theirs, ours] = [lines(&theirs), lines(&ours)];
    // What is measured: the columns between the version and the error.
    let what = |lines: &[Vec<String>]| {
        lines.iter().map(|line| (line[2..13].to_vec(), line.len())).collect::<Vec<_>>()
    };
    assert_eq!(what(&ours), what(&theirs));
    assert_eq!(ours.len(), 2 * (2 + 3 * 2));
    for line in &ours {
        // `%Writes_` became two commas, so the figures begin behind an empty column.
        let share: u32 = line[5].parse().unwrap();
        let error = line.iter().skip(10).position(|cell| cell == "0").map(|n| n + 10);
        assert!(error.is_some(), "{line:?}");
        let kib = |at: usize| line[at].parse::<f64>().unwrap();
        let (read, write) = (14, 14 + 41);
        assert_eq!((kib(read) > 0.0, kib(write) > 0.0), (share < 100, share > 0), "{line:?}");
    }
}
