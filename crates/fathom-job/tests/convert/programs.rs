//! Jobs as parameter files of Vdbench and as command lines of elbencho.

use super::{convert, errors, examples};
use crate::world::listed;

/// The line of a converted text that begins so.
fn line<'a>(text: &'a str, begin: &str) -> &'a str {
    text.lines().find(|line| line.starts_with(begin)).unwrap_or_else(|| panic!("no {begin} in\n{text}"))
}

#[test]
fn the_guides_jobs_for_both_programs() {
    for form in ["vdbench", "elbencho"] {
        let all =
            [examples("vsl"), examples("flash")].concat().iter().fold(String::new(), |all, (name, text)| {
                let converted = convert(&format!("--to {form}"), name, text);
                all + &format!("==> {name}\n{}\n", converted.text)
            });
        insta::assert_snapshot!(format!("guides_for_{form}"), all);
    }
}

/// Job options, and what they are in the three lines of a Vdbench file.
#[test]
fn vdbench_has_its_own_words() {
    let table = [
        (
            "rw=randread\nbs=4k\ndirect=1",
            "sd=sd1,lun=/dev/sdb,openflags=o_direct",
            "xfersize=4096,rdpct=100,seekpct=100",
            "iorate=max,threads=1",
        ),
        (
            "rw=rw\nrwmixread=70\nbs=128k\nioengine=libaio\niodepth=32\nnumjobs=2",
            "sd=sd1,lun=/dev/sdb",
            "xfersize=131072,rdpct=70,seekpct=0",
            "threads=64",
        ),
        ("rw=randrw\npercentage_random=40", "sd=sd1", "seekpct=40", "threads=1"),
        ("rw=randread\nrate_iops=100\nnumjobs=3", "sd=sd1", "rdpct=100", "iorate=300,threads=3"),
        ("rw=randrw\nrate_iops=100,50", "sd=sd1", "rdpct=67", "iorate=150"),
        ("rw=randrw\nrwmixread=70\nrate_iops=100,900", "sd=sd1", "rdpct=10", "iorate=1000"),
        ("rw=randread\nbssplit=4k/40:8k/60", "sd=sd1", "xfersize=(4096,40,8192,60)", "rd=run1_a"),
        ("rw=randread\nbsrange=1k-16k", "sd=sd1", "xfersize=(1024,16384,1024)", "rd=run1_a"),
        (
            "rw=randwrite\nbuffer_compress_percentage=50\ndedupe_percentage=75",
            "sd=sd1,lun=/dev/sdb,compratio=2.00,dedupratio=4.00,dedupunit=4096",
            "rdpct=0",
            "rd=run1_a",
        ),
        ("rw=randwrite\nsize=50%", "sd=sd1", "range=(0,50)", "rd=run1_a"),
        ("rw=randwrite\nsize=1m", "sd=sd1,lun=/dev/sdb,size=1048576", "wd=wd1", "rd=run1_a"),
    ];
    for (options, storage, workload, run) in table {
        let text = format!("[a]\nfilename=/dev/sdb\nruntime=60\nramp_time=5\ntime_based\n{options}\n");
        let converted = convert("--to vdbench", "job.fio", &text);
        for (begin, word) in [("sd=", storage), ("wd=", workload), ("rd=", run)] {
            assert!(line(&converted.text, begin).contains(word), "{options}: {word} in\n{}", converted.text);
        }
        assert!(
            line(&converted.text, "rd=").ends_with("elapsed=60,warmup=5,interval=1"),
            "{}",
            converted.text
        );
        assert!(!listed(&converted.lost).contains("warning"), "{options}: {}", listed(&converted.lost));
    }
}

/// The rates of a mix decide the share of reads, and `rwmixread` does not.
#[test]
fn rates_decide_the_share_of_reads() {
    let of = |options: &str| {
        let text =
            format!("[a]\nfilename=/dev/sdb\nruntime=60\ntime_based\nrw=randrw\nrwmixread=70\n{options}\n");
        let converted = convert("--to vdbench", "job.fio", &text);
        let words = line(&converted.text, "wd=").split(',');
        (words.filter(|word| word.starts_with("rdpct")).collect::<String>(), listed(&converted.lost))
    };
    let (share, _) = of("bs=16k\nrate=1m,9m");
    assert_eq!(share, "rdpct=10");
    assert_eq!(of("bs=4k,16k\nrate=1m,1m").0, "rdpct=80");
    let (share, lost) = of("rate_iops=100,");
    assert_eq!(share, "rdpct=70");
    assert!(
        lost.contains("its rates decide the share of reads, which is not known before it runs"),
        "{lost}"
    );
    let (share, told) = of("rate_iops=100,50");
    assert!(share == "rdpct=67" && told.contains("its rates make 66.67 % reads, rounded to 67 %"), "{told}");
}

