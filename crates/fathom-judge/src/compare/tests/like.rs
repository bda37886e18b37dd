//! Only like is compared with like, and a set of runs with an order says so.

use super::*;
use fathom_figures::fio::{fio_json, fio_terse};
use fathom_figures::metric::Columns;
use fathom_results::ComparisonDoubt;

/// A job of fio: its name, version, direction, depth, and bytes of a block.
fn fio(name: &str, version: &str, direction: &str, depth: u32, block: u64) -> Subject {
    let text = format!(
        r#"{{"fio version": "{version}", "jobs": [{{"jobname": "{name}",
            "job options": {{"iodepth": "{depth}", "ioengine": "libaio", "direct": "1"}},
            "{direction}": {{"total_ios": 9000, "io_bytes": {bytes}, "io_kbytes": {kib}, "runtime": 1000, "iops": 9000.0,
            "bw_bytes": {bytes}, "clat_ns": {{"min": 1, "max": 9, "mean": 5.0, "stddev": 1.0, "N": 9000}}}}}}]}}"#,
        bytes = 9000 * block,
        kib = 9000 * block / 1024
    );
    Subject::of_fio(name, "j.json", &fio_json(&text).unwrap(), Columns::USUAL)
}

fn beside(a: Subject, b: Subject) -> Comparison {
    compare(vec![a, b], &Tolerances::USUAL)
}

#[test]
fn files_of_fio_that_did_other_io_are_not_compared_because_each_has_one_job() {
    let read = || fio("seqread", "fio-3.33", "read", 32, 4096);
    for (other, says) in [
        (fio("wr", "fio-3.33", "write", 1, 4096), "read and write, 32 and 1 I/Os in flight"),
        (fio("big", "fio-3.33", "read", 32, 1 << 20), "blocks of 4 KiB and 1 MiB"),
        (fio("one", "fio-3.33", "read", 1, 4096), "32 and 1 I/Os in flight"),
    ] {
        let found = beside(read(), other);
        assert!(found.figures.is_empty(), "{:?}", found.figures);
        let first = words::left_out(&found.left_out[0]);
        assert!(first.contains(": they have other names and do other I/O: "), "{first}");
        assert!(first.contains(says) && first.starts_with("seqread of A and "), "{first}");
    }
    // The same names make them no more alike.
    for other in [
        fio("seqread", "fio-3.33", "write", 32, 4096),
        fio("seqread", "fio-3.33", "read", 1, 4096),
        fio("seqread", "fio-3.33", "read", 32, 1 << 20),
    ] {
        let found = beside(read(), other);
        assert!(found.figures.is_empty() && !found.left_out.is_empty(), "{:?}", found.figures);
        assert_eq!(found.differences.len(), 1, "what differs is told: {:?}", found.differences);
    }
}

/// Runs of fathom of a job file with these blocks: whatever differs in them is told, and no figure is compared.
#[test]
fn no_figure_is_compared_across_block_sizes() {
    let one = |options: &str| format!("[j]\nioengine=io_uring\niodepth=8\nfilename=/dev/x\n{options}\n");
    let two = |a: &str, b: &str| {
        format!("[global]\nioengine=psync\nrw=randread\nfilename=/dev/x\n[a]\nbs={a}\n[b]\nbs={b}\n")
    };
    for (from, to, says) in [
        (one("rw=randread\nbs=4k"), one("rw=randread\nbs=64k"), "4 KiB and 64 KiB"),
        (one("rw=randread\nbs=4k"), one("rw=randread\nbsrange=4k-64k"), "4 KiB and 4 KiB to 64 KiB"),
        (
            one("rw=randread\nbssplit=4k/50:64k/50"),
            one("rw=randread\nbssplit=4k/90:64k/10"),
            "4 KiB: 50 %, 64 KiB: 50 % and 64 KiB: 10 %, 4 KiB: 90 %",
        ),
        // The reads are of one size, but they wait behind writes of another one.
        (one("rw=randrw\nbs=4k"), one("rw=randrw\nbs=4k,64k"), "4 KiB and read 4 KiB, write 64 KiB"),
        (two("4k", "64k"), two("64k", "4k"), "64 KiB and 4 KiB"),
    ] {
        let of = |text: &str| {
            let both =
                [DirectionLoad::reads(1_000, 4096, 80_000), DirectionLoad::writes(1_000, 4096, 80_000)];
            let loads = if text.contains("randrw") { &both[..] } else { &both[..1] };
            let scene = RunBuilder::text(text).seconds(0, 3, loads);
            super::of("r", &[if text.contains("[b]") { scene.seconds(1, 3, loads) } else { scene }.run()])
        };
        let alike = beside(of(&from), of(&from));
        assert!(!alike.figures.is_empty(), "{from}: {:?}", alike.left_out);
        let found = beside(of(&from), of(&to));
        assert!(found.figures.is_empty(), "{to}: {:?}", found.figures);
        assert!(
            words::headline(&found).ends_with("have no figure that can be compared."),
            "{:?}",
            found.subjects
        );
        let reason = format!("the block sizes differ: {says}");
        assert!(reasons(&found).contains(&reason.to_owned()), "{:?}", found.left_out);
        assert!(found.differences.iter().any(|it| it.what.contains("bs")), "{:?}", found.differences);
    }
}

