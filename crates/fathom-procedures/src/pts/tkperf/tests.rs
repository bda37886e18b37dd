//! TKperf's variant by invented rounds: cells, options, order and ends.

use super::hard_disk::ZONES;
use crate::fixture::done;
use crate::pts::tests::{driven, option, sections, terms};
use crate::pts::{Demand, Edition, Pts, PtsTerms, TKPERF_TESTS, plan};
use crate::{History, Procedure as _, Round, RoundJobs};
use fathom_job::units::Bytes;
use fathom_results::RunEnd;
use fathom_results::procedure::{Preparation, RoundDone, StepDone, StepRecord};

fn pts(names: &[&str]) -> Pts {
    let of = |name: &&str| *TKPERF_TESTS.iter().find(|test| test.name == *name).unwrap();
    let engine = "libaio".to_owned();
    let terms = PtsTerms { engine, demand: Demand { threads: 4, depth: 16 }, ..terms(Edition::Tkperf) };
    Pts { terms, tests: names.iter().map(of).collect() }
}

fn rounds(pts: &Pts, cell: &str) -> Vec<Round> {
    let all = pts.expected();
    all.into_iter().filter(|(round, _)| round.cell == cell).map(|(round, _)| round).collect()
}

/// How often each cell was run, in order.
fn order(steps: &[StepRecord]) -> Vec<(String, usize)> {
    let mut order: Vec<(String, usize)> = Vec::new();
    for step in steps {
        let name = match &step.did {
            StepDone::Prepared { preparation: Preparation::Purge { .. }, .. } => "purge".to_owned(),
            _ => step.round().unwrap().cell.clone(),
        };
        match order.last_mut().filter(|(last, _)| *last == name) {
            Some((_, times)) => *times += 1,
            None => order.push((name, 1)),
        }
    }
    order
}

#[test]
fn the_cells_are_tkperfs_with_its_options() {
    let round = &rounds(&pts(&["iops"]), "iops-round")[0];
    let RoundJobs::Text { text, .. } = &round.jobs else { panic!("a round has its own text") };
    for global in ["ioengine=libaio", "direct=1", "time_based=1", "group_reporting=1", "refill_buffers=1"] {
        assert!(text.contains(global), "{global}: {text}");
    }
    assert!(!text.contains("norandommap"), "fio's map of blocks stays: {text}");
    let cells = sections(round);
    let shown = cells.iter().map(|cell| (option(cell, "rwmixread"), option(cell, "bs"))).collect::<Vec<_>>();
    assert_eq!(shown.len(), 56);
    assert_eq!(shown[..2], [("100", "1048576"), ("100", "131072")]);
    assert_eq!(shown[55], ("0", "512"));
    for cell in &cells {
        let options = ["rw", "numjobs", "iodepth", "runtime"].map(|name| option(cell, name));
        assert_eq!(options, ["randrw", "4", "16", "60000ms"]);
    }
    let latency = sections(&rounds(&pts(&["lat"]), "lat-round")[0]);
    assert_eq!(latency.len(), 9);
    assert!(latency.iter().all(|cell| option(cell, "numjobs") == "1" && option(cell, "iodepth") == "1"));
}

/// What is planned at least and at most is what is run where everything is steady or fast, and where nothing is.
#[test]
fn the_plan_has_the_fewest_and_the_most_rounds_that_can_happen() {
    // A small drive, which few rounds fill.
    let small = |name: &str| {
        let terms = PtsTerms { capacity: Bytes::mib(256), ..pts(&[name]).terms };
        Pts { terms, ..pts(&[name]) }
    };
    let run = |name: &str, rate: fn(usize) -> f64| {
        let (steps, _) = driven(&small(name), |_, number, _| rate(number));
        let rounds = || steps.iter().filter_map(StepRecord::round).filter(|it| !it.cell.ends_with("-fill"));
        let seconds: f64 = rounds().map(|round| round.whole.seconds).sum();
        (rounds().count() as u32, (seconds * 1e3) as u64)
    };
    // Five rounds of writes and one round with as many minutes of reads, for each of five blocks.
    let (least, most) = (run("tp", |_| 5_000.0), run("tp", |number| 1_000.0 * number as f64));
    assert_eq!((least, most), ((30, 50 * 60_000), (130, 250 * 60_000)));
    let planned = plan(&small("tp")).remove(0);
    assert_eq!((planned.rounds, planned.ms), ((least.0, most.0), (least.1, most.1)));
    // Four times the capacity, and a drive that is too slow for that.
    let (least, most) = (run("wsat", |_| 3_000.0), run("wsat", |_| 1.0));
    assert_eq!((least, most), ((1, 30 * 60_000), (48, 24 * 3_600_000)));
    let planned = plan(&small("wsat")).remove(0);
    assert_eq!((planned.rounds, planned.ms), ((least.0, most.0), (least.1, most.1)));
}

#[test]
fn small_writes_alone_decide_the_iops_test() {
    let pts = pts(&["iops"]);
    // The mixes of 64 KiB never settle.
    let (steps, _) = driven(&pts, |_, number, segment| match segment {
        "r65-64k" => 1_000.0 * number as f64,
        _ => 5_000.0,
    });
    assert_eq!(order(&steps).last().unwrap(), &("iops-round".to_owned(), 5));
}

