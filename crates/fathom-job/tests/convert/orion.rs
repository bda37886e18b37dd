//! Command lines, scripts and device lists of ORION (contract M-23 to M-28), and jobs as its command lines.

use super::{convert, convert_in, examples};
use crate::world::{World, listed, load};
use fathom_job::job::Job;
use fathom_job::options::*;
use fathom_job::units::{Bytes, Nanos};
use fathom_job::value::{FileOrder, FileService, Mix, Rw};

/// The bandwidth script as the slides have it: four equal command lines in the background, each broken
/// over two lines.
fn script(small: u32, large: u32, size: &str) -> String {
    let line = format!(
        "./orion_linux_x86-64 -testname fio -run advanced -matrix point -num_large {large}\n    \
         -num_small {small} {size} -type rand -duration 60 -simulate raid0 &\n"
    );
    line.repeat(4)
}

const LIST: &str = "/dev/fioa\n/dev/fiob\n/dev/fioc\n/dev/fiod\n";

fn jobs(text: &str) -> Vec<Job> {
    load(text).unwrap_or_else(|found| panic!("{text}\n{}", listed(&found))).jobs
}

/// Section name, block, pattern, depth, clones of each job.
fn shapes(text: &str) -> Vec<(String, u64, String, u32, u32)> {
    let shape = |job: &Job| {
        let rw = job.settings().find(|(name, _)| *name == "rw").map(|(_, setting)| setting.text.clone());
        (job.name.clone(), job.get(&BS).read.0, rw.unwrap(), job.get(&IODEPTH), job.get(&NUMJOBS))
    };
    jobs(text).iter().map(shape).collect()
}

#[test]
fn the_bandwidth_script_is_one_job_of_four_workers() {
    let text = script(0, 2048, "-size_large 1024");
    let converted =
        convert_in(&World::default(), "--from orion", &[("mbps.sh", &text), ("fio.lun", LIST)], None)
            .unwrap();
    let [job] = jobs(&converted.text).try_into().expect("one job");
    // Contract M-26: 4 workers with 2,048 in flight each, so 8,192 together; 1 MiB; at random; 60 s.
    assert_eq!((job.get(&NUMJOBS), job.get(&IODEPTH)), (4, 2048));
    assert_eq!(job.get(&NUMJOBS) * job.get(&IODEPTH), 8192);
    assert_eq!(job.get(&BS).read, Bytes::mib(1));
    assert_eq!(job.get(&RW), Rw { mix: Mix::Read, random: true, postfix: None });
    assert_eq!((job.get(&RUNTIME), job.get(&TIME_BASED)), (Nanos::secs(60), true));
    assert!(job.get(&DIRECT) && job.get(&IOENGINE) == "libaio");
    // Contract M-28: the list of the same name is the list of targets.
    assert_eq!(job.get(&FILENAME).unwrap(), ["/dev/fioa", "/dev/fiob", "/dev/fioc", "/dev/fiod"]);
    assert_eq!(job.get(&FILE_SERVICE_TYPE), FileService { order: FileOrder::Random, every: 1 });
    insta::assert_snapshot!("mbps_sh", converted.text);
    assert!(converted.lost.is_empty(), "{}", listed(&converted.lost));
}

#[test]
fn the_iops_script_is_one_job_of_four_workers() {
    let text = script(2048, 0, "-size_small 8");
    let converted =
        convert_in(&World::default(), "--from orion", &[("iops.sh", &text), ("fio.lun", LIST)], None)
            .unwrap();
    let [job] = jobs(&converted.text).try_into().expect("one job");
    assert_eq!((job.get(&NUMJOBS), job.get(&IODEPTH), job.get(&BS).read), (4, 2048, Bytes::kib(8)));
    insta::assert_snapshot!("iops_sh", converted.text);
}