/// A check that compares the other jobs must not look as if it had checked all.
#[test]
fn the_headline_names_a_job_that_is_left_out_as_a_whole() {
    let of = |block: &str| {
        let text =
            format!("[global]\nioengine=psync\nrw=randread\nfilename=/dev/x\n[a]\nbs=4k\n[b]\nbs={block}\n");
        let load = &[DirectionLoad::reads(1_000, 4096, 80_000)];
        super::of("r", &[RunBuilder::text(&text).seconds(0, 3, load).seconds(1, 3, load).run()])
    };
    let found = beside(of("4k"), of("64k"));
    assert!(found.figures.iter().all(|figure| figure.job == "a"), "{:?}", found.figures);
    assert_eq!([0, 1].map(|place| found.subjects[place].not_alike.len()), [0, 1]);
    let says = "No figure of b of B (r) can be compared with A (r).";
    assert!(words::headline(&found).starts_with(says), "{}", words::headline(&found));
    assert!(beside(of("4k"), of("4k")).subjects[1].not_alike.is_empty());
}

/// A job of fio with these options, and the bytes of each direction; each has 9,000 I/Os.
fn fio_of(options: &str, each: &[(&str, u64)]) -> Subject {
    let flow = |(name, block): &(&str, u64)| {
        let bytes = 9000 * block;
        format!(
            r#""{name}": {{"total_ios": 9000, "io_bytes": {bytes}, "io_kbytes": 1, "runtime": 1000, "iops": 9000.0, "bw_bytes": {bytes}}}"#
        )
    };
    let flows = each.iter().map(flow).collect::<Vec<_>>().join(", ");
    let text = format!(
        r#"{{"fio version": "fio-3.33", "jobs": [{{"jobname": "j", "job options": {{{options}}}, {flows}}}]}}"#
    );
    Subject::of_fio("j", "j.json", &fio_json(&text).unwrap(), Columns::USUAL)
}