#[test]
fn each_block_of_the_throughput_test_is_emptied_filled_written_and_then_read_as_often() {
    let pts = pts(&["tp"]);
    // Writes of 64 KiB never settle; all others do at once.
    let (steps, _) = driven(&pts, |cell, number, _| match cell {
        "tp-64k-round" => 1_000.0 * number as f64,
        _ => 5_000.0,
    });
    let measured: Vec<(String, usize)> =
        order(&steps).into_iter().filter(|(name, _)| !name.ends_with("-fill")).collect();
    let block = |name: &str, writes| {
        [("purge".to_owned(), 1), (format!("tp-{name}-round"), writes), (format!("tp-{name}-reads"), 1)]
    };
    let all = [block("1024k", 5), block("64k", 25), block("8k", 5), block("4k", 5), block("512", 5)];
    assert_eq!(measured, all.concat());
    let fills = order(&steps).into_iter().filter(|(name, _)| name.ends_with("-fill")).count();
    assert_eq!(fills, 5, "each block size finds a filled device");
    let read = |cell: &str| {
        let step = steps.iter().find(|step| step.round().is_some_and(|round| round.cell == cell)).unwrap();
        step.round().unwrap().figures.len()
    };
    assert_eq!((read("tp-1024k-reads"), read("tp-64k-reads")), (5, 25));
    // Four jobs of 16 I/Os are one stream of 64, and not four streams over each other.
    let writes = &sections(&rounds(&pts, "tp-8k-round")[0])[0];
    assert_eq!(["rw", "numjobs", "iodepth"].map(|name| option(writes, name)), ["write", "1", "64"]);
}

#[test]
fn write_saturation_ends_with_the_minute_of_the_fourth_fill() {
    let pts = pts(&["wsat"]);
    // 4 × 3.75 GB at 25,000,000 bytes/s: ten minutes; the first round has 30, because nothing is known before.
    let fast = driven(&pts, |_, _, _| 25e6 / 4096.0).0;
    assert_eq!(order(&fast), [("purge".to_owned(), 1), ("wsat-round".to_owned(), 1)]);
    // At a tenth of that rate, 100 minutes: 30, 30, 30 and 10.
    let slow = driven(&pts, |_, _, _| 25e5 / 4096.0).0;
    assert_eq!(order(&slow)[1], ("wsat-round".to_owned(), 4));
    // One that is never full ends after 24 hours.
    let never = driven(&pts, |_, _, _| 1.0).0;
    assert_eq!(order(&never)[1], ("wsat-round".to_owned(), 48), "rounds of 30 minutes");
}

#[test]
fn zones_of_a_hard_disk_cover_all_of_it() {
    let mut pts = pts(&["hdd-iops", "hdd-tp"]);
    pts.terms.capacity = Bytes(1_000_000_000_512);
    let mut steps: Vec<StepRecord> = Vec::new();
    let mut from = 0;
    for zone in 0..ZONES {
        let crate::Step::Run(round) = pts.next(&History::new(&steps)) else { panic!("no round") };
        let cells = sections(&round);
        assert_eq!(cells.len(), 9);
        assert_eq!(option(&cells[4], "rwmixread"), "50");
        let [offset, size] = ["offset", "size"].map(|name| option(&cells[8], name).parse::<u64>().unwrap());
        assert_eq!(offset, from, "zone {zone}");
        from = offset + size;
        let did = RoundDone { cell: round.cell, ended: RunEnd::ByItself, ..RoundDone::default() };
        steps = done(steps, StepDone::Round(did));
    }
    // The odd sector at the end is no whole block of 4 KiB.
    assert_eq!(from, pts.terms.capacity.0 - 512 - (pts.terms.capacity.0 - 512) % 4096);
    let (steps, _) = driven(&pts, |_, _, _| 100.0);
    let names = order(&steps).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names, ["hdd-iops-zone", "hdd-tp-1024k-zone", "hdd-tp-4k-zone"], "no purge, no fill");
    pts.terms.capacity = Bytes::mib(100);
    assert!(pts.expected().is_empty(), "zones of less than a block");
}

#[test]
fn the_report_names_each_correction_that_concerns_its_tests() {
    let said = |names: &[&str]| {
        let pts = pts(names);
        let (steps, _) = driven(&pts, |_, _, _| 5_000.0);
        crate::fixture::sentences(&crate::pts::header::deviations(&pts, &History::new(&steps), 0)).join("\n")
    };
    let of_lat = said(&["lat"]);
    for words in ["TKperf's variant", "fio for each cell", "same addresses", "0.65", "without any result"] {
        assert!(of_lat.contains(words), "{words}: {of_lat}");
    }
    assert!(!of_lat.contains("last zone") && !of_lat.contains("1 MiB") && !of_lat.contains("recommends"));
    assert!(said(&["tp"]).contains("own steady state") && said(&["hdd-tp"]).contains("last zone"));
    assert!(said(&["wsat"]).contains("eight times"));
}

#[test]
fn what_is_saved_is_read_again() {
    let pts = pts(&["iops", "hdd-tp"]);
    let parameters: Vec<(String, String)> = pts.parameters();
    let opened = crate::open("pts", &parameters).unwrap();
    assert_eq!(opened.expected().len(), pts.expected().len());
}
