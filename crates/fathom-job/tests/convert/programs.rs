//! Jobs as command lines of ORION: what they become, and what has no counterpart there.

use super::{convert, errors};
use crate::world::listed;

/// The rates of a mix decide the share of reads, and `rwmixread` does not.
#[test]
fn rates_decide_the_share_of_reads() {
    let of = |options: &str| {
        let text =
            format!("[a]\nfilename=/dev/sdb\nruntime=60\ntime_based\nrw=randrw\nrwmixread=70\n{options}\n");
        let converted = convert("--to orion", "job.fio", &text);
        let (_, behind) = converted.text.split_once(" -write ").unwrap();
        (behind.split(' ').next().unwrap().parse::<u32>().unwrap(), listed(&converted.lost))
    };
    assert_eq!(of("bs=16k\nrate=1m,9m").0, 90);
    assert_eq!(of("bs=4k,16k\nrate=1m,1m").0, 20);
    let (writes, lost) = of("rate_iops=100,");
    assert_eq!(writes, 30);
    assert!(
        lost.contains("its rates decide the share of reads, which is not known before it runs"),
        "{lost}"
    );
    let (writes, told) = of("rate_iops=100,50");
    assert!(writes == 33 && told.contains("its rates make 66.67 % reads, rounded to 67 %"), "{told}");
}

#[test]
fn each_option_without_counterpart_is_named_with_its_place() {
    for option in [
        "iodepth_batch=4",
        "fsync=1",
        "random_distribution=zipf:1.1",
        "thinktime=10",
        "cpus_allowed=1-4",
        "rate_iops=100",
        "buffer_compress_percentage=50",
        "offset=1m",
        "ramp_time=5",
    ] {
        let text = format!(
            "[a]\nfilename=/dev/sdb\nruntime=60\ntime_based\nrw=randwrite\ndirect=1\nioengine=libaio\nsize=100%\n{option}\n"
        );
        let converted = convert("--to orion", "job.fio", &text);
        let told = listed(&converted.lost);
        let name = option.split('=').next().unwrap();
        assert!(told.contains("job.fio:9:1: warning: job a:") && told.contains(name), "{option}: {told}");
        assert!(converted.text.contains("# job a:"), "{option}: {}", converted.text);
    }
}

#[test]
fn jobs_side_by_side_stay_so() {
    let text = "[global]\nfilename=/dev/sdb\nruntime=9\ntime_based\n[a]\nrw=randread\n[b]\nrw=randwrite\n[c]\nstonewall\nrw=read\n";
    let made = convert("--to orion", "job.fio", text).text;
    let lines: Vec<&str> =
        made.lines().filter(|line| line.starts_with("orion ") || *line == "wait").collect();
    assert!(
        lines[0].ends_with(" &")
            && lines[1].ends_with(" &")
            && lines[2] == "wait"
            && !lines[3].ends_with('&'),
        "{made}"
    );
}

#[test]
fn what_has_no_workload_is_an_error() {
    for (text, word) in [
        ("[a]\nioengine=null\nsize=1m\n", "does no I/O"),
        ("[a]\nfilename=/dev/sdb\nrw=trim\n", "trims have no counterpart"),
        ("[a]\nbs=q\n", "bs"),
    ] {
        assert!(errors("--to orion", text).contains(word), "{text}");
    }
}
