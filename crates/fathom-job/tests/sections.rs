//! The grammar of files: sections, inheritance, includes, variables, and what
//! several files on one command line mean.

use crate::world::{World, codes, job, listed, load};
use fathom_job::diagnostic::Severity;
use fathom_job::job::Origin;
use fathom_job::options::*;
use fathom_job::parse::{Adjust, JobSet, load as load_files, load_text};
use fathom_job::units::{Bytes, Nanos};
use fathom_job::value::Size;

fn names(set: &JobSet) -> Vec<&str> {
    set.jobs.iter().map(|job| job.name.as_str()).collect()
}

#[test]
fn jobs_see_only_the_globals_above_them() {
    let set =
        load("[global]\nbs=8k\n[a]\n[global2]\nbs=16k\niodepth=4\n[b]\niodepth=2\n[a]\n").expect("right");
    assert_eq!(names(&set), ["a", "b", "a"]);
    let sizes: Vec<u64> = set.jobs.iter().map(|job| job.get(&BS).read.0 >> 10).collect();
    assert_eq!(sizes, [8, 16, 16]);
    let depths: Vec<u32> = set.jobs.iter().map(|job| job.get(&IODEPTH)).collect();
    assert_eq!(depths, [1, 2, 4]);
    assert_eq!(set.globals.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["bs", "iodepth"]);
    assert_eq!(set.jobs[1].setting(&BS).map(|s| s.origin), Some(Origin::Global));
    assert_eq!(set.jobs[1].setting(&IODEPTH).map(|s| s.origin), Some(Origin::Section));
}

#[test]
fn the_last_of_a_name_wins_but_filename_adds() {
    let twice = job("[a]\nbs=4k\nblocksize=8k\nfilename=/x\nfilename=/y:/z");
    assert_eq!(twice.get(&BS).read, Bytes::kib(8));
    assert_eq!(twice.get(&FILENAME), Some(["/x", "/y", "/z"].map(str::to_owned).to_vec()));
    let set = load("[global]\nfilename=/g\n[a]\nfilename=/s\n[b]\n").expect("right");
    assert_eq!(set.jobs[0].get(&FILENAME), Some(["/g", "/s"].map(str::to_owned).to_vec()));
    assert_eq!(set.jobs[1].get(&FILENAME), Some(vec!["/g".to_owned()]));
    assert_eq!(set.warnings[0].code, "filename-adds");
}

#[test]
fn lines_comments_and_blanks() {
    let text = "\u{20}; all of it\n# and this\n\n [a] \r\n\tbs = 8k   ; then\r\ndescription=hello world # x\nthread\n";
    let a = job(text);
    assert_eq!(a.name, "a");
    assert_eq!(a.get(&BS).read, Bytes::kib(8));
    assert_eq!(a.get(&DESCRIPTION), Some("hello world".to_owned()));
    assert!(a.get(&THREAD));
    let set = load("[a]\nbs = 8k\nsize = 512\nrw = write\n").expect("right");
    assert_eq!(set.warnings.iter().map(|w| w.code.as_str()).collect::<Vec<_>>(), ["blank-before-value"]);
    let set = load("[a]\nfilename=/x#y\n").expect("right");
    assert_eq!(set.warnings[0].code, "comment-in-value");
    assert_eq!(set.jobs[0].get(&FILENAME), Some(vec!["/x".to_owned()]));
}

#[test]
fn a_name_option_renames_the_job() {
    assert_eq!(job("[a]\nname=b c").name, "b c");
}

/// fio 3.33: `name` of [global] names no job, and that of a section not its files.
#[test]
fn a_section_keeps_its_own_name() {
    let set = load("[global]\nname=g\n[a]\n[b]\nname=c\n").expect("right");
    assert_eq!(names(&set), ["a", "c"]);
    let sections: Vec<&str> = set.jobs.iter().map(|job| job.section.as_str()).collect();
    assert_eq!(sections, ["a", "b"]);
}

#[test]
fn what_is_no_job_file() {
    let long = format!("[a]\ndescription={}\n", "x".repeat(8200));
    let table = [
        ("bs=4k\n[a]\n", "no-section"),
        ("[a\nbs=4k\n", "bad-section"),
        ("[]\n", "bad-section"),
        ("[a] b\n", "bad-section"),
        ("[a]\n=4\n", "missing-name"),
        ("[a]\ninclude\n", "bad-include"),
        ("[a]\ninclude nowhere\n", "bad-include"),
        ("[a]\nbs 4k\n", "unknown-option"),
        ("[a]\nfilename=${X\n", "unclosed-variable"),
        ("", "no-jobs"),
        ("[global]\nbs=4k\n", "no-jobs"),
        (&long, "line-too-long"),
        ("[a]\nwait_for=b\n", "bad-wait-for"),
        ("[b]\n[b]\n[a]\nwait_for=b\n", "bad-wait-for"),
        ("[a]\nfixedbufs=1\n", "engine-option"),
    ];
    for (text, code) in table {
        assert_eq!(codes(text)[0], code, "{text}");
    }
    // The lines below a broken section are no errors of their own.
    assert_eq!(codes("[a;b]\nioengine=null\nsize=1m\n"), ["bad-section"]);
}

