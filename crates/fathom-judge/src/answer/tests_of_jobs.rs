//! What the answer says of several jobs: their order and lengths, their files, their clones and the limit of each.

use super::tests::{FLOW, RUN, judged, on_disk};
use crate::fixture::{DirectionLoad, RunBuilder};
use fathom_results::{EndedBy, JobFailure, Phase};

#[test]
fn jobs_are_told_with_their_length_and_order() {
    let jobs = |text: &str, seconds: &[usize]| {
        let options = "[global]\nbs=4k\nrw=randread\nioengine=psync\ndirect=1\nfilename=/data/f\n";
        let scene = RunBuilder::text(&format!("{options}{text}"));
        let scene = seconds.iter().enumerate().fold(scene, |scene, (job, n)| scene.seconds(job, *n, &[FLOW]));
        judged(scene.run(), &RUN).jobs
    };
    for (text, seconds, told) in [
        ("[a]\n", &[2][..], "1 job of 2 s"),
        ("[a]\n[b]\n", &[2, 2], "2 jobs of 2 s, at the same time"),
        ("[a]\n[b]\nstonewall\n", &[2, 12], "2 jobs of 2 s to 12 s, one after the other"),
        ("[a]\n[b]\n[c]\nstonewall\n", &[3, 3, 3], "3 jobs of 3 s: a and b together, then c"),
        // The others were not reached.
        ("[a]\n[b]\nstonewall\n[c]\nstonewall\n", &[2], "1 of 3 jobs is complete, of 2 s"),
        ("[a]\n[b]\nstonewall\n[c]\nstonewall\n", &[3, 2], "2 of 3 jobs are complete, of 2 s to 3 s"),
    ] {
        assert_eq!(jobs(text, seconds).as_deref(), Some(told));
    }
    assert_eq!(jobs("[a]\n", &[]), None);
}

#[test]
fn jobs_of_one_stage_are_told_by_the_times_in_which_they_measured() {
    const SECOND: u64 = 1_000_000_000;
    // Start and length of each job, s; none of them waits for another stage.
    let jobs = |times: &[(u64, usize)]| {
        let names = ["a", "b", "c", "d"].into_iter().take(times.len()).map(|name| format!("[{name}]\n"));
        let options = "[global]\nbs=4k\nrw=randread\nioengine=psync\ndirect=1\nfilename=/data/f\n";
        let scene = RunBuilder::text(&(options.to_owned() + &names.collect::<String>()));
        let scene = times.iter().enumerate().fold(scene, |scene, (job, (from, length))| {
            scene.after(job, from * SECOND).seconds(job, *length, &[FLOW])
        });
        judged(scene.run(), &RUN).jobs.unwrap()
    };
    for (times, told) in [
        (&[(0, 10), (10, 10)][..], "2 jobs of 10 s, one after the other"),
        (&[(20, 10), (0, 10)], "2 jobs of 10 s, one after the other"),
        (&[(0, 10), (5, 10)], "2 jobs of 10 s, partly at the same time"),
        (&[(0, 60), (30, 10)], "2 jobs of 10 s to 60 s, at the same time"),
        // The short ones run one after the other beside the long one.
        (&[(0, 60), (0, 10), (20, 10)], "3 jobs of 10 s to 60 s, partly at the same time"),
        (&[(0, 10), (0, 10), (0, 10), (10, 10)], "4 jobs of 10 s: a and b and c together, then d"),
        (&[(0, 10), (10, 10), (15, 10)], "3 jobs of 10 s: a, then b and c partly together"),
    ] {
        assert_eq!(jobs(times), told);
    }
}

/// A job loads the target in its ramp too.
#[test]
fn a_job_that_measured_beside_the_ramp_of_another_ran_at_the_same_time() {
    let options = "[global]\nbs=4k\nrw=randread\nioengine=psync\ndirect=1\nfilename=/data/f\n";
    for (ramp, told) in [
        (10, "2 jobs of 10 s after ramps of up to 10 s, partly at the same time"),
        (12, "2 jobs of 10 s after ramps of up to 12 s, partly at the same time"),
    ] {
        let text = format!("{options}[a]\nramp_time={ramp}s\n[b]\n");
        let scene = RunBuilder::text(&text).ramp(0, ramp, FLOW).seconds(0, 10, &[FLOW]);
        assert_eq!(judged(scene.seconds(1, 10, &[FLOW]).run(), &RUN).jobs.as_deref(), Some(told));
    }
    // The ramp of the second job begins when the first one has ended.
    let text = format!("{options}[a]\n[b]\nramp_time=5s\n");
    let scene = RunBuilder::text(&text).seconds(0, 10, &[FLOW]).after(1, 10_000_000_000);
    let run = scene.ramp(1, 5, FLOW).seconds(1, 10, &[FLOW]).run();
    let told = judged(run, &RUN).jobs;
    assert_eq!(told.as_deref(), Some("2 jobs of 10 s after ramps of up to 5 s, one after the other"));
}

#[test]
fn each_limit_is_told_with_the_jobs_that_it_held() {
    let text = "[global]\nbs=4k\nrw=randread\nsize=1g\n[device]\nioengine=io_uring\ndirect=1\niodepth=8\nfilename=/data/f\n\
                [nothing]\nstonewall\nioengine=null\n";
    let scene = RunBuilder::text(text).seconds(0, 40, &[FLOW]).seconds(
        1,
        40,
        &[DirectionLoad::reads(900_000, 4096, 60)],
    );
    let limit = judged(scene.run(), &RUN).limit.unwrap();
    assert_eq!(limit, "device: the device; nothing: the CPU: no device is behind this engine");
}