/// A page that was copied whole: a prompt, a listing of the script, and the list of devices behind it.
#[test]
fn a_page_of_slides_with_prompts_is_understood() {
    let page = format!(
        "# ORION (cont'd)\n\n- Scripts to run IO rate\n\n```\n# cat iops.sh\n{}\n# cat fio.lun\n{LIST}[...]\n```\n",
        script(2048, 0, "-size_small 8")
    );
    let converted = convert("--from orion", "slides.txt", &page);
    let [job] = jobs(&converted.text).try_into().expect("one job");
    assert_eq!((job.get(&NUMJOBS), job.get(&FILENAME).unwrap().len()), (4, 4));
    let told = listed(&converted.lost);
    assert!(told.contains("slides.txt:3:1: note: this line and 1 other are neither"), "{told}");
}

/// With a backslash before each underscore, as a text made of a page has it (contract M-23, M-24).
#[test]
fn oltp_and_dss_are_a_cell_for_each_load() {
    let line = "  - # ./orion\\_linux\\_x86-64 -testname fio -run oltp -duration 10 -simulate raid0\n";
    let oltp =
        convert_in(&World::default(), "--from orion", &[("page", line), ("fio.lun", LIST)], None).unwrap();
    let cells = jobs(&oltp.text);
    assert_eq!(cells.len(), 20);
    for (at, job) in cells.iter().enumerate() {
        // Four devices, so four more in flight with each load.
        assert_eq!((job.get(&IODEPTH) as usize, job.get(&BS).read), ((at + 1) * 4, Bytes::kib(8)));
        assert_eq!(
            (job.get(&RUNTIME), job.get(&RW).random, job.get(&RW).mix),
            (Nanos::secs(10), true, Mix::Read)
        );
        assert_eq!(job.get(&STONEWALL), at > 0, "each cell by itself");
    }
    let dss = convert(
        "--from orion",
        "page",
        &line.replace("oltp", "dss").replace("-simulate", "-num_disks 2 -simulate"),
    );
    let cells = jobs(&dss.text);
    assert_eq!(cells.len(), 60);
    assert!(cells.iter().enumerate().all(|(at, job)| job.get(&IODEPTH) as usize == (at + 1) * 2));
    assert!(cells.iter().all(|job| job.get(&BS).read == Bytes::mib(1) && job.get(&RW).random));
}

/// Command line, and how many jobs of small and of large I/Os it makes, for two disks.
#[test]
fn every_matrix_has_its_data_points() {
    let table = [
        ("-run simple", 10, 4),
        // 11 × 5 points without the empty one; a mixed point is two jobs.
        ("-run normal", 50, 44),
        ("-run advanced", 10, 4),
        ("-run advanced -matrix detailed", 50, 44),
        ("-run advanced -matrix point -num_small 3 -num_large 2", 1, 1),
        ("-run advanced -matrix point -num_small 3 -num_large 0", 1, 0),
        ("-run advanced -matrix col -num_small 7", 5, 4),
        ("-run advanced -matrix col -num_small 0", 0, 4),
        ("-run advanced -matrix row -num_large 3", 10, 11),
        ("-run advanced -matrix max -num_small 2 -num_large 1", 4, 3),
    ];
    for (options, smalls, larges) in table {
        let text = format!("orion {options} -testname t -num_disks 2\n");
        let converted =
            convert_in(&World::default(), "--from orion", &[("t.sh", &text)], Some("/dev/sdb")).unwrap();
        let shapes = shapes(&converted.text);
        let of = |kib: u64| shapes.iter().filter(|(_, block, ..)| *block == kib << 10).count();
        assert_eq!((of(8), of(1024)), (smalls, larges), "{options}\n{}", converted.text);
    }
}