#[test]
fn engine_options_are_checked_against_the_engine() {
    assert!(job("[a]\nfixedbufs\nioengine=io_uring").get(&FIXEDBUFS));
    let set = load("[global]\nioengine=io_uring\nfixedbufs\n[a]\n[b]\nioengine=psync\n").expect("right");
    assert_eq!(set.warnings.len(), 1, "{}", listed(&set.warnings));
    assert_eq!(set.warnings[0].severity, Severity::Warning);
}

#[test]
fn includes_are_read_in_place() {
    let world = World::default()
        .file("dir/main.fio", "[global]\ninclude base.inc\n[a]\ninclude more/own.inc\niodepth=8\n")
        .file("dir/base.inc", "bs=8k\ninclude deeper.inc\n")
        .file("dir/deeper.inc", "size=1m\n")
        .file("more/own.inc", "iodepth=4\nnumjobs=2\n");
    let set = load_files(&["dir/main.fio".to_owned()], &Adjust::default(), &world)
        .unwrap_or_else(|e| panic!("{}", listed(&e)));
    let a = &set.jobs[0];
    assert_eq!((a.get(&BS).read, a.get(&IODEPTH), a.get(&NUMJOBS)), (Bytes::kib(8), 8, 2));
    assert_eq!(a.setting(&SIZE).map(|s| s.span.file.as_str()), Some("dir/deeper.inc"));
}

#[test]
fn includes_cannot_hold_sections_or_themselves_or_variables() {
    let check = |inc: &str, line: &str, code: &str| {
        let world = World::default().file("x.inc", inc).variable("F", "x.inc");
        let found = load_text("m", &format!("[a]\n{line}\n"), &Adjust::default(), &world).expect_err(line);
        assert!(found.iter().any(|d| d.code == code), "{line}: {}", listed(&found));
    };
    check("[b]\n", "include x.inc", "section-in-include");
    check("include x.inc\n", "include x.inc", "include-depth");
    check("bs=4k\n", "include ${F}", "bad-include");
}

#[test]
fn variables_and_keywords() {
    let world =
        World::default().variable("DEV", "/dev/x").variable("SIZE", "8k").variable("EXTRA", "iodepth=4");
    let read = |text: &str| {
        load_text("m", text, &Adjust::default(), &world).unwrap_or_else(|e| panic!("{}", listed(&e)))
    };
    let set = read("[${DEV}]\nfilename=${DEV}p1\nbs=${SIZE}\n${EXTRA}\ndescription=a${NONE}b\n");
    let a = &set.jobs[0];
    assert_eq!(a.name, "${DEV}", "not in section names");
    assert_eq!(a.get(&FILENAME), Some(vec!["/dev/xp1".to_owned()]));
    assert_eq!((a.get(&BS).read, a.get(&IODEPTH)), (Bytes::kib(8), 4));
    assert_eq!(a.get(&DESCRIPTION), Some("ab".to_owned()));
    assert_eq!(set.warnings[0].code, "undefined-variable");
    let set = read(
        "[a]\nbs=$pagesize\nsize=$mb_memory*1024*1024/2\nnumjobs=$ncpus/2\nruntime=$ncpus*10\nfilename=/x/$ncpus\n",
    );
    let a = &set.jobs[0];
    assert_eq!((a.get(&BS).read, a.get(&NUMJOBS), a.get(&RUNTIME)), (Bytes(4096), 2, Nanos::secs(50)));
    assert_eq!(a.setting(&SIZE).map(|s| s.canonical()), Some((1u64 << 30).to_string()));
    assert_eq!(a.get(&FILENAME), Some(vec!["/x/5".to_owned()]));
}

#[test]
fn further_files_begin_again_and_wait() {
    let world = World::default().file("1", "[global]\nbs=8k\n[a]\n[b]\n").file("2", "[c]\n[d]\n");
    let set = load_files(&["1".to_owned(), "2".to_owned()], &Adjust::default(), &world).expect("right");
    assert_eq!(names(&set), ["a", "b", "c", "d"]);
    assert_eq!(set.jobs.iter().map(|j| j.get(&STONEWALL)).collect::<Vec<_>>(), [false, false, true, false]);
    assert_eq!(set.jobs[2].get(&BS).read, Bytes::kib(4));
    let missing = load_files(&["3".to_owned()], &Adjust::default(), &world).expect_err("missing");
    assert_eq!(missing[0].code, "cannot-read");
}

