//! Wrong input: one clear error, the documented exit code, nothing written.

use crate::support::{Loop, fathom, machine, public_binary, sh, text};
use std::path::Path;
use std::process::Command;

/// The job is refused with `code`; the message names every one of `words`;
/// nothing is left in the directory but the job.
fn check(job: &str, more: &[&str], code: i32, words: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("j.fio"), job).unwrap();
    let output = fathom(dir.path()).args(["run", "j.fio"]).args(more).output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(code), "{job}: {said}");
    for word in words {
        assert!(said.contains(word), "{job}: {word:?} is missing in {said}");
    }
    let left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["j.fio"], "{job}");
}

#[test]
fn unknown_option_with_place_and_nearest_name() {
    check("[j]\nrw=read\nsize=1m\niodepht=4\n", &[], 2, &["j.fio:4:1", "iodepht", "^^^^^^^", "iodepth"]);
}

#[test]
fn units_that_fio_cuts_in_silence() {
    for (line, said) in [("size=1.5g", "1.5g"), ("runtime=10sec", "10sec"), ("size=99.5%", "99.5%")] {
        check(&format!("[j]\nioengine=null\nrw=read\n{line}\n"), &[], 2, &["j.fio:4:", said, "fio"]);
    }
}

#[test]
fn an_option_without_a_meaning_is_refused_with_its_reason() {
    let job = "[j]\nioengine=null\nrw=read\nsize=1m\nblock_error_percentiles=1\n";
    check(job, &[], 2, &["block_error_percentiles", "other flash", "continue_on_error=io"]);
}

#[test]
fn jobs_in_real_and_in_virtual_time() {
    check(
        "[v]\nioengine=oracle\noracle_clock=virtual\nrw=read\nsize=1m\n[n]\nioengine=null\nrw=read\nsize=1m\n",
        &[],
        2,
        &[
            "`v` (ioengine=oracle) runs in virtual time",
            "`n` (ioengine=null) in real time",
            "hint: ",
            "--section",
        ],
    );
}

#[test]
fn a_missing_file_directory_or_device() {
    check("[j]\nrw=read\nfilename=nowhere\n", &[], 2, &["nowhere"]);
    check("[j]\nrw=read\nsize=1m\nfilename=/nowhere/at/all\n", &[], 2, &["/nowhere/at"]);
    check("[j]\nrw=read\nsize=1m\n", &["--target", "/dev/nvme77n1"], 2, &["/dev/nvme77n1"]);
    let dir = tempfile::tempdir().unwrap();
    let output = fathom(dir.path()).args(["run", "missing.fio"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).contains("missing.fio"), "{}", text(&output));
}

#[test]
fn blocks_that_break_alignment_and_targets_that_are_too_small() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 1);
    let on_disk = ["--target", disk.device.as_str()];
    check("[j]\nrw=randread\nbs=1000\ndirect=1\nsize=64k\n", &on_disk, 2, &["1000", "512", &disk.device]);
    check("[j]\nrw=read\nbs=4m\ndirect=1\n", &on_disk, 2, &[&disk.device]);
}

#[test]
fn no_permission_is_told_by_path() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::set_permissions(dir.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let file = dir.path().join("secret");
    std::fs::write(&file, vec![0u8; 4096]).unwrap();
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let binary = public_binary(dir.path());
    let output =
        as_nobody(&binary, &["fio", "--name=j", "--rw=read", &format!("--filename={}", file.display())]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let said = text(&output);
    assert!(said.contains("secret") && said.contains("ermission denied"), "{said}");
}

fn as_nobody(binary: &Path, arguments: &[&str]) -> std::process::Output {
    let mut command = std::process::Command::new("runuser");
    command.args(["-u", "nobody", "--"]).arg(binary).args(arguments).current_dir("/tmp");
    command.output().unwrap()
}

#[test]
fn a_disk_that_fills_up_in_layout_is_told_and_the_file_removed() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let mount = dir.path().join("small");
    std::fs::create_dir(&mount).unwrap();
    sh("mount", &format!("-t tmpfs -o size=8m tmpfs {}", mount.display()));
    // Each job fits when the plan looks, but not both.
    let files = ["a", "b"].map(|name| mount.join(name));
    let job = |file: &Path| format!("filename={}\n", file.display());
    let text_of_jobs = format!(
        "[global]\nrw=read\nsize=6m\nfallocate=none\n[a]\n{}[b]\nstonewall\n{}",
        job(&files[0]),
        job(&files[1])
    );
    std::fs::write(dir.path().join("j.fio"), text_of_jobs).unwrap();
    // fathom run would refuse the plan.
    let output = fathom(dir.path()).args(["fio", "j.fio"]).output().unwrap();
    let file = &files[1];
    let is_gone = !file.exists();
    sh("umount", &mount.display().to_string());
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(is_gone && said.contains("6 MiB") && said.contains("No space left"), "{said}");
}

