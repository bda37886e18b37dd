//! What a run leaves behind, and how it is printed again.

use crate::support::{Mount, fathom, finished, must, only_run, text};
use fathom_figures::fixture::{DirectionLoad, RunBuilder};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

pub(super) fn job(dir: &Path, options: &str) {
    std::fs::write(
        dir.join("j.fio"),
        format!("[j]\nioengine=null\nrw=randread\nsize=1g\niodepth=4\n{options}"),
    )
    .unwrap();
}

pub(super) fn start(dir: &Path) -> Child {
    fathom(dir).args(["run", "j.fio"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn a_report_of_a_saved_run_is_the_report_at_its_end() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path(), "time_based\nruntime=1s\n");
    for format in ["summary", "json", "json+", "terse", "normal", "html"] {
        let out = format!("out-{format}");
        let run = dir.path().join(format!("run-{format}"));
        let mut command = fathom(dir.path());
        command.args(["run", "-q", "j.fio", "--output-format", format, "-o", &out, "--output-dir"]).arg(&run);
        must(&mut command);
        let again = must(fathom(dir.path()).args(["report", "--output-format", format]).arg(&run));
        assert!(again == std::fs::read_to_string(dir.path().join(out)).unwrap(), "{format} differs");
        assert!(!again.is_empty());
    }
}

/// A directory that was there before stays, whatever goes wrong; of two runs that want it, one has it.
/// What the command line set is told where the figures are, and not on the page only.
#[test]
fn the_details_say_what_the_command_line_changed() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("j.fio"), "[x]\nrw=randread\nbs=4k\nioengine=null\nsize=1m\n").unwrap();
    let told =
        |words: &[&str]| must(fathom(place.path()).args(["run", "-q", "--details", "j.fio"]).args(words));
    let changed = told(&["--set", "bs=8k", "--set", "iodepth=2"]);
    assert!(changed.contains("  override   bs=8k, iodepth=2\n"), "{changed}");
    assert!(!told(&[]).contains("override"));
}

#[test]
fn a_run_that_cannot_begin_removes_only_what_it_made() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path(), "runtime=1\nwrite_lat_log=/nonexistent/x\n");
    let run = |out: &str| fathom(dir.path()).args(["run", "j.fio", "--output-dir", out]).output().unwrap();
    std::fs::create_dir(dir.path().join("mine")).unwrap();
    for out in ["mine", "new"] {
        let output = run(out);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    }
    assert_eq!(std::fs::read_dir(dir.path().join("mine")).unwrap().count(), 0, "it is there, and empty");
    assert!(!dir.path().join("new").exists());
    job(dir.path(), "time_based\nruntime=300ms\n");
    let both: Vec<_> = std::thread::scope(|scope| {
        let two = [0, 1].map(|_| scope.spawn(|| run("mine").status.code()));
        two.map(|one| one.join().unwrap()).to_vec()
    });
    assert!(both.contains(&Some(0)) && both.contains(&Some(2)), "{both:?}");
    let report = fathom(dir.path()).args(["report", "mine"]).output().unwrap();
    assert_eq!(report.status.code(), Some(0), "{}", text(&report));
}

/// A run of another machine, saved as it was judged there.
fn save_judged(dir: &Path) {
    let reads = DirectionLoad::reads(2_000, 4096, 480_000);
    RunBuilder::of("rw=randread bs=4k ioengine=psync direct=1 filename=/data/f runtime=9 time_based")
        .fact("hypervisor", "kvm")
        .fact("target./data/f.disk", "vda")
        .fact("target./data/f.disks", "vda")
        .fact("target./data/f.is_virtual_disk", "true")
        .all(9, reads)
        .save(dir);
    let mut run = fathom_results::load(dir).unwrap();
    run.record.surroundings.targets[0].holds_results = true;
    fathom_procedures::judge(&mut run);
    let mut spool = fathom_results::SpoolReader::open(dir).unwrap();
    spool.by_ref().for_each(drop);
    run.record.save_sealed(dir, spool.extent()).unwrap();
}

/// What is said of a run follows from what is saved, and this machine changes none of it.
#[test]
fn a_run_of_another_machine_is_judged_again() {
    let dir = tempfile::tempdir().unwrap();
    save_judged(dir.path());
    let report = |options: &[&str]| {
        let output = fathom(dir.path()).arg("report").args(options).arg(".").output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        text(&output)
    };
    let said = report(&["--rejudge", "--details"]);
    assert!(said.contains("the words are the same as when it ran"), "{said}");
    for sentence in ["[same-filesystem]", "vda, provided by a hypervisor (virtio)"] {
        assert!(said.contains(sentence) && report(&["--details"]).contains(sentence), "{sentence}: {said}");
    }
}

