//! Job files for fio on Windows and Solaris (contract V-32 and V-33).

use super::{convert, convert_in, errors, examples, said};
use crate::world::{World, job, listed};
use fathom_job::options::*;

/// The guide's table for Windows, applied as a person would: line by line.
fn by_the_table_for_windows(line: &str) -> Option<String> {
    match line {
        "ioengine=libaio" | "ioengine=sync" => Some("ioengine=windowsaio".to_owned()),
        "thread=0" => Some("thread=1".to_owned()),
        line if line.starts_with("cpus_allowed=") => None,
        line => Some(line.replace("/dev/fioa", r"\\.\PhysicalDriveX")),
    }
}

/// The guide's table for Solaris.
fn by_the_table_for_solaris(line: &str) -> Option<String> {
    match line {
        "ioengine=libaio" => Some("ioengine=solarisaio".to_owned()),
        "direct=1" => Some("direct=0".to_owned()),
        line if line.starts_with("cpus_allowed=") => None,
        line => Some(line.replace("/dev/fioa", "/dev/rdsk/c*d0p0")),
    }
}

#[test]
fn the_nine_jobs_become_what_the_guides_tables_say() {
    let jobs = examples("vsl");
    assert_eq!(jobs.len(), 9);
    for form in ["--to windows", "--to solaris"] {
        let table = if form == "--to windows" { by_the_table_for_windows } else { by_the_table_for_solaris };
        for (name, text) in &jobs {
            let expected: Vec<String> = said(text).into_iter().filter_map(table).collect();
            let converted = convert(form, name, text);
            assert_eq!(said(&converted.text), expected, "{form} {name}");
            let lost = listed(&converted.lost);
            assert!(lost.contains("cpus_allowed=1-4 is left out"), "{lost}");
            assert!(converted.text.contains("# left out: cpus_allowed=1-4 ("), "{}", converted.text);
        }
    }
}

#[test]
fn the_nine_jobs_as_they_are_printed() {
    for form in ["windows", "solaris"] {
        let all = examples("vsl").iter().fold(String::new(), |all, (name, text)| {
            let converted = convert(&format!("--to {form}"), name, text);
            all + &format!("==> {name}\n{}--> said\n{}\n", converted.text, listed(&converted.lost))
        });
        insta::assert_snapshot!(format!("vsl_for_{form}"), all);
    }
}

/// There and back the jobs are the same, but for what was named as lost.
#[test]
fn there_and_back_the_nine_jobs_are_the_same() {
    for form in ["windows", "solaris"] {
        for (name, text) in examples("vsl") {
            let there = convert(&format!("--to {form}"), &name, &text);
            let back = [(name.as_str(), there.text.as_str())];
            let back =
                convert_in(&World::default(), &format!("--from {form}"), &back, Some("/dev/fioa")).unwrap();
            let lost = ["cpus_allowed", "thread", "ioengine"];
            let settings = |text: &str| -> Vec<String> {
                let job = job(text);
                let kept = job.settings().filter(|(name, _)| !lost.contains(name));
                kept.map(|(name, setting)| format!("{name}={}", setting.canonical())).collect()
            };
            assert_eq!(settings(&back.text), settings(&text), "{form} {name}");
            let (before, after) = (job(&text), job(&back.text));
            assert_eq!(before.name, after.name);
            // sync has become the asynchronous engine of Windows, at a depth of 1.
            let engine = before.get(&IOENGINE);
            assert!(
                after.get(&IOENGINE) == engine || (engine == "sync" && after.get(&IODEPTH) == 1),
                "{name}"
            );
        }
    }
}

#[test]
fn what_surrounds_a_changed_value_stays() {
    let text = "[global]\n  thread = 0 ; processes\n\tioengine=libaio\n[a b]\n filename=/dev/sda:/dev/sdb # two\n rw=read\n";
    let windows = convert("--to windows", "job.fio", text).text;
    let rest = windows.split_once('\n').expect("a heading").1;
    assert_eq!(
        rest,
        "[global]\n  thread = 1 ; processes\n\tioengine=windowsaio\n[a b]\n filename=\\\\.\\PhysicalDriveX:\\\\.\\PhysicalDriveY # two\n rw=read\n"
    );
}

#[test]
fn a_device_has_the_same_name_everywhere_and_can_be_named() {
    let text = "[/dev/sdb]\nfilename=/dev/sdb\n[c]\nfilename=/dev/sdc\n[d]\nfilename=/dev/sdb\n";
    let solaris = convert("--to solaris", "job.fio", text);
    assert_eq!(
        said(&solaris.text),
        [
            "[/dev/rdsk/c*d0p0]",
            "filename=/dev/rdsk/c*d0p0",
            "[c]",
            "filename=/dev/rdsk/c*d1p0",
            "[d]",
            "filename=/dev/rdsk/c*d0p0"
        ]
    );
    assert!(listed(&solaris.lost).contains("/dev/sdc becomes /dev/rdsk/c*d1p0"), "{}", listed(&solaris.lost));
    let texts = [("job.fio", "[/dev/sdb]\nthread=1\nfilename=/dev/sdb\n")];
    let named = convert_in(&World::default(), "--to windows", &texts, Some(r"\\.\PhysicalDrive2")).unwrap();
    assert_eq!(said(&named.text), [r"[\\.\PhysicalDrive2]", "thread=1", r"filename=\\.\PhysicalDrive2"]);
    assert!(named.lost.is_empty(), "{}", listed(&named.lost));
}

