//! Each rule with jobs that it finds and jobs that it leaves alone.

use super::RULES;
use crate::plan::fixture::{codes, one, planned};

/// Does the plan of a section `[t]` have a finding of this code, with this word in its message or
/// hint?
fn finds(code: &str, word: &str, options: &str) -> bool {
    let plan = one(options);
    plan.findings.iter().any(|f| {
        f.code == code && (f.message.contains(word) || f.hints.iter().any(|hint| hint.contains(word)))
    })
}

/// A code, a word, what triggers it, what does not.
struct Case {
    code: &'static str,
    word: &'static str,
    found: &'static [&'static str],
    quiet: &'static [&'static str],
}

const DEVICE: &str = "filename=/dev/fioa";

const CASES: &[Case] = &[
    Case {
        code: "T-60",
        word: "4 KiB",
        found: &["rw=read", "rw=randread direct=1"],
        quiet: &["bs=4k", "bsrange=4k-8k", "bssplit=4k/50:8k/50", "bs=4096,8192"],
    },
    Case {
        code: "V-43",
        word: "iodepth=16",
        found: &["bs=4k ioengine=io_uring iodepth=16"],
        quiet: &[
            "bs=4k ioengine=io_uring iodepth=16 direct=1",
            "bs=4k ioengine=io_uring",
            "bs=4k ioengine=libaio iodepth=16",
        ],
    },
    Case {
        code: "sync-depth",
        word: "about 1 write is in flight",
        found: &["bs=4k direct=1 rw=randwrite ioengine=libaio iodepth=32 fsync=1"],
        quiet: &[
            "bs=4k direct=1 rw=randwrite ioengine=io_uring iodepth=32 fsync=1",
            "bs=4k direct=1 rw=randwrite ioengine=libaio iodepth=1 fsync=1",
            "bs=4k direct=1 rw=randwrite ioengine=libaio iodepth=32 sync=1",
            "bs=4k direct=1 rw=randread ioengine=libaio iodepth=32 fsync=1",
        ],
    },
    Case {
        code: "V-11",
        word: "page cache",
        found: &["bs=4k", "bs=4k buffered=1"],
        quiet: &["bs=4k direct=1"],
    },
    Case {
        code: "page-cache",
        word: "16 GiB",
        found: &[
            "bs=4k rw=read",
            "bs=4k rw=randrw",
            "bs=4k rw=read filename=/data/new size=1g invalidate=0",
            "bs=4k rw=read filename=/data/new size=1g pre_read=1",
            "bs=4k rw=randread filename=/data/new size=1g norandommap=1",
            "bs=4k rw=randread filename=/data/new size=1g random_distribution=zipf:1.2",
            "bs=64k blockalign=4k rw=randread filename=/data/new size=1g",
            "bs=4k rw=randrw filename=/data/new size=1g",
            "bs=4k rw=read filename=/data/new size=1g numjobs=2",
        ],
        quiet: &[
            "bs=4k rw=read direct=1",
            "bs=4k rw=write",
            // Each pass begins cold.
            "bs=4k rw=read filename=/data/new size=1g",
            "bs=4k rw=randread filename=/data/new size=1g time_based=1 runtime=10",
            "bs=4k rw=read filename=/data/new size=1g numjobs=2 offset_increment=1g",
        ],
    },
    Case {
        code: "V-43",
        word: "end_fsync=1",
        found: &["bs=4k rw=write", "bs=4k rw=randrw"],
        quiet: &[
            "bs=4k rw=read",
            "bs=4k rw=write direct=1",
            "bs=4k rw=write end_fsync=1",
            "bs=4k rw=write fdatasync=8",
            "bs=4k rw=write sync=dsync",
        ],
    },
    Case {
        code: "V-43",
        word: "loops=2",
        found: &[
            "bs=1m rw=write",
            "bs=1m rw=write size=100%",
            "bs=1m rw=rw rwmixread=0",
            "bs=1m rw=write numjobs=2 size=50% offset_increment=50%",
        ],
        quiet: &[
            "bs=1m rw=write loops=2",
            "bs=1m rw=write size=50%",
            "bs=1m rw=write runtime=9",
            "bs=1m rw=randwrite",
            "bs=1m rw=read",
        ],
    },
    Case {
        code: "whole-device",
        word: "1 GiB",
        found: &["bs=1m rw=write", "bs=1m rw=randwrite"],
        quiet: &[
            "bs=1m rw=write runtime=9 time_based",
            "bs=1m rw=read",
            "bs=1m rw=write size=1m",
            "bs=1m rw=write filename=/data/new size=1g",
        ],
    },
    Case {
        code: "size-zero",
        word: "size=0 means all of /dev/fioa: 1 GiB",
        found: &["bs=1m rw=trim size=0", "bs=1m rw=read size=0g"],
        quiet: &["bs=1m rw=trim", "bs=1m rw=trim size=1m", "bs=1m rw=trim size=100%"],
    },
    Case {
        code: "V-50",
        word: "refill_buffers=1",
        found: &["bs=4k rw=write", "bs=4k rw=trimwrite", "bs=4k rw=write scramble_buffers=0"],
        quiet: &[
            "bs=4k rw=read",
            "bs=4k rw=write refill_buffers",
            "bs=4k rw=write zero_buffers",
            "bs=4k rw=write buffer_compress_percentage=50",
        ],
    },
    Case {
        code: "V-45",
        word: "random",
        found: &["bs=4k rw=write zero_buffers", "bs=4k rw=write buffer_pattern=0xaa"],
        quiet: &[
            "bs=4k rw=write",
            "bs=4k rw=read zero_buffers",
            "bs=4k rw=write buffer_pattern=0xaa refill_buffers",
        ],
    },
    Case {
        code: "V-23",
        word: "fathom precondition",
        found: &["bs=4k rw=read", "bs=4k rw=randrw"],
        quiet: &["bs=4k rw=write", "bs=4k filename=/data/mib"],
    },
    Case {
        code: "I-35",
        word: "randrepeat=0",
        found: &["bs=4k rw=randread", "bs=4k rw=randwrite"],
        quiet: &[
            "bs=4k rw=read",
            "bs=4k rw=randread randrepeat=0",
            "bs=4k rw=randread randrepeat=1",
            "bs=4k rw=randread randseed=7",
        ],
    },
    Case {
        code: "early-end",
        word: "time_based=1",
        found: &["bs=4k runtime=30"],
        quiet: &["bs=4k runtime=30 time_based", "bs=4k"],
    },
    Case {
        code: "long-ramp",
        word: "5 s",
        found: &["bs=4k runtime=2 time_based ramp_time=5"],
        quiet: &["bs=4k runtime=30 time_based ramp_time=5", "bs=4k ramp_time=5"],
    },
    Case {
        code: "few-samples",
        word: "99th percentile",
        found: &[
            "bs=4k runtime=9 time_based rate_iops=11",
            "bs=4k runtime=9 time_based rate=44k",
            "bs=4k runtime=9 time_based rw=randrw rate_iops=1k,11",
        ],
        quiet: &[
            "bs=4k runtime=10 time_based rate_iops=10",
            "bs=4k runtime=9 time_based rw=randwrite rate_iops=11,1k",
            "bs=4k runtime=9 time_based",
            "bs=4k rate_iops=1",
        ],
    },
    Case {
        code: "rwmix-rates",
        word: "same sum: rate_iops=180,20",
        found: &["bs=4k rw=randrw rwmixread=90 rate_iops=100", "bs=4k rw=rw rwmixwrite=10 rate_iops=150,50"],
        quiet: &[
            "bs=4k rw=randrw rate_iops=100",
            "bs=4k rw=randrw rwmixread=90 rate_iops=100,",
            "bs=4k rw=randrw rwmixread=90 rate_iops=900,100",
            "bs=4k rw=randread rwmixread=90 rate_iops=100",
        ],
    },
    Case {
        code: "rwmix-one-rate",
        word: "only reads have a rate",
        found: &["bs=4k rw=randrw rwmixread=95 rate_iops=800,", "bs=4k rw=rw rate=1m,"],
        quiet: &["bs=4k rw=randrw rate_iops=800", "bs=4k rw=randrw", "bs=4k rw=randread rate_iops=800,"],
    },
    Case {
        code: "option-idle",
        word: "has no effect, because",
        found: &[
            "bs=4k rw=randread fsync=4",
            "bs=4k rw=write random_distribution=zipf:1.2",
            "bs=4k rw=randread ioengine=libaio direct=1 cmdprio_class=1",
            "bs=4k rw=randread bssplit=4k/50:8k/50",
            "bs=4k rw=read bsrange=4k-8k",
            "bsrange=4k-8k rw=read bssplit=4k/50:8k/50",
        ],
        quiet: &[
            "bs=4k rw=randwrite fsync=4",
            "bs=4k rw=randread random_distribution=zipf:1.2",
            "bs=4k rw=read percentage_random=50 random_distribution=zipf:1.2",
            "bs=4k rw=randread ioengine=libaio direct=1 cmdprio_class=1 cmdprio_percentage=20",
        ],
    },
    Case {
        code: "blocks-cut",
        word: "norandommap=1",
        found: &[
            "rw=randread bssplit=4k/50:64k/50",
            "rw=randwrite bssplit=4k/50:64k/50 loops=2",
            "rw=randread bssplit=4k/50:64k/50 io_size=256m size=1g",
            "rw=randread bsrange=4k-64k io_size=512m size=1g",
            "rw=randread bssplit=4k/50:64k/50 number_ios=20000 size=1g",
            "rw=randread bssplit=4k/50:64k/50 rate=100m time_based runtime=10 size=1g",
        ],
        quiet: &[
            "rw=randread bssplit=4k/50:64k/50 norandommap=1",
            "rw=read bssplit=4k/50:64k/50",
            "rw=randread bssplit=4k/50:64k/50 io_size=1m size=1g",
            "rw=randread bssplit=4k/50:64k/50 number_ios=9",
            "rw=randread bssplit=4k/50:64k/50 number_ios=1000 size=1g",
            "rw=randread bssplit=4k/50:64k/50 time_based runtime=10 size=1g",
            "rw=read bsrange=4k-64k",
            "rw=randread bssplit=4k/100",
        ],
    },
    Case {
        code: "mix-unused",
        word: "rwmixread",
        found: &[
            "bs=4k rw=read rwmixread=70",
            "bs=4k rw=randwrite rwmixwrite=30",
            "bs=4k rw=trimwrite rwmixread=1",
        ],
        quiet: &["bs=4k rw=randrw rwmixread=70", "bs=4k rw=rw rwmixread=0", "bs=4k rw=read"],
    },
    Case {
        code: "mix-few",
        word: "no write",
        found: &["bs=4k rw=randrw number_ios=1", "bs=1m rw=rw rwmixread=99 size=9m"],
        quiet: &[
            "bs=4k rw=randrw number_ios=2",
            "bs=4k rw=randrw number_ios=1 rwmixread=100",
            "bs=4k rw=randread number_ios=1",
            "bs=1m rw=rw rwmixread=99 size=9m runtime=9 time_based",
        ],
    },
    Case {
        code: "pause-never",
        word: "no pause of thinktime comes",
        found: &[
            "bs=4k size=1m thinktime=5 thinktime_blocks=300",
            "bs=4k size=1m thinktime=5 thinktime_blocks=300 runtime=1 time_based rate_iops=300",
            "bs=4k size=1g thinktime=5 thinktime_blocks=300 number_ios=300",
            "bs=4k size=1m thinktime=5 thinktime_blocks=300 thinktime_iotime=9 runtime=9",
            "bs=4k thinktime=5 thinktime_iotime=9 runtime=9 time_based",
        ],
        quiet: &[
            "bs=4k size=1m thinktime=5 thinktime_blocks=255",
            "bs=4k size=1m thinktime=5 thinktime_blocks=300 runtime=1 time_based",
            "bs=4k size=1m thinktime=5 thinktime_blocks=300 runtime=2 time_based rate_iops=300",
            "bs=4k size=1m thinktime=5 thinktime_blocks=300 thinktime_iotime=8 runtime=9",
            "bs=4k size=1m thinktime_blocks=300",
            "bs=4k thinktime=5 thinktime_iotime=8 runtime=9 time_based",
            "bs=4k thinktime=5 thinktime_iotime=9",
        ],
    },
    Case {
        code: "hist-log",
        word: "PREFIX_clat_hist.1.log",
        found: &["bs=4k log_hist_msec=100", "bs=4k log_hist_coarseness=3"],
        quiet: &["bs=4k", "bs=4k write_hist_log=h log_hist_msec=100", "bs=4k write_hist_log=h"],
    },
    Case {
        code: "stonewall-first",
        word: "no job is before it, and b runs at the same time",
        found: &["bs=4k stonewall\n[b]\nsize=1m\nbs=4k", "bs=4k wait_for_previous\n[b]\nsize=1m\nbs=8k"],
        quiet: &[
            "bs=4k",
            "bs=4k stonewall",
            "bs=4k stonewall\n[b]\nsize=1m\nbs=4k\nstonewall",
            "bs=4k stonewall=0\n[b]\nsize=1m\nbs=4k",
        ],
    },
    Case {
        code: "late-delay",
        word: "",
        found: &[],
        // It needs a second job: see below.
        quiet: &["bs=4k startdelay=5"],
    },
    Case {
        code: "batch-whole",
        word: "8 keeps at least half",
        found: &[
            "bs=4k direct=1 ioengine=libaio iodepth=16 iodepth_batch=16",
            "bs=4k direct=1 ioengine=libaio iodepth=16 iodepth_batch=0",
            "bs=4k direct=1 ioengine=io_uring iodepth=16 iodepth_batch_complete_min=99",
        ],
        quiet: &[
            "bs=4k direct=1 ioengine=libaio iodepth=16 iodepth_batch=8 iodepth_batch_complete_min=8",
            "bs=4k direct=1 ioengine=libaio iodepth=16",
            "bs=4k ioengine=psync iodepth_batch=1",
        ],
    },
    Case {
        code: "region-rest",
        word: "are not touched",
        found: &[
            "bs=3m rw=read",
            "bs=1m rw=randread size=1049600",
            "bs=2300 rw=randwrite filename=/data/new size=22m",
            "bs=3m rw=read offset=2m",
        ],
        quiet: &[
            "bs=1m rw=read",
            "bs=1m rw=read size=33%",
            // fio's last block of a sequential pass reaches beyond the size.
            "bs=1m rw=read size=1049600",
            "bs=3m rw=read filename=/dev/null size=30m",
        ],
    },
    Case {
        code: "unwritten-file",
        word: "hold no data",
        found: &["bs=4k rw=read filename=/data/sparse", "bs=4k rw=randrw filename=/data/sparse size=1g"],
        quiet: &["bs=4k rw=read filename=/data/dense", "bs=4k rw=write filename=/data/sparse"],
    },
];