/// The run ends early, since nothing of it could be read.
#[test]
fn a_run_whose_directory_was_removed_is_incomplete() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path(), "time_based\nruntime=5s\n");
    let child = start(dir.path());
    wait_for_spool(dir.path());
    std::fs::remove_dir_all(only_run(dir.path())).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(7), "{said}");
    assert!(said.contains("it was removed") && said.contains("cannot be read back"), "{said}");
}

/// Waits until the only run has begun.
pub(super) fn wait_for_spool(dir: &Path) {
    let spool = dir.join("fathom-runs/latest/spool");
    for _ in 0..3000 {
        if spool.exists() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("the run did not begin");
}

#[test]
fn a_closed_stdout_does_not_lose_the_run() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path(), "number_ios=1000\n");
    let mut child = start(dir.path());
    drop(child.stdout.take());
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
    assert!(only_run(dir.path()).join("run.json").exists());
}

#[test]
fn a_directory_that_holds_something_is_not_used() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path(), "number_ios=10\n");
    let output = fathom(dir.path()).args(["run", "j.fio", "--output-dir", "."]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).contains("not empty"), "{}", text(&output));
}

#[test]
fn a_directory_that_cannot_be_made_is_one_clear_error() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path(), "number_ios=10\n");
    std::fs::write(dir.path().join("file"), "").unwrap();
    let output = fathom(dir.path()).args(["run", "j.fio", "--runs-dir", "file/below"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("file/below"), "{}", text(&output));
}

#[test]
fn something_that_is_no_run_is_not_reported() {
    let dir = tempfile::tempdir().unwrap();
    let output = fathom(dir.path()).args(["report", "."]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).contains("no run is saved in it"), "{}", text(&output));
}

#[test]
fn logs_are_written_where_fio_would() {
    let dir = tempfile::tempdir().unwrap();
    must(fathom(dir.path()).args([
        "fio",
        "--name=l",
        "--ioengine=null",
        "--rw=read",
        "--size=1g",
        "--time_based",
        "--runtime=1",
        "--numjobs=2",
        "--write_bw_log=x",
        "--write_iops_log=x",
        "--write_lat_log=x",
        "--log_avg_msec=100",
        "--iodepth=4",
    ]));
    let mut files: Vec<String> = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|n| n.ends_with(".log"))
        .collect();
    files.sort();
    let expected: Vec<String> = ["bw", "clat", "iops", "lat", "slat"]
        .iter()
        .flat_map(|k| [1, 2].map(|n| format!("x_{k}.{n}.log")))
        .collect();
    assert_eq!(files, expected);
    let lines = std::fs::read_to_string(dir.path().join("x_bw.1.log")).unwrap();
    assert!((9..=11).contains(&lines.lines().count()), "{lines}");
    for line in lines.lines() {
        let columns: Vec<u64> = line.split(", ").map(|c| c.parse().unwrap()).collect();
        assert_eq!((columns.len(), columns[2]), (5, 0), "{line}");
    }
}

#[test]
fn a_full_results_disk_loses_nothing_that_was_saved_and_no_target() {
    let _own = crate::support::own_devices();
    let dir = tempfile::tempdir().unwrap();
    let small = dir.path().join("small");
    std::fs::create_dir(&small).unwrap();
    crate::support::sh("mount", &format!("-t tmpfs -o size=120k tmpfs {}", small.display()));
    let target = dir.path().join("target");
    let job = format!(
        "[j]\nioengine=psync\nrw=randwrite\nbs=4k\nsize=4m\nnumjobs=8\ntime_based\nruntime=30s\nfilename={}\n",
        target.display()
    );
    std::fs::write(dir.path().join("j.fio"), job).unwrap();
    let output = fathom(dir.path())
        .args(["run", "-q", "j.fio", "--runs-dir"])
        .arg(small.join("runs"))
        .output()
        .unwrap();
    let is_there = target.exists();
    crate::support::sh("umount", &small.display().to_string());
    let said = text(&output);
    assert_eq!(output.status.code(), Some(7), "{said}");
    assert!(said.contains("the run is incomplete") && said.contains("IOPS") && is_there, "{said}");
}

