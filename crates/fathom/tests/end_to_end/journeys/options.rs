//! No option is ignored without a message: the binary is tested with the whole table.

use crate::support::{fathom, text};
use fathom_job::option::OptionStatus;
use fathom_job::options;

#[test]
fn every_option_is_accepted_or_refused_with_its_reason_by_plan() {
    let dir = tempfile::tempdir().unwrap();
    let mut refused = 0;
    let mut walked = 0;
    for def in options::all() {
        walked += 1;
        let OptionStatus::Refused(reason) = def.status else { continue };
        let engine = def
            .engines
            .first()
            .filter(|e| ["io_uring", "libaio", "pvsync2", "mmap"].contains(e))
            .unwrap_or(&"null");
        if !def.engines.is_empty() && *engine == "null" {
            // Private to an engine that is itself refused.
            continue;
        }
        // A value that asks for an effect: the default would change nothing.
        let value = if def.default == "1" { "0" } else { "1" };
        let job = format!("[j]\nioengine={engine}\nfilename=x\nrw=read\nsize=1m\n{}={value}\n", def.name);
        std::fs::write(dir.path().join("j.fio"), job).unwrap();
        let output = fathom(dir.path()).args(["run", "--plan", "j.fio"]).output().unwrap();
        let said = text(&output);
        assert_eq!(output.status.code(), Some(2), "{}: {said}", def.name);
        assert!(said.contains(reason), "{}: {reason:?} is missing in {said}", def.name);
        refused += 1;
    }
    assert!(walked >= 251, "{walked} options");
    assert!(refused >= 20, "{refused} refused");
}

#[test]
fn every_option_has_its_page() {
    let dir = tempfile::tempdir().unwrap();
    let output = fathom(dir.path()).args(["options"]).output().unwrap();
    let said = text(&output);
    for def in options::all() {
        assert!(said.contains(def.name), "{} is missing", def.name);
    }
}

#[test]
fn accepted_options_plan() {
    let dir = tempfile::tempdir().unwrap();
    // One value for each honoured option of §2.1 of the fio inventory.
    let lines = [
        "description=x",
        "rwmixread=70",
        "bs=8k",
        "bs=4k,8k,16k",
        "bsrange=4k-16k",
        "bssplit=4k/50:8k/50",
        "ba=4k",
        "direct=0",
        "buffered=1",
        "iodepth=4",
        "iodepth_batch=2",
        "iodepth_batch_complete_min=1",
        "iodepth_batch_complete_max=4",
        "iodepth_low=2",
        "numjobs=2",
        "thread=1",
        "group_reporting=1",
        "runtime=1s",
        "ramp_time=1s",
        "io_size=2m",
        "offset=4k",
        "offset_increment=1m",
        "loops=2",
        "norandommap=1",
        "randrepeat=0",
        "random_generator=lfsr",
        "percentage_random=50",
        "percentage_random=50,100",
        "random_distribution=zipf:1.1",
        "random_distribution=pareto:0.2:0.5",
        "random_distribution=normal:10",
        "random_distribution=zoned:60/10:30/20:10/70",
        "random_distribution=zoned_abs:90/2m:10/14m,50/8m:50/8m",
        "refill_buffers=1",
        "stonewall",
        "cpus_allowed=0",
        "cpus_allowed_policy=split",
        "numa_cpu_nodes=0",
        "numa_mem_policy=local",
        "invalidate=0",
        "disable_lat=1",
        "disable_clat=1",
        "disable_slat=1",
        "disable_bw_measurement=1",
        "gtod_reduce=1",
        "clat_percentiles=0",
        "lat_percentiles=1",
        "slat_percentiles=1",
        "percentile_list=50:99",
        "unified_rw_reporting=both",
        "write_bw_log=x",
        "write_iops_log=x",
        "write_lat_log=x",
        "log_avg_msec=500",
        "per_job_logs=0",
        "do_verify=0",
    ];
    for line in lines {
        let job = format!("[j]\nioengine=null\nrw=randrw\nsize=16m\n{line}\n");
        std::fs::write(dir.path().join("j.fio"), &job).unwrap();
        let output = fathom(dir.path()).args(["run", "--plan", "j.fio"]).output().unwrap();
        assert!(output.status.success(), "{line}: {}", text(&output));
    }
}

#[test]
fn the_globals_of_the_vroc_guide_are_accepted() {
    let dir = tempfile::tempdir().unwrap();
    let job = "[global]\ntime_based\nioengine=libaio\ndirect=1\nbuffered=0\nnorandommap\nrefill_buffers\n\
               disable_slat=1\ndisable_lat=1\ndisable_bw=1\nrandrepeat=0\nthread\nunified_rw_reporting=0\n\
               group_reporting\ndo_verify=0\npercentage_random=100\nrandom_generator=tausworthe64\nruntime=1s\n\
               iodepth=4\nbs=4k\nsize=1m\nfilename=f\n[w]\nrw=randwrite\nstonewall\n[r]\nrw=randread\nstonewall\n";
    std::fs::write(dir.path().join("j.fio"), job).unwrap();
    let output = fathom(dir.path()).args(["run", "--plan", "j.fio"]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
}