#[test]
fn a_file_that_shrinks_under_the_run_keeps_what_was_measured() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("shrinks");
    std::fs::write(&file, vec![1u8; 16 << 20]).unwrap();
    let job = format!("[j]\nrw=randread\nbs=4k\ntime_based\nruntime=30s\nfilename={}\n", file.display());
    std::fs::write(dir.path().join("j.fio"), job).unwrap();
    let mut command = fathom(dir.path());
    command
        .args(["run", "-q", "j.fio"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    std::fs::File::options().write(true).open(&file).unwrap().set_len(4096).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("at offset") && said.contains(" · failed ·"), "{said}");
}

/// `--readonly` promises that nothing is written: a file that a read job would
/// have to make or extend first is refused, and no other.
#[test]
fn readonly_makes_and_extends_no_file() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("short"), "short\n").unwrap();
    let by_fio = |name: &str, more: &[&str]| {
        let job = ["fio", "--readonly", "--name=a", "--rw=read", "--bs=1k", "--filename"];
        fathom(dir.path()).args(job).arg(name).args(more).output().unwrap()
    };
    let extends = by_fio("short", &["--size=4k"]);
    let makes = by_fio("missing", &["--size=4k"]);
    for (output, what) in [(extends, "extend short"), (makes, "make missing")] {
        let said = text(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("--readonly") && said.contains(what) && said.contains("hint:"), "{said}");
    }
    assert_eq!(std::fs::read_to_string(dir.path().join("short")).unwrap(), "short\n");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    std::fs::write(dir.path().join("long"), vec![1; 8192]).unwrap();
    for (name, more) in [("long", &["--size=4k"][..]), ("none", &["--size=4k", "--ioengine=null"])] {
        let output = by_fio(name, more);
        assert!(output.status.success(), "{}", text(&output));
    }
}

/// With `--readonly` no trace writes, and no name is made, renamed or removed, whatever `rw` says.
#[test]
fn readonly_refuses_traces_that_write_and_changes_of_names() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("kept"), vec![7; 4096]).unwrap();
    let lines = ["fio version 2 iolog", "kept add", "kept open", "kept read 0 4096", "kept write 0 4096"];
    std::fs::write(dir.path().join("trace"), lines.join("\n") + "\n").unwrap();
    let run = |options: &[&str]| {
        let job = ["fio", "--readonly", "--name=a", "--rw=read", "--bs=4k", "--filesize=4k"];
        fathom(dir.path()).args(job).args(options).output().unwrap()
    };
    let trace = "--read_iolog=trace";
    let of_names = ["filecreate", "filedelete", "filerename", "dircreate", "dirstat", "dirdelete"];
    let engines = of_names.map(|engine| format!("--ioengine={engine}"));
    let named = engines.iter().map(|engine| {
        let name = if engine.ends_with("filedelete") { "--filename=kept" } else { "--filename=new" };
        vec![engine.as_str(), name]
    });
    for options in named.chain([vec![trace]]) {
        let output = run(&options);
        let said = text(&output);
        assert_eq!(output.status.code(), Some(2), "{options:?}: {said}");
        assert!(said.contains("--readonly") && said.contains("hint:"), "{options:?}: {said}");
    }
    assert_eq!(std::fs::read(dir.path().join("kept")).unwrap(), vec![7; 4096]);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2);
    for options in [&[trace, "--replay_skip=write"][..], &["--ioengine=filestat", "--filename=kept"]] {
        let output = run(options);
        assert!(output.status.success(), "{options:?}: {}", text(&output));
    }
}