#[test]
fn each_rule_finds_its_flaw_and_nothing_else() {
    for case in CASES {
        let with_device = |options: &str| {
            if options.contains("filename=") { options.to_owned() } else { format!("{DEVICE} {options}") }
        };
        for options in case.found {
            assert!(
                finds(case.code, case.word, &with_device(options)),
                "{} not found in {options}",
                case.code
            );
        }
        for options in case.quiet {
            assert!(
                !finds(case.code, case.word, &with_device(options)),
                "{} wrongly found in {options}",
                case.code
            );
        }
    }
}

#[test]
fn the_writes_between_two_syncs_are_the_depth() {
    let code = "sync-depth";
    let job = "bs=4k direct=1 rw=randrw ioengine=libaio fdatasync=8 filename=/dev/fioa";
    assert!(finds(code, "every 8 writes (fdatasync=8)", &format!("{job} iodepth=32")));
    assert!(!finds(code, "", &format!("{job} iodepth=8")));
}

#[test]
fn every_rule_has_a_case() {
    assert_eq!(CASES.len(), RULES.len(), "each rule has one case in this file");
    for rule in RULES {
        assert!(CASES.iter().any(|case| case.code == rule.code), "{}", rule.code);
    }
}

#[test]
fn null_jobs_are_not_lectured_about_media() {
    let plan = one("ioengine=null size=1g bs=4k rw=randwrite iodepth=8 randrepeat=0");
    assert!(plan.findings.is_empty(), "{:?}", codes(&plan));
}