#[test]
fn adjustments_apply_to_every_job() {
    let adjust = Adjust {
        set: vec![("runtime".to_owned(), "2s".to_owned()), ("time_based".to_owned(), String::new())],
        target: Some("/dev/disk/by-path/pci-0:1".to_owned()),
        sections: vec!["b".to_owned()],
        ..Adjust::default()
    };
    let text = "[global]\nfilename=/g\ndirectory=/d\n[a]\nverify=md5\n[b]\nruntime=30\nfilename=/s\n";
    let set = load_text("m", text, &adjust, &World::default()).unwrap_or_else(|e| panic!("{}", listed(&e)));
    assert_eq!(names(&set), ["b"], "a is not wanted, and what is wrong with it does not matter");
    let b = &set.jobs[0];
    assert_eq!((b.get(&RUNTIME), b.get(&TIME_BASED)), (Nanos::secs(2), true));
    assert_eq!(b.get(&FILENAME), Some(vec!["/dev/disk/by-path/pci-0:1".to_owned()]));
    assert_eq!(b.get(&DIRECTORY), None);
    assert_eq!(
        b.setting(&RUNTIME).map(|s| (s.origin, s.span.file.as_str())),
        Some((Origin::Override, "--set"))
    );
    let wrong = Adjust { sections: vec!["bb".to_owned()], ..Adjust::default() };
    let found = load_text("m", text, &wrong, &World::default()).expect_err("no such section");
    assert_eq!((found[0].code.as_str(), found[0].hints[0].as_str()), ("unknown-section", "did you mean b?"));
    let wrong = Adjust { set: vec![("runtme".to_owned(), "2s".to_owned())], ..Adjust::default() };
    let found = load_text("m", "[a]\n[b]\n", &wrong, &World::default()).expect_err("no such option");
    assert_eq!(found.len(), 1, "once, not once for each job");
}

/// A line takes up to 800 bytes of memory, so a file of any length could take all of it.
#[test]
fn a_job_file_has_a_limit() {
    let told = |world: World, text: &str| {
        let found = load_text("big.fio", text, &Adjust::default(), &world).expect_err("too large");
        assert_eq!(found.len(), 1, "{}", listed(&found));
        assert_eq!(found[0].code, "job-file-too-large");
        assert!(!found[0].hints.is_empty());
        found[0].message.clone()
    };
    let long = "[a]\nsize=1m\n".to_owned() + &"xx=4k\n".repeat(200_000) + "# a comment\n";
    assert_eq!(
        told(World::default(), &long),
        "big.fio has 200002 lines, with the files that it includes; at most 200000 lines with options and sections are read"
    );
    // Comments and empty lines take no memory.
    load(&("[a]\nsize=1m\n".to_owned() + &"# xx\n\n".repeat(300_000))).expect("one line with an option");
    // The limit holds for all includes together.
    let half = "bs=4k\n".repeat(70_000);
    let world = World::default().file("half.inc", &half);
    let said = told(world, &("[a]\n".to_owned() + &"include half.inc\n".repeat(900)));
    assert!(said.starts_with("half.inc has ") && said.contains("at most 200000 lines"), "{said}");
    let comments = "# 0123456789\n".repeat(100_000);
    let world = World::default().file("comments.inc", &comments);
    let said = told(world, &("[a]\nsize=1m\n".to_owned() + &"include comments.inc\n".repeat(900)));
    assert!(said.contains("at most 16777216 bytes are read"), "{said}");
}

/// Each job has the options of `[global]`, so a short file can make many of them.
#[test]
fn the_options_of_all_jobs_have_a_limit() {
    let global = "[global]\nbs=4k\nsize=1m\nrw=randrw\nioengine=null\niodepth=4\nruntime=9\nramp_time=1\nrwmixread=70\n";
    let jobs = |count: usize| global.to_owned() + &"[a]\n".repeat(count);
    assert_eq!(load(&jobs(1_000)).expect("few").jobs.len(), 1_000);
    assert_eq!(codes(&jobs(100_000)), ["job-file-too-large"]);
}

/// A value that could not be in force is not an error where `--set` sets another one.
#[test]
fn what_the_command_line_sets_is_not_judged_in_the_file() {
    let text = "[global]\nmem=cudamalloc\nverify_state_load=1\nverify_backlog=x\n[a]\nverify=crc32c\ntrim_percentage=10\nsize=1.5q\n";
    let set = [
        ("mem", "malloc"),
        ("verify", "0"),
        ("verify_state_load", "0"),
        ("verify_backlog", "0"),
        ("trim_percentage", "0"),
        ("size", "1m"),
    ];
    let set = set.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let loaded = load_text("job.fio", text, &Adjust { set, ..Adjust::default() }, &World::default());
    let jobs = loaded.expect("all that is wrong is replaced").jobs;
    assert_eq!((jobs[0].get(&VERIFY), jobs[0].get(&VERIFY_STATE_LOAD)), ("0", false));
    assert_eq!(jobs[0].get(&SIZE), Some(Size::Bytes(Bytes::mib(1))));
    // What it sets itself is judged.
    let wrong = Adjust { set: vec![("mem".to_owned(), "cudamalloc".to_owned())], ..Adjust::default() };
    let found = load_text("job.fio", "[a]\nsize=1m\n", &wrong, &World::default()).expect_err("it is refused");
    assert_eq!(found[0].code, "refused-value");
}