/// Job options, and what they are in the command line of elbencho.
#[test]
fn elbencho_has_its_own_words() {
    let table = [
        (
            "rw=randread\nbs=4k\ndirect=1",
            "elbencho --read --block 4096 --threads 1 --iodepth 1 --direct --rand --infloop --timelimit 60 --lat /dev/sdb",
        ),
        (
            "rw=randrw\nrwmixread=70\nioengine=libaio\niodepth=16\nnumjobs=8",
            "--write --rwmixpct 70 --block 4096 --threads 8 --iodepth 16 --rand",
        ),
        (
            "rw=write\nbs=1m",
            "elbencho --write --block 1048576 --threads 1 --iodepth 1 --infloop --timelimit 60 --blockvarpct 0",
        ),
        ("rw=write\nrefill_buffers", "--blockvarpct 100"),
        ("rw=randread\nsize=1g", "--size 1073741824"),
        ("rw=randread\ncpus_allowed=1-4", "--cores 1,2,3,4"),
        ("rw=randrw\nrwmixread=0", "elbencho --write --block"),
        ("rw=randrw\nrwmixread=100", "elbencho --read --block"),
    ];
    for (options, words) in table {
        let text = format!("[a]\nfilename=/dev/sdb\nruntime=60\ntime_based\n{options}\n");
        let converted = convert("--to elbencho", "job.fio", &text);
        let line = line(&converted.text, "elbencho ");
        assert!(line.contains(words), "{options}: {words} in\n{line}");
        assert!(converted.lost.is_empty(), "{options}: {}", listed(&converted.lost));
    }
}

/// Option and where it has no counterpart.
#[test]
fn each_option_without_counterpart_is_named_with_its_place() {
    let table = [
        ("iodepth_batch=4", &["vdbench", "elbencho", "orion"][..]),
        ("fsync=1", &["vdbench", "elbencho", "orion"]),
        ("random_distribution=zipf:1.1", &["vdbench", "elbencho", "orion"]),
        ("thinktime=10", &["vdbench", "elbencho", "orion"]),
        ("cpus_allowed=1-4", &["vdbench", "orion"]),
        ("rate_iops=100", &["elbencho", "orion"]),
        ("buffer_compress_percentage=50", &["elbencho", "orion"]),
        ("offset=1m", &["vdbench", "elbencho", "orion"]),
        ("ramp_time=5", &["elbencho", "orion"]),
    ];
    for (option, forms) in table {
        for form in ["vdbench", "elbencho", "orion"] {
            let text = format!(
                "[a]\nfilename=/dev/sdb\nruntime=60\ntime_based\nrw=randwrite\ndirect=1\nioengine=libaio\nsize=100%\n{option}\n"
            );
            let converted = convert(&format!("--to {form}"), "job.fio", &text);
            let told = listed(&converted.lost);
            let name = option.split('=').next().unwrap();
            let is_told = told.contains("job.fio:9:1: warning: job a:") && told.contains(name);
            assert_eq!(is_told, forms.contains(&form), "{form} {option}: {told}");
            let comment = if form == "vdbench" { "* job a:" } else { "# job a:" };
            assert_eq!(converted.text.contains(comment), is_told, "{form} {option}: {}", converted.text);
        }
    }
}

#[test]
fn jobs_side_by_side_stay_so() {
    let text = "[global]\nfilename=/dev/sdb\nruntime=9\ntime_based\n[a]\nrw=randread\n[b]\nrw=randwrite\n[c]\nstonewall\nrw=read\n";
    let elbencho = convert("--to elbencho", "job.fio", text).text;
    let lines: Vec<&str> =
        elbencho.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    assert!(
        lines[0].ends_with(" &")
            && lines[1].ends_with(" &")
            && lines[2] == "wait"
            && !lines[3].ends_with('&'),
        "{elbencho}"
    );
    let vdbench = convert("--to vdbench", "job.fio", text);
    assert!(
        line(&vdbench.text, "rd=run1").contains("wd=(wd1,wd2)")
            && line(&vdbench.text, "rd=run2").contains("wd=wd3")
    );
    assert!(listed(&vdbench.lost).contains("run side by side"), "{}", listed(&vdbench.lost));
}

#[test]
fn depth_is_divided_among_devices() {
    let text =
        "[a]\nfilename=/dev/sdb:/dev/sdc\nrw=randread\nioengine=libaio\niodepth=33\nruntime=9\ntime_based\n";
    let vdbench = convert("--to vdbench", "job.fio", text);
    assert!(line(&vdbench.text, "rd=").contains("threads=17"), "{}", vdbench.text);
    assert!(line(&vdbench.text, "wd=").contains("sd=(sd1,sd2)"));
    assert!(
        listed(&vdbench.lost).contains("33 I/Os in flight do not divide among 2 devices"),
        "{}",
        listed(&vdbench.lost)
    );
}

#[test]
fn what_has_no_workload_is_an_error() {
    for form in ["vdbench", "elbencho", "orion"] {
        for (text, word) in [
            ("[a]\nioengine=null\nsize=1m\n", "does no I/O"),
            ("[a]\nfilename=/dev/sdb\nrw=trim\n", "trims have no counterpart"),
            ("[a]\nbs=q\n", "bs"),
        ] {
            assert!(errors(&format!("--to {form}"), text).contains(word), "{form} {text}");
        }
    }
}