#[test]
fn an_earlier_fill_answers_the_unwritten_blocks() {
    let warns = |filled: &str, fill: &str| {
        let plan = planned(&format!(
            "[fill]\nbs=1m\ndirect=1\nfilename={filled}\nrw=write\n{fill}\n[read]\nbs=1m\ndirect=1\nstonewall\nfilename=/dev/fioa\nrw=read\n"
        ));
        codes(&plan).contains(&"V-23")
    };
    assert!(!warns("/dev/fioa", "loops=2"));
    assert!(warns("/dev/fioa", "size=50%"));
    assert!(warns("/dev/fourk", ""));
}

/// fio 3.33: a delay counts from the start of the run.
#[test]
fn a_delay_behind_a_stonewall_is_no_wait_between_two_jobs() {
    let found = |second: &str| {
        let plan = planned(&format!("[global]\nioengine=null\nsize=1m\nbs=4k\n[a]\n[b]\n{second}\n"));
        plan.findings.into_iter().find(|found| found.code == "late-delay")
    };
    let told = found("stonewall\nstartdelay=5").expect("it is told");
    assert!(told.hints[0].starts_with("idle_before=5s waits"), "{told:?}");
    assert!(found("wait_for=a\nstartdelay=5").is_some());
    assert!(found("startdelay=5").is_none() && found("stonewall\nidle_before=5").is_none());
}

