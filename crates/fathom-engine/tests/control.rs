//! Order of jobs, stops, errors, logs.

use crate::support::{run, run_until};
use fathom_engine::log::LogKind;
use fathom_engine::sink::{Stop, StopReason};
use fathom_job::direction::Direction::{Read, Write};
use fathom_results::{EndedBy, Phase};
use std::sync::Arc;

/// When a job began to measure and when it ended.
fn span(heard: &crate::support::Heard, job: u32) -> (u64, u64) {
    let began = heard.phases.iter().find(|p| p.0 == job && p.1 == Phase::Measure).expect("it began").2;
    (began, heard.outcome(job).at_ns)
}

const SHORT: &str = "ioengine=null\nrw=read\nsize=1g\ntime_based\nruntime=200ms\n";

#[test]
fn a_stonewall_waits_for_everything_before_it() {
    let heard = run(&format!("[global]\n{SHORT}[a]\n[b]\n[c]\nstonewall\n"));
    assert!(span(&heard, 2).0 >= span(&heard, 0).1.max(span(&heard, 1).1));
    assert!(span(&heard, 1).0 < span(&heard, 0).1, "a and b run together");
}

#[test]
fn a_phase_is_announced_while_nothing_runs() {
    let heard = run(&format!("[global]\n{SHORT}[a]\n[b]\n[c]\nstonewall\n[d]\nwait_for=c\n"));
    assert_eq!(heard.starts, [(vec![0, 1], 0, 0), (vec![2], 2, 2), (vec![3], 3, 3)]);
}

/// A job that starts while another job is measured is not announced.
#[test]
fn a_start_beside_a_running_job_is_no_phase() {
    let sections = "[a]\nruntime=50ms\n[b]\nruntime=60s\n[c]\nwait_for=a\nexitall\n";
    let heard = run(&format!("[global]\n{SHORT}{sections}"));
    assert_eq!(heard.starts, [(vec![0, 1], 0, 0)]);
}

#[test]
fn wait_for_waits_for_all_clones_of_one_job() {
    let heard = run(&format!("[global]\n{SHORT}[a]\nnumjobs=2\n[b]\n[c]\nwait_for=a\n"));
    assert!(span(&heard, 3).0 >= span(&heard, 0).1.max(span(&heard, 1).1));
}

#[test]
fn exitall_ends_the_group() {
    let heard = run(
        "[global]\nioengine=null\nrw=read\nsize=1g\ntime_based\n[a]\nruntime=200ms\nexitall\n[b]\nruntime=60s\n",
    );
    assert_eq!(heard.outcome(1).ended_by, EndedBy::Exitall);
    assert!(heard.moved(1, Read).0 > 0);
}

/// fio 3.33 ends the same jobs, and with `all` it does not begin `d`.
#[test]
fn exitall_ends_the_group_the_stage_or_all_jobs() {
    use EndedBy::{Exitall, Time};
    for (option, ended_by, seconds) in [
        ("", [Time, Exitall, Time, Time], [1, 1, 3, 2]),
        ("exit_what=group", [Time, Exitall, Time, Time], [1, 1, 3, 2]),
        ("exit_what=stonewall", [Time, Exitall, Exitall, Time], [1, 1, 1, 2]),
        ("exit_what=all", [Time, Exitall, Exitall, Exitall], [1, 1, 1, 0]),
    ] {
        let heard = run(&format!(
            "[global]\nioengine=oracle\noracle_clock=virtual\nrw=randread\nbs=4k\nsize=1g\nrate_iops=1000\ntime_based\n\
             [a]\nruntime=1s\nexitall\n{option}\n[b]\nruntime=3s\n[c]\nnew_group\nruntime=3s\n[d]\nstonewall\n\
             runtime=2s\n"
        ));
        let ended = [0, 1, 2, 3].map(|job| heard.outcome(job).ended_by);
        assert_eq!(ended, ended_by, "{option}");
        // A job ends at its next I/O, within a millisecond.
        for (job, seconds) in seconds.into_iter().enumerate() {
            let ios = heard.moved(job as u32, Read).0;
            assert!(ios.abs_diff(seconds * 1000) <= 2, "{option}: job {job}: {ios}");
        }
    }
}