#[test]
fn a_mixed_point_runs_both_workloads_side_by_side() {
    let text = "orion -run advanced -matrix point -num_small 5 -num_large 2 -size_small 4 -size_large 512 -write 30 -testname t\n\
                orion -run advanced -matrix point -num_small 9 -num_large 0 -testname t -write 100\n";
    let converted =
        convert_in(&World::default(), "--from orion", &[("t.sh", text)], Some("/dev/sdb")).unwrap();
    let set = jobs(&converted.text);
    let walls: Vec<bool> = set.iter().map(|job| job.get(&STONEWALL)).collect();
    assert_eq!(walls, [false, false, true]);
    assert_eq!(set[0].get(&RWMIXWRITE), Some(30));
    assert_eq!((set[0].get(&BS).read, set[1].get(&BS).read), (Bytes::kib(4), Bytes::kib(512)));
    assert_eq!((set[2].get(&RW).mix, set[2].get(&IODEPTH)), (Mix::Write, 9));
}

#[test]
fn streams_are_clones_that_begin_at_equal_distances() {
    let text = "orion -run advanced -matrix point -num_small 0 -num_large 4 -type seq -num_streamIO 8 -simulate raid0 -stripe 2048 -testname fio\n";
    let converted =
        convert_in(&World::default(), "--from orion", &[("t.sh", text), ("fio.lun", LIST)], None).unwrap();
    let [job] = jobs(&converted.text).try_into().expect("one job");
    assert_eq!((job.get(&NUMJOBS), job.get(&IODEPTH), job.get(&RW).random), (4, 8, false));
    // A stripe of 2 MiB is two I/Os of 1 MiB on each device in turn.
    assert_eq!(job.get(&FILE_SERVICE_TYPE), FileService { order: FileOrder::RoundRobin, every: 2 });
    assert!(converted.text.contains("offset_increment=25%"), "{}", converted.text);
    let concat = convert_in(
        &World::default(),
        "--from orion",
        &[("t.sh", &text.replace("raid0", "concat")), ("fio.lun", LIST)],
        None,
    )
    .unwrap();
    let [job] = jobs(&concat.text).try_into().expect("one job");
    assert_eq!(job.get(&FILE_SERVICE_TYPE).order, FileOrder::Sequential);
    assert!(
        listed(&concat.lost).contains("concat gives larger devices more I/Os"),
        "{}",
        listed(&concat.lost)
    );
}

#[test]
fn a_list_of_devices_alone_is_a_job_that_names_them() {
    let converted = convert("--from orion", "fio.lun", LIST);
    let [job] = jobs(&converted.text).try_into().expect("one job");
    assert_eq!((job.name.as_str(), job.get(&FILENAME).unwrap().len()), ("fio", 4));
}

#[test]
fn the_list_beside_the_script_is_read() {
    let world = World::default().file("scripts/fio.lun", LIST);
    let text = script(2048, 0, "-size_small 8");
    let converted = convert_in(&world, "--from orion", &[("scripts/iops.sh", &text)], None).unwrap();
    assert_eq!(jobs(&converted.text)[0].get(&FILENAME).unwrap().len(), 4);
    let without = convert("--from orion", "iops.sh", &text);
    let told = listed(&without.lost);
    assert!(told.contains("fio.lun, which is not beside iops.sh: /dev/DEVICE takes their place"), "{told}");
    assert_eq!(told.matches("takes their place").count(), 1, "{told}");
}

/// Command line, and what is wrong with it.
#[test]
fn what_orion_would_not_accept_is_an_error_with_its_place() {
    let table = [
        ("orion -testname t", "ORION needs -run"),
        ("orion -run fast", "-run fast: give simple, normal, advanced, oltp, dss"),
        ("orion -run simple -num_smal 3", "did you mean -num_small?"),
        ("orion -run simple -duration x", "-duration x: give a whole number"),
        ("orion -run simple -write 101", "0 to 100"),
        ("orion -run simple -size_small", "-size_small needs a value"),
        ("orion -run advanced -matrix point -num_small 3", "-matrix point needs -num_large"),
        ("orion -run advanced -matrix point -num_small 0 -num_large 0", "there is no I/O"),
        ("orion -run advanced -matrix max -num_small 2000 -num_large 2000", "4004001 data points"),
        ("cat x", "there is no command line of ORION"),
    ];
    for (line, word) in table {
        let text = format!("#!/bin/sh\n{line}\n");
        let found = convert_in(&World::default(), "--from orion", &[("t.sh", &text)], None).unwrap_err();
        let said = listed(&found);
        assert!(said.contains(word), "{line}: {said}");
        assert!(said.contains("t.sh:2:1: error") || line == "cat x", "{line}: {said}");
    }
}