#[test]
fn each_job_of_most_jobs_is_counted() {
    let jobs: String = (0..6).map(|at| format!("[j{at}]\nstonewall\n")).collect();
    let text = format!(
        "[global]\nbs=4k\nrw=randread\nioengine=io_uring\ndirect=1\niodepth=8\nfilename=/data/f\n{jobs}"
    );
    let scene = (0..6).fold(RunBuilder::text(&text), |scene, job| scene.seconds(job, 40, &[FLOW]));
    let limit = judged(scene.cpu(5, 0.2, 0.79).run(), &RUN).limit.unwrap();
    assert_eq!(limit, "5 of 6 jobs: the device; j5: this machine's CPU, not the device");
}

#[test]
fn the_jobs_line_says_the_ramp() {
    for (ramps, said) in [
        (["", ""], "2 jobs of 4 s, one after the other"),
        (["ramp_time=1s\n"; 2], "2 jobs of 4 s after a ramp of 1 s, one after the other"),
        (["", "ramp_time=1s\n"], "2 jobs of 4 s after ramps of up to 1 s, one after the other"),
    ] {
        let [a, b] = ramps;
        let text = format!(
            "[global]\nbs=4k\nrw=randread\nioengine=io_uring\ndirect=1\nfilename=/data/f\n[a]\n{a}[b]\nstonewall\n{b}"
        );
        let answer = judged(on_disk(RunBuilder::text(&text).all(4, FLOW)).run(), &RUN);
        assert_eq!(answer.jobs.as_deref(), Some(said));
    }
}

#[test]
fn clones_that_fail_are_one_job_that_failed() {
    let failure = JobFailure { errno: 28, message: "no room".to_owned(), direction: None, offset: None };
    let told = |jobs: &str| {
        let text =
            format!("[global]\nbs=4k\nrw=randread\nioengine=psync\ndirect=1\nfilename=/data/f\n{jobs}");
        let mut run = on_disk(RunBuilder::text(&text).all(10, FLOW)).run();
        run.jobs[..2]
            .iter_mut()
            .for_each(|job| job.outcome.as_mut().unwrap().failure = Some(failure.clone()));
        let answer = judged(run, &RUN);
        (answer.jobs.unwrap(), answer.instead.unwrap())
    };
    let (jobs, instead) = told("[a]\nnumjobs=3\n[b]\n");
    assert!(jobs.starts_with("1 of 2 jobs is complete"), "{jobs}");
    assert_eq!(instead, "1 of 2 jobs failed: no room");
    assert_eq!(told("[a]\nnumjobs=3\n").1, "2 of 3 workers failed, the first: no room");
}

#[test]
fn each_file_of_a_job_is_told() {
    let told = |jobs: &str| {
        let text =
            format!("[global]\nbs=4k\nrw=randread\nioengine=psync\nsize=8m\nfilename=/data/f1\n{jobs}");
        judged(RunBuilder::text(&text).all(3, FLOW).run(), &RUN).measured
    };
    // A name in [global] and one in a section are two files of the job; their numbers follow each other.
    assert_eq!(told("[a]\nfilename=/data/f2\n"), "4 MiB of /data/f1 · 4 MiB of /data/f2");
    let second = "[b]\n[a]\nfilename=/data/f2\n";
    assert_eq!(told(second), "8 MiB of /data/f1 · 4 MiB of /data/f2 for a");
    assert_eq!(told("[a]\nfilename=/x\n"), "4 MiB of /data/f1 · 4 MiB of /x");
    let many = told("[a]\nfilename=/data/f2:/data/f3:/data/f4\n");
    assert_eq!(many, "2 MiB of each of 4 files from /data/f1");
}

#[test]
fn files_of_clones_belong_to_their_job() {
    let text = "[a]\nrw=read\nbs=4k\nioengine=psync\ndirectory=/data\nsize=1m\nnumjobs=2\n";
    let answer = judged(RunBuilder::text(text).all(5, DirectionLoad::reads(1_000, 4096, 2_000)).run(), &RUN);
    assert_eq!(answer.measured, "1 MiB of /data/a.0.0 · 1 MiB of /data/a.1.0");
}

/// Each name can be made once, so more names make such a job longer, and more time does not.
#[test]
fn operations_on_names_have_no_bandwidth_and_need_more_names() {
    let of = |engine: &str| {
        let job = format!("ioengine={engine} rw=read nrfiles=20 filesize=4k directory=/data");
        let ops = [DirectionLoad::reads(2_000, 4096, 49_000)];
        let run = RunBuilder::of(&job).window(0, Phase::Measure, 100_000_000, &ops);
        judged(run.ended_by(EndedBy::Size).run(), &RUN)
    };
    let made = of("filedelete");
    assert_eq!(made.result, "20.0k operations/s, mean 49.0 µs, p99 49.0 µs");
    assert_eq!(made.next.command, "fathom run --set nrfiles=40000 job.fio");
    let asked = of("filestat");
    assert_eq!(asked.next.command, "fathom run --set time_based=1 --set runtime=30s job.fio");
}