/// At every moment at which the directory of results can fill up, a run tells it, and a run that ended prints its answer. No
/// message names the descriptor by which fathom knows the directory.
#[test]
fn a_full_directory_of_results_takes_no_answer() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path(), "time_based\nruntime=1s\n");
    let mut answered = 0;
    for kib in (8..=120).step_by(16) {
        let full = Mount::on(&format!("-t tmpfs -o size={kib}k none"), &dir.path().join("full"));
        let words = ["run", "-q", "--no-calibrate", "--html", "j.fio", "--runs-dir", "full"];
        let output = fathom(dir.path()).args(words).output().unwrap();
        drop(full);
        let told = text(&output);
        let has_answer = String::from_utf8_lossy(&output.stdout).contains("IOPS");
        assert!(!told.contains("/proc/self/fd"), "{kib} KiB: {told}");
        match output.status.code() {
            Some(0) => assert!(has_answer, "{kib} KiB: {told}"),
            Some(1 | 7) => assert!(!output.stderr.is_empty(), "{kib} KiB: {told}"),
            code => panic!("{kib} KiB: {code:?} {told}"),
        }
        let is_unsaved =
            told.contains("stays marked incomplete") || told.contains("writing the spool failed");
        assert!(has_answer || !is_unsaved, "{kib} KiB: {told}");
        answered += u32::from(has_answer && is_unsaved);
    }
    assert!(answered > 0, "no size was one at which the record could not be saved");
}

#[test]
fn output_that_cannot_be_written_is_told_before_the_run() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path(), "time_based\nruntime=60s\n");
    for door in [&["run", "j.fio"][..], &["fio", "j.fio"]] {
        for place in ["--output=/nowhere/x", "--output="] {
            let output = fathom(dir.path()).args(door).arg(place).output().unwrap();
            assert_eq!(output.status.code(), Some(2), "{}", text(&output));
        }
    }
}

/// The output forms of fio cannot say it: without a message on stderr, a part of a
/// run would look like the whole.
#[test]
fn a_form_that_cannot_say_incomplete_is_followed_by_a_warning() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path(), "time_based\nruntime=1s\n");
    let mut command = fathom(dir.path());
    command.args(["run", "-q", "--no-calibrate", "j.fio", "--output-format", "json"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_spool(dir.path());
    let run = only_run(dir.path());
    let mut spool = std::fs::File::options().append(true).open(run.join("spool")).unwrap();
    std::io::Write::write_all(&mut spool, b"no frame").unwrap();
    let at_the_end = child.wait_with_output().unwrap();
    let report = |format: &str| {
        fathom(dir.path()).args(["report", "--output-format", format]).arg(&run).output().unwrap()
    };
    let warned = "warning: incomplete: the spool is damaged: ";
    for output in [
        at_the_end,
        report("json"),
        report("json+"),
        report("terse"),
        report("normal"),
        report("json,normal"),
    ] {
        assert_eq!(output.status.code(), Some(7), "{}", text(&output));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.starts_with(warned) && said.lines().count() == 1, "{}", text(&output));
    }
    for output in [report("summary"), report("details"), report("html"), report("json,summary")] {
        assert_eq!(output.status.code(), Some(7), "{}", text(&output));
        assert!(output.stderr.is_empty(), "{}", text(&output));
    }
}

/// A report must not show the figures of another run under this run's heading.
#[test]
fn a_spool_of_another_run_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path(), "size=1m\n");
    for out in ["one", "two"] {
        let mut run = fathom(dir.path());
        run.args(["run", "-q", "--no-calibrate", "j.fio", "--output-dir", out]);
        assert_eq!(run.output().unwrap().status.code(), Some(0));
    }
    std::fs::copy(dir.path().join("two/spool"), dir.path().join("one/spool")).unwrap();
    let report = |run: &str| fathom(dir.path()).args(["report", run]).output().unwrap();
    assert_eq!(report("two").status.code(), Some(0));
    let refused = report("one");
    assert_eq!(refused.status.code(), Some(7), "{}", text(&refused));
    assert!(text(&refused).contains("one/spool belongs to the run "), "{}", text(&refused));
}

