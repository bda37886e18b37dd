//! The page cache, reading ahead, and the ways past them.

use super::*;
use fathom_results::procedure::DeviceCounts;

/// The reports of a suite whose cells have these I/Os, seconds and requests at the disk.
fn measured(suite: &Suite, figures: impl Fn(&str) -> (u64, f64, u64)) -> Vec<TestReport> {
    let mut steps = Vec::new();
    loop {
        match suite.next(&History::new(&steps)) {
            Step::Run(round) => {
                let (ios, seconds, requests) = figures(&round.cell);
                let mut done = round_of(&round.cell, ios as f64 / seconds);
                done.figures[0].seconds = seconds;
                done.figures[0].device = Some(DeviceCounts { requests, bytes: requests * 4096 });
                done.answer = Some(Box::new(round_answer()));
                steps = and_round(steps, done);
            }
            Step::Prepare(preparation) => {
                steps =
                    done(steps, StepDone::Prepared { preparation, evidence: String::new(), method: None });
            }
            _ => return reported(suite, &steps),
        }
    }
}

/// T-48, T-49, T-50: 1,439 of 2,560 reads were answered by memory, then all of them.
#[test]
fn the_second_run_is_warm_and_the_share_of_memory_is_told() {
    let suite = guide("page-cache", &["/data/testfile1"]);
    let tests = measured(&suite, |cell| match cell {
        "warm" => (2_560, 0.003, 0),
        _ => (2_560, 0.292, 1_121),
    });
    let of = |name: &str| numbers(&table(part(&tests, name), 0).rows[0]);
    let (cold, warm) = (of("cold"), of("warm"));
    assert_eq!((tenth(cold[1]), cold[2]), (56.2, 1_121.0), "{cold:?}");
    assert_eq!((warm[0].round(), warm[2], warm[3]), (853_333.0, 100.0, 0.0), "{warm:?}");
    assert_eq!(warm[1].round(), 97.0, "times the first run");
}

/// T-52: cold and warm, and dropping the cache between.
#[test]
fn the_caches_are_dropped_between() {
    let suite = guide("page-cache", &["/data/testfile1"]);
    let steps = ran(&suite, |_| Some(1_000.0));
    assert_eq!(told(&steps), ["cold", "warm", "drop", "dropped", "direct"]);
    let invalidates = |name: &str| {
        let cell = suite.steps.cells.iter().find(|cell| cell.name == name).unwrap();
        cell.text.contains("invalidate=1")
    };
    assert_eq!((invalidates("cold"), invalidates("warm"), invalidates("dropped")), (true, false, false));
}

/// T-46: 100 MiB in 25,600 reads: 561 requests with one window, 296 with one of twice the size.
#[test]
fn a_window_of_twice_the_size_makes_half_of_the_requests() {
    let suite = guide("readahead", &["/dev/sda"]);
    let mut steps = Vec::new();
    while let Step::Run(round) = suite.next(&History::new(&steps)) {
        let mut done = round_of(&round.cell, 25_600.0);
        let requests = match &round.cell {
            cell if cell.contains("=sequential") => 296,
            cell if cell.contains("hint=0") => 561,
            _ => 25_600,
        };
        done.figures[0].device = Some(DeviceCounts { requests, bytes: 25_600 * 4096 });
        steps = and_round(steps, done);
    }
    let tests = reported(&suite, &steps);
    let kib: Vec<f64> = table(&tests[0], 0).rows.iter().map(|row| tenth(numbers(row)[3])).collect();
    assert_eq!(kib, [4.0, 182.5, 345.9]);
    // T-45: nothing is read ahead past the page cache.
    assert_eq!(numbers(&table(&tests[1], 0).rows[0])[2], 4.0);
}

/// V-11, T-53: 8,767 IOPS of the file, 9,142 of the raw device: 4.3 % more.
#[test]
fn a_file_past_the_page_cache_is_compared_with_the_raw_device() {
    let suite = guide("direct-vs-buffered-vs-raw", &["/data/testfile1", "/dev/sdb"]);
    let steps = ran(&suite, |cell| {
        Some(match cell {
            "buffered-warm" => 853_333.0,
            "raw" => 9_142.0,
            _ => 8_767.0,
        })
    });
    let tests = reported(&suite, &steps);
    let raw = numbers(&table(part(&tests, "raw"), 0).rows[0]);
    assert_eq!(((raw[1] * 1_000.0).round(), raw[2].round()), (1_043.0, 109.0), "{raw:?}");
    let direct = numbers(&table(part(&tests, "direct"), 0).rows[0]);
    assert_eq!(direct[2].round(), 114.0);
    let files: Vec<bool> =
        suite.steps.cells.iter().map(|cell| cell.text.contains("filename=/data/testfile1\n")).collect();
    assert_eq!(files, [true, true, true, false, true, false]);
}

/// T-15, T-16: the four figures of a drive; what the IOPS move is far below the sequential bandwidth.
#[test]
fn the_four_figures_of_a_data_sheet() {
    let suite = guide("datasheet", &["/dev/fioa"]);
    // Figures of the PX600: 2,590.2 and 1,337.1 MB/s, 271,557 and 284,429 IOPS.
    let steps = ran(&suite, |cell| {
        Some(match cell {
            "sequential rw=read" => 2_590.2e6 / 4096.0,
            "sequential rw=write" => 1_337.1e6 / 4096.0,
            "random rw=randread" => 271_557.0,
            "random rw=randwrite" => 284_429.0,
            _ => 10_000.0,
        })
    });
    let tests = reported(&suite, &steps);
    let first =
        |name: &str| table(part(&tests, name), 0).rows.iter().map(|row| numbers(row)).collect::<Vec<_>>();
    let (sequential, random) = (first("sequential"), first("random"));
    assert_eq!((tenth(sequential[0][0]), tenth(sequential[1][0])), (2_590.2, 1_337.1));
    assert_eq!((random[0][0], random[1][0]), (271_557.0, 284_429.0));
    assert_eq!(random[0][1].round(), 1_112.0, "MB/s of 4 KiB reads, which could not be 2,590");
    let order = told(&steps);
    let at = |name: &str| order.iter().position(|step| step == name).unwrap();
    assert!(at("fill 1") < at("sequential rw=read") && at("fill 1 at random") < at("random rw=randread"));
    assert!(at("sequential rw=write") < at("fill 1 at random"), "random writes come last");
}