/// The options of a file of fio are those of the first job of a group, and `bs` may be one of several options of blocks.
#[test]
fn the_blocks_of_a_file_of_fio_are_those_that_were_counted() {
    let fixed = || fio_of(r#""bs": "4k""#, &[("read", 4096)]);
    let mixed = || fio_of(r#""bs": "4k""#, &[("read", 4096), ("write", 4096)]);
    for (from, to, says) in [
        (fixed(), fio_of(r#""bs": "8k""#, &[("read", 8192)]), "blocks of 4 KiB and 8 KiB"),
        (fixed(), fio_of(r#""bs": "4k""#, &[("read", 34_816)]), "blocks of 4 KiB and 34 KiB"),
        (
            fixed(),
            fio_of(r#""bs": "4k", "bsrange": "2k-6k""#, &[("read", 4096)]),
            "blocks of 4 KiB and bsrange=2k-6k",
        ),
        (
            fio_of(r#""bssplit": "4k/50:8k/50""#, &[("read", 6144)]),
            fio_of(r#""bssplit": "2k/50:10k/50""#, &[("read", 6144)]),
            "bssplit=4k/50:8k/50 and bssplit=2k/50:10k/50",
        ),
        (
            mixed(),
            fio_of(r#""bs": "4k,64k""#, &[("read", 4096), ("write", 65_536)]),
            "blocks of 4 KiB and read 4 KiB, write 64 KiB",
        ),
    ] {
        let found = beside(from, to);
        assert!(found.figures.is_empty(), "{says}: {:?}", found.figures);
        assert!(reasons(&found).iter().any(|reason| reason.contains(says)), "{says}: {:?}", found.left_out);
        assert!(
            found.differences.iter().any(|it| words::property(it) == "block size of j"),
            "{:?}",
            found.differences
        );
    }
    assert!(!beside(mixed(), mixed()).figures.is_empty());
    // Terse lines have no options.
    let line = |kib: u64| {
        let text =
            terse("r", false, 9_000).replace(";36000;36000;", &format!(";{};{};", 9_000 * kib, 9_000 * kib));
        Subject::of_fio("t", "x.terse", &[fio_terse(&text).unwrap()], Columns::USUAL)
    };
    let found = beside(line(4), line(8));
    assert!(found.figures.is_empty(), "{:?}", found.figures);
    assert!(reasons(&found)[0].contains("blocks of 4 KiB and 8 KiB"), "{:?}", found.left_out);
}

#[test]
fn other_names_and_versions_of_fio_are_told_where_the_io_is_the_same() {
    let found = beside(fio("old", "fio-3.28", "read", 8, 4096), fio("new", "fio-3.33", "read", 8, 4096));
    assert_eq!(found.figures.len(), 2, "{:?}", found.left_out);
    let told: Vec<(String, Vec<Option<&str>>)> = found
        .differences
        .iter()
        .map(|it| (words::property(it), it.values.iter().map(Option::as_deref).collect()))
        .collect();
    let expected = [
        ("name of old".to_owned(), vec![Some("old"), Some("new")]),
        ("version of fio".to_owned(), vec![Some("fio-3.28"), Some("fio-3.33")]),
    ];
    assert_eq!(told, expected);
    // Beside a run of fathom the little that fio tells is no difference.
    let mixed = beside(of("run", &[run(JOB, 8_000, 100_000)]), fio("j", "fio-3.33", "read", 8, 4096));
    assert!(mixed.differences.is_empty() && !mixed.figures.is_empty(), "{:?}", mixed.differences);
}

/// A file of fio's JSON to which each run was appended (`>>`), with the IOPS of each.
fn appended(name: &str, rates: &[u64]) -> Subject {
    let tree = |iops: &u64| {
        format!(
            r#"{{"fio version": "fio-3.33", "jobs": [{{"jobname": "j", "job options": {{"bs": "4k"}},
                "read": {{"total_ios": {iops}, "io_bytes": {}, "io_kbytes": 1, "runtime": 1000, "iops": {iops}.0}}}}]}}"#,
            iops * 4096
        )
    };
    let text = rates.iter().map(tree).collect::<Vec<_>>().join("\n");
    Subject::of_fio(name, "j.json", &fio_json(&text).unwrap(), Columns::USUAL)
}

#[test]
fn runs_that_were_appended_to_one_file_are_its_runs() {
    let found = beside(appended("a", &[9_300, 9_200, 9_100, 9_000]), appended("b", &[8_000]));
    assert_eq!(found.subjects.iter().map(|it| it.runs).collect::<Vec<_>>(), [4, 1]);
    let iops = found.figures.iter().find(|figure| figure.metric == "IOPS").expect("IOPS");
    assert_eq!(iops.values.iter().map(|it| it.value).collect::<Vec<_>>(), [9_150.0, 8_000.0]);
}

/// A terse line of version 3 with these KiB and IOPS in one direction.
fn terse(name: &str, is_write: bool, iops: u64) -> String {
    let own = format!(
        ";{};{};{iops};1000;0;0;0;0;1;9;5;1{};1;9;5;1;0;0;0;0;0",
        iops * 4,
        iops * 4,
        ";0%=0".repeat(20)
    );
    let none = format!("{}{}{}", ";0".repeat(12), ";0%=0".repeat(20), ";0".repeat(9));
    let (read, write) = if is_write { (none, own) } else { (own, none) };
    format!("3;fio-3.33;{name};0;0{read}{write}\n")
}

#[test]
fn terse_lines_are_compared_by_their_directions_and_several_are_no_single_run() {
    let of = |name: &str, text: &str| {
        Subject::of_fio(name, "x.terse", &[fio_terse(text).unwrap()], Columns::USUAL)
    };
    let found = beside(of("a", &terse("r", false, 9_000)), of("b", &terse("w", true, 3_000)));
    assert!(found.figures.is_empty(), "{:?}", found.figures);
    assert!(reasons(&found)[0].contains("read and write"), "{:?}", found.left_out);
    let lines = |rate: u64| (0..3).map(|_| terse("r", false, rate)).collect::<String>();
    let found = beside(of("a", &lines(9_000)), of("b", &lines(5_000)));
    assert_eq!([0, 1].map(|at| found.subjects[at].results), [Some(3), Some(3)]);
    assert_eq!(
        beside(of("a", &terse("r", false, 1)), of("b", &terse("r", false, 2))).subjects[0].results,
        None
    );
}

#[test]
fn runs_of_fathom_whose_only_jobs_have_other_names_and_do_other_io_are_not_compared() {
    let named = |name: &str, options: &str| {
        let text = format!("[{name}]\n{}\n", options.replace(' ', "\n"));
        let load = if options.contains("write") { DirectionLoad::writes } else { DirectionLoad::reads };
        let run = RunBuilder::text(&text).seconds(0, 3, &[load(1_000, 4096, 80_000)]).run();
        super::of(name, &[run])
    };
    let write = "rw=randwrite bs=4k iodepth=8 ioengine=io_uring filename=/dev/x";
    let deep = "rw=randread bs=4k iodepth=1 ioengine=io_uring filename=/dev/x";
    for other in [write, deep] {
        let found = beside(named("a", JOB), named("b", other));
        assert!(found.figures.is_empty(), "{:?}", found.figures);
        // What was measured in turn was meant: the IOPS at two depths are compared.
        let in_turn = beside(named("a", JOB).in_turn("p"), named("b", other).in_turn("p"));
        assert_eq!(in_turn.figures.is_empty(), other == write, "{:?}", in_turn.left_out);
    }
    let same = beside(named("a", JOB), named("b", JOB));
    assert!(!same.figures.is_empty() && same.differences.iter().any(|it| words::property(it) == "name of a"));
}

#[test]
fn a_drift_within_a_set_is_told_where_it_was_not_measured_in_turn() {
    let drifts = || typed("a", &[("x", &[100.0, 101.0, 102.0, 103.0, 104.0])]);
    let still = || typed("b", &[("x", &[110.0, 108.0, 111.0, 109.0, 110.5])]);
    let found = beside(drifts(), still());
    let values = &found.figures[0].values;
    assert_eq!([values[0].order_p_value, values[1].order_p_value], [Some(2.0 / 120.0), None]);
    assert!(
        words::doubts(&found)[0].starts_with("The runs of A depend on their order, as with a drift"),
        "{:?}",
        words::doubts(&found)
    );
    let in_turn = beside(drifts().in_turn("p"), still().in_turn("p"));
    assert!(words::doubts(&in_turn).iter().all(|said| !said.contains("order, as")), "{in_turn:?}");
}

/// What two jobs asked for is no figure of a disk, and that a disk rests at a low rate is named where latencies differ.
#[test]
fn rates_that_were_asked_for_are_not_compared_and_explain_latencies() {
    let paced = |rate: u64, reached: u64, latency_ns: u64| {
        let options = format!("rate_iops={rate} rw=randread bs=4k ioengine=io_uring filename=/dev/x");
        run(&options, reached, latency_ns)
    };
    let found = beside(of("a", &[paced(300, 300, 120_000)]), of("b", &[paced(6_000, 6_000, 90_000)]));
    let names: Vec<&str> = found.figures.iter().map(|figure| figure.metric.as_str()).collect();
    assert!(names.contains(&"mean latency") && !names.contains(&"IOPS"), "{names:?}");
    let reason = "it is what the jobs ask for, which differs: 300 IOPS and 6.00k IOPS";
    assert!(reasons(&found).contains(&reason.to_owned()), "{:?}", found.left_out);
    let jobs = vec!["t".to_owned()];
    assert!(found.doubts.contains(&ComparisonDoubt::OtherRates { jobs }), "{:?}", found.doubts);
    // A rate that the disk could not keep is a figure of the disk beside another such rate.
    let found = beside(of("a", &[paced(8_000, 300, 120_000)]), of("b", &[paced(9_000, 6_000, 90_000)]));
    assert!(found.figures.iter().any(|figure| figure.metric == "IOPS"), "{:?}", found.left_out);
    assert!(!found.doubts.iter().any(|doubt| matches!(doubt, ComparisonDoubt::OtherRates { .. })));
    // Runs that keep the same rate are the same.
    let found = beside(of("a", &[paced(300, 300, 120_000)]), of("b", &[paced(300, 300, 90_000)]));
    assert!(found.figures.iter().any(|figure| figure.metric == "IOPS"), "{:?}", found.left_out);
}