#[test]
fn what_a_job_cannot_say_is_named() {
    let text = "orion -run simple -testname t -cache_size 4096 -storax asmlib -hugenotneeded -verbose\n";
    let converted =
        convert_in(&World::default(), "--from orion", &[("t.sh", text)], Some("/dev/sdb")).unwrap();
    let told = listed(&converted.lost);
    assert!(
        told.contains("-cache_size 4096 is left out") && told.contains("-storax asmlib is left out"),
        "{told}"
    );
    assert!(converted.text.contains("# -cache_size 4096 is left out"), "{}", converted.text);
}

#[test]
fn commands_that_differ_run_side_by_side_or_are_told() {
    let both = "orion -run advanced -matrix point -num_small 4 -num_large 0 -testname a &\norion -run advanced -matrix point -num_small 0 -num_large 2 -testname a &\nwait\norion -run advanced -matrix point -num_small 1 -num_large 0 -testname a\n";
    let converted =
        convert_in(&World::default(), "--from orion", &[("t.sh", both)], Some("/dev/sdb")).unwrap();
    let walls: Vec<bool> = jobs(&converted.text).iter().map(|job| job.get(&STONEWALL)).collect();
    assert_eq!(walls, [false, false, true]);
    let sweeps = "orion -run oltp -testname a &\norion -run dss -testname a &\n";
    let converted =
        convert_in(&World::default(), "--from orion", &[("t.sh", sweeps)], Some("/dev/sdb")).unwrap();
    assert!(listed(&converted.lost).contains("run one after another"), "{}", listed(&converted.lost));
}

/// The scripts of the slides, as jobs and as command lines again, are the same jobs.
#[test]
fn there_and_back_the_scripts_are_the_same() {
    for (small, large, size) in [(0, 2048, "-size_large 1024"), (2048, 0, "-size_small 8")] {
        let text = script(small, large, size);
        let once = convert_in(&World::default(), "--from orion", &[("t.sh", &text), ("fio.lun", LIST)], None)
            .unwrap();
        let there = convert("--to orion", "job.fio", &once.text);
        assert!(there.lost.is_empty(), "{}", listed(&there.lost));
        assert_eq!(there.text.matches(" &\n").count(), 4, "{}", there.text);
        let again = convert("--from orion", "t.sh", &there.text);
        assert_eq!(shapes(&again.text).len(), 1);
        let (before, after) = (jobs(&once.text), jobs(&again.text));
        for (before, after) in before.iter().zip(&after) {
            let of = |job: &Job| -> Vec<String> {
                job.settings().map(|(name, setting)| format!("{name}={}", setting.canonical())).collect()
            };
            assert_eq!(of(before), of(after));
        }
    }
}

#[test]
fn the_flash_jobs_are_command_lines_and_the_512_byte_jobs_are_named_as_left_out() {
    for (name, text) in examples("flash") {
        let converted = convert("--to orion", &name, &text);
        let is_latency = text.contains("numjobs=1");
        let commands = converted.text.lines().filter(|line| line.starts_with("orion ")).count();
        assert_eq!(
            commands,
            if is_latency || name.starts_with("04") { 1 } else { 4 },
            "{name}: {}",
            converted.text
        );
        assert!(listed(&converted.lost).contains("cpus_allowed=1-4 has no counterpart"), "{name}");
    }
    let (name, text) = examples("vsl").remove(1);
    let converted = convert("--to orion", &name, &text);
    assert!(!converted.text.contains("\norion "), "{}", converted.text);
    assert!(
        listed(&converted.lost).contains("is left out: ORION does I/Os of one size in whole KiB"),
        "{}",
        listed(&converted.lost)
    );
}