#[test]
fn a_redacted_report_has_the_figures_and_no_path_of_the_user() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("acme");
    std::fs::create_dir(&home).unwrap();
    let target = home.join("ledger.bin");
    let section = format!("[j]\nioengine=psync\nrw=randread\nsize=1m\nfilename={}\n", target.display());
    std::fs::write(home.join("acme.fio"), section).unwrap();
    must(fathom(&home).args(["run", "-q", "acme.fio", "--no-calibrate", "--output-dir", "saved"]));
    for format in ["summary", "details", "html", "json", "json+", "normal", "terse"] {
        let report = |more: &[&str]| {
            must(fathom(&home).args(["report", "saved", "--output-format", format]).args(more))
        };
        let (open, redacted) = (report(&[]), report(&["--redact"]));
        assert!(!redacted.contains("acme") && !redacted.contains("ledger"), "{format}: {redacted}");
        assert!(
            redacted.contains("randread") == open.contains("randread") && redacted.len() > open.len() / 2,
            "{format}"
        );
    }
    assert!(
        must(fathom(&home).args(["report", "saved", "--details"])).contains("ledger"),
        "the saved run stays as it is"
    );
}

#[test]
fn what_a_user_wrote_is_in_no_redacted_form_of_a_run_or_a_procedure() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("acme");
    std::fs::create_dir(&home).unwrap();
    let job = "[j]\nioengine=psync\nrw=randread\nsize=64k\nnumber_ios=16\nfilename=ledger.bin\n";
    std::fs::write(home.join("kunde.fio"), job).unwrap();
    let labels =
        ["--name", "Angebot Fa. Müller", "--note", "by jkowalski on db07.geheim.example", "--tag=kunde-x"];
    for (saved, more) in [("one", &[][..]), ("many", &["--repeat", "2"])] {
        must(
            fathom(&home)
                .args(["run", "-q", "kunde.fio", "--no-calibrate", "--output-dir", saved])
                .args(labels)
                .args(more),
        );
        for form in ["summary", "details", "json", "html", "csv"] {
            if saved == "many" && matches!(form, "html" | "csv") {
                continue;
            }
            let report = must(
                fathom(&home)
                    .args(["report", saved, "--redact", "--output-format", form])
                    .env("USER", "jkowalski"),
            );
            for secret in ["jkowalski", "db07", "geheim", "Angebot", "Müller", "kunde", "ledger", "acme"] {
                assert!(!report.contains(secret), "{saved}, {form}: {secret}: {report}");
            }
            assert!(form == "json" || report.contains("run-1"), "{saved}, {form}: {report}");
        }
        let document = must(fathom(&home).args(["report", saved, "--redact", "--json"]));
        assert!(document.contains("run-1") && !document.contains("jkowalski"), "{document}");
    }
    let whole = must(fathom(&home).args(["report", "many"]));
    assert!(whole.contains("Angebot Fa. Müller"), "{whole}");
}

#[test]
fn a_sweep_and_a_search_name_no_job_file_in_a_redacted_form() {
    let dir = tempfile::tempdir().unwrap();
    let job = "[j]\nioengine=null\nrw=randread\nsize=64k\nnumber_ios=16\nwrite_bw_log=zebra\nfilename_format=quagga.$jobnum\n";
    std::fs::write(dir.path().join("kunde.fio"), job).unwrap();
    let sweep = ["sweep", "kunde.fio", "--vary", "iodepth=1,2,4", "-q"];
    for more in [&[][..], &["--find", "knee"]] {
        // A search among runs that are too short finds nothing, so its answer is not valid.
        finished(fathom(dir.path()).args(sweep).args(more));
        for form in ["summary", "details", "json", "html"] {
            let report = || {
                let mut command = fathom(dir.path());
                command.args(["report", "latest", "--output-format", form]);
                command
            };
            let (whole, open) = (finished(&mut report()), finished(report().arg("--redact")));
            assert!(form != "json" || whole.contains("kunde"), "{more:?}, {form}: it was there");
            for secret in ["kunde", "zebra", "quagga"] {
                assert!(!open.contains(secret), "{more:?}, {form}: {secret}: {open}");
            }
        }
    }
}

#[test]
fn no_text_is_written_into_a_pdf() {
    let dir = tempfile::tempdir().unwrap();
    let refused = fathom(dir.path()).args(["report", "-o", "x.PDF"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
    assert!(text(&refused).contains("-o x.html, and print it to PDF from a browser"), "{}", text(&refused));
    assert!(!dir.path().join("x.PDF").exists());
}