#[test]
fn an_interrupt_ends_all_and_keeps_what_was_measured() {
    let stop = Arc::new(Stop::default());
    let heard = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(400));
            stop.request(StopReason::Interrupt);
        });
        run_until(
            "[global]\nioengine=null\nrw=read\nsize=1g\ntime_based\nruntime=60s\n[a]\n[b]\nstonewall\n",
            &stop,
        )
    });
    assert_eq!(heard.outcome(0).ended_by, EndedBy::Interrupt);
    assert_eq!(heard.outcome(1).ended_by, EndedBy::Interrupt, "never started, and said so");
    assert!(heard.moved(0, Read).0 > 0);
    assert_eq!(heard.outcome(1).measured_ns, None);
}

#[test]
fn a_full_device_ends_the_job_with_file_offset_and_cause() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("on-full-disk");
    std::fs::write(&path, vec![0; 1 << 20]).unwrap();
    for engine in ["psync", "io_uring"] {
        let heard = run(&format!("[j]\nioengine={engine}\nfilename={}\nrw=write\nbs=4k\n", path.display()));
        let failure = heard.outcome(0).failure.clone().unwrap_or_else(|| panic!("{engine} fails"));
        assert_eq!(failure.errno, libc::ENOSPC, "{engine}: {failure:?}");
        assert!(
            failure.message.contains("on-full-disk: write of 4096 bytes at offset "),
            "{}",
            failure.message
        );
        assert_eq!(heard.outcome(0).ended_by, EndedBy::Error);
    }
}

#[test]
fn a_full_device_is_the_end_of_a_job_that_fills() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("on-full-disk");
    std::fs::write(&path, vec![0; 1 << 20]).unwrap();
    for options in
        ["ioengine=psync", "ioengine=io_uring\niodepth=8", "ioengine=io_uring\niodepth=8\ncompat=fio"]
    {
        let more = "rw=write\nbs=4k\nfill_device=1\ncontinue_on_error=all\nignore_error=,ENOSPC";
        let heard = run(&format!("[j]\n{options}\nfilename={}\n{more}\n", path.display()));
        let outcome = heard.outcome(0);
        assert_eq!((outcome.ended_by, &outcome.failure), (EndedBy::Full, &None), "{options}");
        assert_eq!(heard.moved(0, Write), (0, 0), "{options}: what failed is not counted");
    }
}

#[test]
fn logs_have_one_line_a_window_and_agree_with_the_totals() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t");
    let heard = run(&format!(
        "[j]\nioengine=psync\nfilename={}\nrw=randwrite\nbs=4k\nsize=16m\ntime_based\nruntime=1s\nwrite_iops_log=x\nlog_avg_msec=100\n",
        path.display()
    ));
    let iops: Vec<u64> = heard.samples.iter().filter(|s| s.kind == LogKind::Iops).map(|s| s.value).collect();
    assert!((9..=11).contains(&iops.len()), "{iops:?}");
    let logged: u64 = iops.iter().sum::<u64>() / 10;
    let counted = heard.moved(0, Write).0;
    assert!(logged <= counted && logged * 100 >= counted * 80, "{logged} logged, {counted} counted");
}

#[test]
fn without_averaging_every_io_is_logged() {
    let heard = run("[j]\nioengine=null\nrw=read\nsize=4m\nwrite_lat_log=x\niodepth=4\n");
    for kind in [LogKind::Submission, LogKind::Completion, LogKind::Total] {
        assert_eq!(heard.samples.iter().filter(|s| s.kind == kind).count(), 1024, "{kind:?}");
    }
}

#[test]
fn a_file_cut_under_a_mapping_is_an_io_error_and_no_crash() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("cut");
    std::fs::write(&path, vec![1u8; 16 << 20]).unwrap();
    let heard = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(300));
            std::fs::File::options().write(true).open(&path).unwrap().set_len(4096).unwrap();
        });
        run(&format!(
            "[j]\nioengine=mmap\nfilename={}\nrw=randread\nbs=4k\nnorandommap\ntime_based\nruntime=30s\n",
            path.display()
        ))
    });
    let failure = heard.outcome(0).failure.clone().expect("it fails");
    assert_eq!(failure.errno, libc::EIO, "{failure:?}");
}