#[test]
fn notes_of_options_without_effect_are_seen_before_a_run() {
    let seen = |options: &str| {
        let plan = one(&format!("filename=/dev/fioa bs=4k direct=1 {options}"));
        let codes = plan
            .findings
            .iter()
            .filter(|finding| super::is_for_the_start(finding))
            .map(|finding| finding.code.clone());
        codes.collect::<Vec<String>>()
    };
    assert_eq!(seen("rw=read rwmixread=70 runtime=9"), ["early-end", "mix-unused"]);
    assert!(seen("rw=read").is_empty());
}

#[test]
fn what_earlier_runs_wrote_whole_is_not_remarked() {
    let is_found = |size: &str| {
        let plan = one(&format!("filename=/dev/covered bs=4k direct=1 rw=read size={size}"));
        plan.findings.iter().any(|finding| finding.code == "V-23")
    };
    assert!(!is_found("1m") && is_found("2m"));
}

/// Where a purge and the writes since are known, the finding is certain.
#[test]
fn what_nobody_wrote_since_a_purge_is_counted() {
    let found = |options: &str| {
        let plan = one(&format!("filename=/dev/purged bs=4k direct=1 {options}"));
        let found = plan.findings.iter().find(|finding| finding.code == "V-23").unwrap();
        (found.severity, found.message.clone())
    };
    let (severity, message) = found("rw=read size=4m");
    assert_eq!(severity, crate::diagnostic::Severity::Warning);
    assert!(message.contains("of which 3 MiB were never written"), "{message}");
    let (severity, _) = found("rw=read size=1m");
    assert_eq!(severity, crate::diagnostic::Severity::Note, "written, or at least begun");
}

#[test]
fn findings_stand_once_for_all_clones_and_point_at_the_option() {
    let plan = one("filename=/dev/fioa bs=4k rw=randread numjobs=8 direct=0");
    let cache: Vec<_> = plan.findings.iter().filter(|f| f.code == "V-11").collect();
    assert_eq!(cache.len(), 1);
    assert_eq!(cache[0].span.as_ref().unwrap().text, "direct=0");
}
