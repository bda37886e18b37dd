//! Job files in the form of the vendors' guides read as their authors meant:
//! the flash guides' latency, IOPS, bandwidth and precondition jobs (contract
//! V-34 to V-42, H-24 to H-30), and the RAID guide's generated file (I).

use crate::world::{job, load};
use fathom_job::job::Job;
use fathom_job::options::*;
use fathom_job::units::{Bytes, Nanos};
use fathom_job::value::{Mix, Rw, Size};

/// The shape that all the measuring jobs of the flash guides share.
fn measuring(rw: &str, write: bool, bs: &str, engine: &str, numjobs: u32, depth: u32, batch: u32) -> String {
    let reads = if write { 0 } else { 100 };
    format!(
        "[global]\nreadwrite={rw}\nrwmixread={reads}\nblocksize={bs}\nioengine={engine}\nnumjobs={numjobs}\nthread=0\n\
         direct=1\niodepth={depth}\niodepth_batch={batch}\niodepth_batch_complete={batch}\ngroup_reporting=1\n\
         ramp_time=5\nnorandommap=1\ndescription=fio {rw} {bs}\ntime_based=1\nruntime=30\nrandrepeat=0\n\n\
         [/dev/fioa]\nfilename=/dev/fioa\ncpus_allowed=1-4\n"
    )
}

fn check_shared(job: &Job) {
    assert_eq!(job.name, "/dev/fioa");
    assert_eq!(job.get(&FILENAME), Some(vec!["/dev/fioa".to_owned()]));
    assert_eq!(job.get(&CPUS_ALLOWED), Some(vec![1, 2, 3, 4]));
    assert_eq!((job.get(&RAMP_TIME), job.get(&RUNTIME)), (Nanos::secs(5), Nanos::secs(30)));
    assert!(job.get(&TIME_BASED) && job.get(&DIRECT) && job.get(&NORANDOMMAP) && job.get(&GROUP_REPORTING));
    assert!(!job.get(&RANDREPEAT) && !job.get(&THREAD));
}

#[test]
fn measuring_jobs() {
    let table = [
        ("randrw", true, "512", "sync", 1, 1, 1),
        ("randrw", true, "512", "libaio", 4, 32, 16),
        ("rw", true, "512", "libaio", 4, 32, 16),
        ("randrw", true, "1M", "libaio", 4, 32, 16),
        ("randrw", false, "512", "sync", 1, 1, 1),
        ("rw", false, "512", "libaio", 4, 32, 16),
        ("randrw", true, "4k", "libaio", 4, 128, 4),
        ("randrw", false, "1M", "libaio", 4, 128, 4),
    ];
    for (rw, write, bs, engine, numjobs, depth, batch) in table {
        let job = job(&measuring(rw, write, bs, engine, numjobs, depth, batch));
        check_shared(&job);
        let bytes = match bs {
            "512" => Bytes(512),
            "4k" => Bytes::kib(4),
            _ => Bytes::mib(1),
        };
        assert_eq!(job.get(&BS).write, bytes);
        assert_eq!(job.get(&RW), Rw { mix: Mix::ReadWrite, random: rw == "randrw", postfix: None });
        assert_eq!(job.get(&RWMIXREAD), Some(if write { 0 } else { 100 }));
        assert_eq!(
            (job.get(&IOENGINE).as_str(), job.get(&NUMJOBS), job.get(&IODEPTH)),
            (engine, numjobs, depth)
        );
        assert_eq!(
            (job.get(&IODEPTH_BATCH), job.get(&IODEPTH_BATCH_COMPLETE_MIN)),
            (Some(batch), Some(batch))
        );
    }
}

#[test]
fn precondition_job() {
    let job = job(
        "[global]\nreadwrite=write\nrwmixread=0\nblocksize=1M\nioengine=libaio\nthread=0\nsize=100%\niodepth=16\n\
                   group_reporting=1\ndescription=fio PRECONDITION\n\n[/dev/fioa]\nfilename=/dev/fioa\ncpus_allowed=1-4\n",
    );
    assert_eq!(job.get(&SIZE), Some(Size::Percent(100)));
    assert_eq!(job.get(&RW).mix, Mix::Write);
}

#[test]
fn generated_raid_job() {
    let text = "[global]\ntime_based\nioengine=libaio\ndirect=1\nbuffered=0\nnorandommap\nrefill_buffers\nstonewall\n\
                disable_slat=1\ndisable_lat=1\ndisable_bw=1\nrandrepeat=0\nthread\nunified_rw_reporting=0\ngroup_reporting\n\
                do_verify=0\ncpus_allowed_policy=split\ncpus_allowed=0-7\npercentage_random=100\n\
                random_generator=tausworthe64\nruntime=300\nramp_time=30\n\n\
                [RAID_4K_Random]\nsize=100%\nfilename=/dev/md126\nrw=randrw\nrwmixwrite=30\nbs=4k\noffset=0\niodepth=32\nnumjobs=8\n";
    let set = load(text).expect("right");
    let job = &set.jobs[0];
    assert!(job.get(&DIRECT), "direct=1 and buffered=0 say the same");
    assert!(job.get(&STONEWALL) && job.get(&DISABLE_BW_MEASUREMENT) && job.get(&REFILL_BUFFERS));
    assert_eq!((job.get(&RWMIXREAD), job.get(&RWMIXWRITE)), (Some(70), Some(30)));
    assert_eq!(job.get(&CPUS_ALLOWED_POLICY), "split");
    assert!(set.warnings.is_empty(), "do_verify=0 asks for nothing: {:?}", set.warnings);
}