#[test]
fn a_job_that_says_nothing_of_threads_gets_one() {
    let windows = convert("--to windows", "job.fio", "[a]\nrw=read\nsize=1m\n").text;
    assert_eq!(said(&windows), ["[global]", "thread=1", "[a]", "rw=read", "size=1m"]);
    let solaris = convert("--to solaris", "job.fio", "[a]\nrw=read\nsize=1m\n").text;
    assert_eq!(said(&solaris), ["[a]", "rw=read", "size=1m"]);
}

/// Option, and a word of the reason why it is left out.
#[test]
fn each_option_without_counterpart_is_named() {
    let table = [
        ("cpumask=3", "cpumask=3"),
        ("numa_cpu_nodes=0", "libnuma"),
        ("prio=3", "ioprio_set"),
        ("mem=mmaphuge", "huge pages"),
        ("compat=fio", "an option of fathom"),
        ("hipri=1\nioengine=io_uring", "an option of"),
        ("sync_file_range=write:8", "sync_file_range(2)"),
    ];
    for form in ["windows", "solaris"] {
        for (option, word) in table {
            let text = format!("[a]\nthread=1\nrw=write\nsize=1m\n{option}\n");
            let converted = convert(&format!("--to {form}"), "job.fio", &text);
            let (first, lost) = (option.split('\n').next().unwrap(), listed(&converted.lost));
            assert!(lost.contains("warning: ") && lost.contains(word), "{form} {option}: {lost}");
            assert!(!said(&converted.text).contains(&first), "{form} {option}: {}", converted.text);
            assert!(converted.text.contains("# left out: "), "{form} {option}");
        }
    }
    // An ordinary value of an option that has others is kept.
    let kept = convert("--to windows", "job.fio", "[a]\nthread=1\nmem=malloc\nsize=1m\n");
    assert!(said(&kept.text).contains(&"mem=malloc") && kept.lost.is_empty());
}

#[test]
fn a_depth_that_had_no_effect_is_told_before_it_has_one() {
    let converted = convert("--to windows", "job.fio", "[a]\nthread=1\nioengine=sync\niodepth=32\nsize=1m\n");
    let lost = listed(&converted.lost);
    assert!(lost.contains("only one I/O is in flight, and windowsaio keeps iodepth=32"), "{lost}");
    let solaris = convert("--to solaris", "job.fio", "[a]\nioengine=sync\niodepth=32\nsize=1m\n");
    assert!(said(&solaris.text).contains(&"ioengine=sync") && solaris.lost.is_empty());
}

#[test]
fn variables_and_included_files_are_converted_too() {
    let world = World::default()
        .file("job.fio", "")
        .file("common.inc", "ioengine=${ENGINE}\ncpus_allowed=1-4\n")
        .variable("ENGINE", "libaio")
        .variable("DEVICE", "/dev/sdb");
    let text = "[global]\nthread\ninclude common.inc\n[a]\nfilename=${DEVICE}\n";
    let converted = convert_in(&world, "--to windows", &[("job.fio", text)], None).unwrap();
    assert_eq!(
        said(&converted.text),
        ["[global]", "thread", "ioengine=windowsaio", "[a]", r"filename=\\.\PhysicalDriveX"]
    );
    assert!(converted.text.contains("# include common.inc\n"), "{}", converted.text);
    assert!(
        listed(&converted.lost).contains("common.inc:2:1: warning: cpus_allowed=1-4"),
        "{}",
        listed(&converted.lost)
    );
}

#[test]
fn what_cannot_be_converted_is_an_error() {
    let engine = errors("--to windows", "[a]\nioengine=sim\nsize=1m\n");
    assert!(
        engine.contains("job a: fio on Windows has no engine like sim") && engine.contains("job.fio:2"),
        "{engine}"
    );
    assert!(errors("--to solaris", "[a]\nbs=4q\n").contains("bs"), "a job that is wrong");
    let two = [("a.fio", "[a]\nsize=1m\n"), ("b.fio", "[b]\nsize=1m\n")];
    let several = convert_in(&World::default(), "--to windows", &two, None).unwrap_err();
    assert!(listed(&several).contains("2 files make 2 files"), "{}", listed(&several));
}

#[test]
fn paths_of_files_are_named_once() {
    let converted = convert("--to windows", "job.fio", "[a]\nthread\ndirectory=/data\nfilename=x\nsize=1m\n");
    let lost = listed(&converted.lost);
    assert_eq!(lost.matches("is a path of this system").count(), 1, "{lost}");
}