/// A limit of the size of files is an error of the write that exceeds it.
#[test]
fn a_limit_of_the_size_of_files_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_fathom");
    let line = format!("ulimit -f 10; {program} fio --name=a --rw=write --size=1m --filename=f");
    let output = Command::new("sh").args(["-c", &line]).current_dir(dir.path()).output().unwrap();
    let said = text(&output);
    assert!(output.status.code().is_some_and(|code| code != 0 && code < 128), "{said}");
    assert!(said.contains("File too large"), "{said}");
}

#[test]
fn a_stack_that_is_too_small_is_told() {
    let line = format!("ulimit -s 64; {} options", env!("CARGO_BIN_EXE_fathom"));
    let output = Command::new("sh").args(["-c", &line]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("the stack is limited to 65536 bytes"), "{}", text(&output));
}

#[test]
fn an_address_space_that_is_too_small_is_told() {
    let line = format!("ulimit -v 90000; {} options", env!("CARGO_BIN_EXE_fathom"));
    let output = Command::new("sh").args(["-c", &line]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("the address space is limited to 92160000 bytes"), "{}", text(&output));
}

/// A name of 200,000 characters is shortened in a table, and no command pads every line to it.
#[test]
fn a_name_of_megabytes_is_shortened_in_tables() {
    let dir = tempfile::tempdir().unwrap();
    let name = "x".repeat(200_000);
    let result = format!(
        "{{\"fio version\": \"fio-3.33\", \"jobs\": [{{\"jobname\": \"{name}\", \"read\": {{\"total_ios\": 9, \"runtime\": 1000, \"iops\": 9.0}}}}, {{\"jobname\": \"b\", \"read\": {{\"total_ios\": 9, \"runtime\": 1000, \"iops\": 9.0}}}}]}}"
    );
    std::fs::write(dir.path().join("r.json"), result).unwrap();
    let output = fathom(dir.path()).args(["import", "r.json"]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output).chars().take(2000).collect::<String>());
    assert!(output.stdout.len() < 100_000, "{} bytes", output.stdout.len());
    std::fs::copy(dir.path().join("r.json"), dir.path().join("s.json")).unwrap();
    let output = fathom(dir.path()).args(["compare", "r.json", "s.json"]).output().unwrap();
    assert!(output.status.code().is_some_and(|code| code < 100), "{:?}", output.status);
    let values = format!("{name}:TPM=1,2,3");
    let output = fathom(dir.path())
        .args(["compare", "--values", &values[99_000..], "--values", "b:TPM=2,3,4"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{:?}", output.status);
}

#[test]
fn a_file_of_proc_is_read_up_to_a_limit() {
    let dir = tempfile::tempdir().unwrap();
    for words in [
        ["suite", "check", "/proc/self/pagemap"].as_slice(),
        &["import", "--kind", "bw", "/proc/self/pagemap"],
    ] {
        let output = fathom(dir.path()).args(words).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", text(&output));
    }
}

/// Eight million jobs would be planned for minutes.
#[test]
fn a_sweep_of_millions_of_jobs_is_refused_with_their_number() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("j.fio"), "[a]\nioengine=null\nsize=1m\nrw=read\n").unwrap();
    let output =
        fathom(dir.path()).args(["sweep", "j.fio", "--vary", "numjobs=1..4096", "--plan"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).contains("more than 65536 jobs together"), "{}", text(&output));
}

/// Some editors begin a file with a byte order mark.
#[test]
fn a_byte_order_mark_is_no_part_of_a_job_file() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("j.fio"), "\u{feff}[a]\nioengine=null\nsize=1m\nrw=read\n").unwrap();
    let output = fathom(dir.path()).args(["run", "--plan", "j.fio"]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
}

/// More memory than any machine has is refused before anything is allocated.
#[test]
fn a_plan_larger_than_the_memory_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let job = "[a]\nioengine=null\nrw=read\nsize=1g\nbs=1g\niodepth=16384\nnumjobs=64\n";
    std::fs::write(dir.path().join("j.fio"), job).unwrap();
    let output = fathom(dir.path()).args(["run", "j.fio"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).contains("the jobs need 1 PiB of memory at once"), "{}", text(&output));
}

/// The example of a vendor's guide has the node of a program for a target (contract V-54).
#[test]
fn the_control_node_of_a_drive_is_refused_with_the_name_of_its_device() {
    let dir = tempfile::tempdir().unwrap();
    for mode in ["read", "write"] {
        let job = format!("[a]\nfilename=/dev/fctl\nrw={mode}\nbs=4k\nruntime=1\n");
        std::fs::write(dir.path().join("j.fio"), job).unwrap();
        let output = fathom(dir.path()).args(["run", "--plan", "j.fio"]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", text(&output));
        let said = text(&output);
        assert!(said.contains("/dev/fctl") && said.contains("hint:") && said.contains("/dev/fioa"), "{said}");
    }
    assert!(!std::path::Path::new("/dev/fctl").exists());
}

/// The guide's file for an array of 16 TB is larger than the array (contract I-24); here it is larger than any.
#[test]
fn a_file_for_which_there_is_no_room_is_refused_and_not_begun() {
    let dir = tempfile::tempdir().unwrap();
    let planned = |options: &str| {
        let job =
            format!("[prep]\nioengine=libaio\ndirect=1\nrw=write\nbs=128k\nfilename=iofile\n{options}\n");
        std::fs::write(dir.path().join("j.fio"), job).unwrap();
        let output = fathom(dir.path()).args(["run", "j.fio"]).output().unwrap();
        (output.status.code(), text(&output))
    };
    let (code, said) = planned("size=15892T");
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("writing iofile takes 15.52 PiB of new space, but only ")
            && said.contains("size=15892T"),
        "{said}"
    );
    let (code, said) = planned("size=100%");
    assert!(code == Some(2) && said.contains("size=1g, for example"), "{said}");
    assert!(!dir.path().join("iofile").exists());
    // The guide takes time_based out of the first run. Here it may stay: the file has its size before the end.
    let (code, said) = planned("size=1m\ntime_based\nruntime=200ms");
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(std::fs::metadata(dir.path().join("iofile")).unwrap().len(), 1 << 20);
}

/// The verification that a file asks for is refused, and `--set verify=0` runs the job for its speed.
#[test]
fn what_the_command_line_sets_replaces_what_the_file_says() {
    let job = "[j]\nioengine=null\nrw=write\nsize=1m\nverify=crc32c\nsprandom=1\n";
    check(job, &[], 2, &["j.fio:6:1", "sprandom is refused"]);
    check(job, &["--set", "sprandom=0"], 2, &["j.fio:5:1", "keeps no data", "hint: verify=0"]);
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("j.fio"), job).unwrap();
    let set = ["--set", "verify=0", "--set", "sprandom=0"];
    let output = fathom(dir.path()).args(["run", "--plan", "j.fio"]).args(set).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
}

/// A pattern's file that is missing, empty, endless, too long or a FIFO without a writer: one message, and no wait.
#[test]
fn a_pattern_s_file_that_is_none() {
    let dir = tempfile::tempdir().unwrap();
    let place = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(place("empty"), "").unwrap();
    std::fs::write(place("long"), [7; 513]).unwrap();
    sh("mkfifo", &place("fifo"));
    for (name, reason) in [
        (place("missing"), "there is no such file"),
        (place("empty"), "it is empty"),
        (place("long"), "at most 512"),
        (place("fifo"), "a FIFO"),
        ("/dev/zero".to_owned(), "a character device"),
    ] {
        let job = format!("[j]\nfilename=f\nrw=write\nsize=1m\nverify=pattern\nverify_pattern='{name}'\n");
        check(&job, &[], 2, &["j.fio:6:", "cannot read the pattern's file", reason, "hint: "]);
    }
    std::fs::write(place("good"), b"a\0\xff").unwrap();
    let job =
        format!("[j]\nfilename=f\nrw=write\nsize=1m\nverify=pattern\nverify_pattern='{}'%o\n", place("good"));
    std::fs::write(dir.path().join("j.fio"), job).unwrap();
    let output = fathom(dir.path()).args(["run", "--plan", "j.fio"]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
}
