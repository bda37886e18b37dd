//! Neither `fathom run` nor `fathom fio` writes to anything that a person could miss.

use crate::support::{Loop, Mount, fathom, machine, must, only_run, public_binary, sh, text};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const REFUSED: i32 = 3;

const JOB: &str = "[w]\nrw=write\nbs=4k\nsize=64k\nioengine=psync\n";

/// A write job by `fathom run`, with more arguments.
fn by_run(dir: &Path, target: &str, more: &[&str]) -> Output {
    std::fs::write(dir.join("w.fio"), JOB).unwrap();
    fathom(dir).args(["run", "--quiet", "w.fio", "--target", target]).args(more).output().unwrap()
}

/// The same by `fathom fio`.
fn by_fio(dir: &Path, target: &str, more: &[&str]) -> Output {
    let name = format!("--filename={target}");
    fathom(dir)
        .args(["fio", "--name=w", "--rw=write", "--bs=4k", "--size=64k", "--ioengine=psync", &name])
        .args(more)
        .output()
        .unwrap()
}

/// Both commands refuse whatever the consent is, and name what they found.
fn refused(dir: &Path, disk: &str, consent: &str, found: &str) {
    for more in [&[][..], &["--write", consent], &["--destroy", consent]] {
        for (door, output) in [("run", by_run(dir, disk, more)), ("fio", by_fio(dir, disk, more))] {
            let said = text(&output);
            assert_eq!(output.status.code(), Some(REFUSED), "{door} {more:?}: {said}");
            assert!(said.to_lowercase().contains(found), "{door} {more:?} does not name {found:?}: {said}");
        }
    }
}

#[test]
fn a_mounted_device_is_refused() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    sh("mkfs.ext4", &format!("-q {}", disk.device));
    let mount = Mount::on(&disk.device, &dir.path().join("mnt"));
    std::fs::write(mount.path.join("precious"), "data").unwrap();
    refused(dir.path(), &disk.device, &disk.consent(), "mounted");
    assert_eq!(std::fs::read_to_string(mount.path.join("precious")).unwrap(), "data");
}

#[test]
fn a_device_with_a_mounted_partition_is_refused() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    sh("parted", &format!("-s {} mklabel gpt mkpart primary ext4 1MiB 32MiB", disk.device));
    let partition = format!("{}p1", disk.device);
    sh("mkfs.ext4", &format!("-q {partition}"));
    let _mount = Mount::on(&partition, &dir.path().join("mnt"));
    refused(dir.path(), &disk.device, &disk.consent(), "mounted");
}

#[test]
fn a_device_with_active_swap_is_refused() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    sh("mkswap", &disk.device);
    sh("swapon", &disk.device);
    let _off = SwapOff(disk.device.clone());
    refused(dir.path(), &disk.device, &disk.consent(), "swap");
}

#[test]
fn a_filesystem_needs_the_strong_consent() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    sh("mkfs.ext4", &format!("-q {}", disk.device));
    let consent = disk.consent();
    let weak = ["--write", consent.as_str()];
    for output in [
        by_run(dir.path(), &disk.device, &[]),
        by_run(dir.path(), &disk.device, &weak),
        by_fio(dir.path(), &disk.device, &[]),
    ] {
        let said = text(&output);
        assert_eq!(output.status.code(), Some(REFUSED), "{said}");
        assert!(said.contains("ext4") && said.contains("--destroy"), "{said}");
    }
    sh("fsck.ext4", &format!("-fn {}", disk.device));
    let strong = ["--destroy", consent.as_str()];
    assert!(by_run(dir.path(), &disk.device, &strong).status.success());
    assert!(by_fio(dir.path(), &disk.device, &strong).status.success());
}

#[test]
fn a_device_that_another_process_claims_is_refused() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    let script = format!(
        "import os,sys,time; os.open('{}', os.O_RDWR|os.O_EXCL); print('held', flush=True); time.sleep(60)",
        disk.device
    );
    let mut holder =
        Command::new("python3").args(["-c", &script]).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut line = [0u8; 5];
    std::io::Read::read_exact(holder.stdout.as_mut().unwrap(), &mut line).unwrap();
    refused(dir.path(), &disk.device, &disk.consent(), "python3");
    holder.kill().unwrap();
    holder.wait().unwrap();
}

#[test]
fn the_root_disk_is_refused() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let source = must(Command::new("findmnt").args(["-n", "-o", "SOURCE", "/"]));
    let root = source.trim();
    assert!(root.starts_with("/dev/"), "the root filesystem lies on {root}");
    refused(dir.path(), root, "anything", "mounted");
}

#[test]
fn a_blank_device_needs_consent_from_us_and_none_from_fio_scripts() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    let output = by_run(dir.path(), &disk.device, &[]);
    assert_eq!(output.status.code(), Some(REFUSED), "{}", text(&output));
    assert!(text(&output).contains(&format!("--write {}", disk.consent())), "{}", text(&output));
    let consent = disk.consent();
    assert!(by_fio(dir.path(), &disk.device, &[]).status.success());
    // That run has written data of an unknown kind.
    let output = by_run(dir.path(), &disk.device, &["--write", &consent]);
    assert_eq!(output.status.code(), Some(REFUSED), "{}", text(&output));
    assert!(by_run(dir.path(), &disk.device, &["--destroy", &consent]).status.success());
}

/// Samples of the whole device decide whether `--write` is enough, and the message
/// says what they prove.
#[test]
fn data_between_the_ends_need_the_strong_consent() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    let consent = disk.consent();
    std::fs::write(dir.path().join("w.fio"), JOB).unwrap();
    let plan = ["run", "--plan", "w.fio", "--target", &disk.device, "--write", &consent];
    let output = fathom(dir.path()).args(plan).output().unwrap();
    let bound = "looks empty: 6,905 places were read and all are empty";
    assert!(output.status.success() && text(&output).contains(bound), "{}", text(&output));
    sh("dd", &format!("if=/dev/urandom of={} bs=1M count=1 seek=30 conv=notrunc", disk.device));
    let output = by_run(dir.path(), &disk.device, &["--write", &consent]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(REFUSED), "{said}");
    assert!(said.contains("by random samples") && said.contains("--destroy"), "{said}");
}

#[test]
fn a_kernel_name_or_a_wrong_size_is_no_consent() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    let wrong = format!("{}:{}", disk.backing.display(), disk.size + 512);
    for word in [disk.device.as_str(), wrong.as_str(), "loop0"] {
        let output = by_run(dir.path(), &disk.device, &["--destroy", word]);
        assert_eq!(output.status.code(), Some(REFUSED), "{word}: {}", text(&output));
    }
}

#[test]
fn a_file_that_is_not_ours_is_not_overwritten_by_run() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("thesis.doc");
    std::fs::write(&file, vec![7u8; 1 << 20]).unwrap();
    let path = file.to_string_lossy();
    let output = by_run(dir.path(), &path, &[]);
    assert_eq!(output.status.code(), Some(REFUSED), "{}", text(&output));
    assert!(text(&output).contains("--overwrite"), "{}", text(&output));
    assert!(std::fs::read(&file).unwrap().iter().all(|&b| b == 7));
    assert!(by_run(dir.path(), &path, &["--overwrite", &path]).status.success());
    assert!(std::fs::read(&file).unwrap()[..65536].iter().any(|&b| b != 7));
}

#[test]
fn a_file_that_fathom_made_is_used_again() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("made");
    for _ in 0..2 {
        let output = by_run(dir.path(), &file.to_string_lossy(), &[]);
        assert!(output.status.success(), "{}", text(&output));
    }
}

/// What `fathom help consent` says of a device, in its order.
#[test]
fn the_help_about_consent_is_true_of_run() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 8);
    let (device, consent) = (disk.device.as_str(), disk.consent());
    let run = |more: &[&str]| {
        let output = by_run(dir.path(), device, more);
        (output.status.code(), text(&output))
    };
    // A file's option is none for a device, and a refusal prints the option with its value.
    for more in [&[][..], &["--overwrite", device]] {
        let (code, said) = run(more);
        assert!(code == Some(REFUSED) && said.contains(&format!("add: --write {consent}")), "{said}");
    }
    assert_eq!(run(&["--write", &consent]).0, Some(0));
    // It is no longer empty.
    let (code, said) = run(&["--write", &consent]);
    assert!(code == Some(REFUSED) && said.contains(&format!("--destroy {consent}")), "{said}");
    // A reader is no obstacle for the stronger option, a writer is one for both.
    let reader = std::fs::File::open(device).unwrap();
    assert_eq!(run(&["--destroy", &consent]).0, Some(0));
    drop(reader);
    let writer = std::fs::File::options().write(true).open(device).unwrap();
    let (code, said) = run(&["--destroy", &consent]);
    assert!(code == Some(REFUSED) && said.contains("no option overrides this"), "{said}");
    drop(writer);
    // The file behind a loop device is in use.
    let (code, said) = {
        let backing = consent.rsplit_once(':').unwrap().0;
        let output = by_run(dir.path(), backing, &["--overwrite", backing]);
        (output.status.code(), text(&output))
    };
    assert!(code == Some(REFUSED) && said.contains("no option overrides this"), "{said}");
}

#[test]
fn a_file_that_changed_since_is_not_ours() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("f");
    let run = |more: &[&str]| by_run(dir.path(), file.to_str().unwrap(), more).status.code();
    assert_eq!((run(&[]), run(&[])), (Some(0), Some(0)));
    std::fs::write(&file, "mine").unwrap();
    assert_eq!(run(&[]), Some(REFUSED));
    assert_eq!(run(&["--overwrite", file.to_str().unwrap()]), Some(0));
}

#[test]
fn reading_a_device_needs_no_consent_and_changes_nothing() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    sh("mkfs.ext4", &format!("-q {}", disk.device));
    let before = std::fs::read(&disk.backing).unwrap();
    std::fs::write(dir.path().join("r.fio"), "[r]\nrw=randread\nbs=4k\nsize=16m\ndirect=1\n").unwrap();
    let output =
        fathom(dir.path()).args(["run", "--quiet", "r.fio", "--target", &disk.device]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    assert!(before == std::fs::read(&disk.backing).unwrap());
}

struct SwapOff(String);

impl Drop for SwapOff {
    fn drop(&mut self) {
        let _ = Command::new("swapoff").arg(&self.0).status();
    }
}

#[test]
fn a_result_is_never_written_to_a_device() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    sh("mkfs.ext4", &format!("-q {}", disk.device));
    let before = std::fs::read(&disk.backing).unwrap();
    std::fs::write(dir.path().join("n.fio"), "[n]\nioengine=null\nrw=read\nsize=1m\n").unwrap();
    for door in [&["run", "-q", "n.fio", "--output"][..], &["fio", "n.fio", "--output"]] {
        let output = fathom(dir.path()).args(door).arg(&disk.device).output().unwrap();
        assert_eq!(output.status.code(), Some(REFUSED), "{}", text(&output));
    }
    assert!(before == std::fs::read(&disk.backing).unwrap());
}

/// A job that fills the file system of a directory, by both commands: the exit code and what is said.
fn fills(dir: &Path, target: &Path, more: &[&str]) -> Vec<(Option<i32>, String)> {
    let job = format!("[w]\nrw=write\nbs=64k\nfill_device=1\nunlink=1\ndirectory={}\n", target.display());
    std::fs::write(dir.join("fill.fio"), job).unwrap();
    let run = fathom(dir).args(["run", "--no-calibrate", "--json"]).args(more).arg("fill.fio").output();
    let fio = fathom(dir).args(["fio", "fill.fio"]).output();
    [run, fio].map(|output| output.unwrap()).map(|output| (output.status.code(), text(&output))).into()
}

#[test]
fn no_job_fills_the_root_file_system_or_the_one_with_its_results() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 24);
    sh("mkfs.ext4", &format!("-q {}", disk.device));
    let mount = Mount::on(&disk.device, &dir.path().join("mnt"));
    let root = tempfile::tempdir_in("/").unwrap();
    for (code, said) in fills(dir.path(), root.path(), &[]) {
        assert_eq!(code, Some(REFUSED), "{said}");
        assert!(said.contains("is on the root file system") && said.contains("hint: "), "{said}");
    }
    let results = mount.path.join("results/new");
    let saved = ["--output-dir", results.to_str().unwrap()];
    let [(code, said), _] = &fills(dir.path(), &mount.path, &saved)[..] else { panic!("both commands") };
    assert_eq!(*code, Some(REFUSED), "{said}");
    assert!(said.contains("is on the file system on which the results are saved"), "{said}");
    assert!(
        !results.exists() && std::fs::read_dir(root.path()).unwrap().next().is_none(),
        "nothing was made"
    );
    let plan = must(fathom(dir.path()).args(["run", "--plan", "fill.fio"]));
    assert!(plan.contains("when no space is left (fill_device)"), "{plan}");
    // Elsewhere it is filled, which is a success, and the file says by its size what was written.
    for (code, said) in fills(dir.path(), &mount.path, &[]) {
        assert_eq!(code, Some(0), "{said}");
    }
    let job = format!("[w]\nrw=write\nbs=60k\nfill_fs=1\nfilename={}/w\n", mount.path.display());
    std::fs::write(dir.path().join("fill.fio"), job).unwrap();
    let report = must(fathom(dir.path()).args(["run", "--no-calibrate", "--output-format=json", "fill.fio"]));
    let written = crate::support::json(&report)["jobs"][0]["write"]["io_bytes"].as_u64().unwrap();
    assert_eq!(
        written,
        std::fs::metadata(mount.path.join("w")).unwrap().len(),
        "the last, short write included"
    );
    assert!(written > 16 << 20 && !written.is_multiple_of(60 << 10), "{written}");
}

#[test]
fn logs_stay_in_the_run_and_go_through_no_link() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let victim = dir.path().join("victim_bw.1.log");
    std::fs::write(&victim, "precious").unwrap();
    let log = |prefix: &str| format!("[n]\nioengine=null\nrw=read\nsize=1m\nwrite_bw_log={prefix}\n");
    for prefix in [dir.path().join("victim").display().to_string(), "../../victim".to_owned()] {
        std::fs::write(dir.path().join("n.fio"), log(&prefix)).unwrap();
        let output = fathom(dir.path()).args(["run", "-q", "n.fio"]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{prefix}: {}", text(&output));
    }
    std::os::unix::fs::symlink(&victim, dir.path().join("link_bw.1.log")).unwrap();
    std::fs::write(dir.path().join("n.fio"), log("link")).unwrap();
    let output = fathom(dir.path()).args(["fio", "n.fio"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "precious");
}

#[test]
fn output_follows_no_prepared_partial_file_and_keeps_the_mode() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("victim"), "precious").unwrap();
    std::os::unix::fs::symlink("victim", dir.path().join("out.partial")).unwrap();
    std::fs::write(dir.path().join("out"), "old").unwrap();
    std::fs::set_permissions(dir.path().join("out"), PermissionsExt::from_mode(0o600)).unwrap();
    std::fs::write(dir.path().join("n.fio"), "[n]\nioengine=null\nrw=read\nsize=1m\n").unwrap();
    must(fathom(dir.path()).args(["run", "-q", "n.fio", "--output", "out", "--overwrite", "out"]));
    assert_eq!(std::fs::read_to_string(dir.path().join("victim")).unwrap(), "precious");
    assert_ne!(std::fs::read_to_string(dir.path().join("out")).unwrap(), "old");
    assert_eq!(std::fs::metadata(dir.path().join("out")).unwrap().permissions().mode() & 0o777, 0o600);
}

/// Where the runs below write: the metadata of an ext4 of this size is before it.
const WRITTEN_AT: u64 = 48 << 20;

/// Starts a run that would go on for a minute, and waits until it writes.
fn running(command: &mut Command, backing: &Path) -> Child {
    let mut run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let file = std::fs::File::open(backing).unwrap();
    for _ in 0..600 {
        let mut block = [0u8; 4096];
        if file.read_at(&mut block, WRITTEN_AT).is_ok() && block.iter().any(|&byte| byte != 0) {
            return run;
        }
        if run.try_wait().unwrap().is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let _ = run.kill();
    panic!("it does not write: {}", text(&run.wait_with_output().unwrap()));
}

/// A file that is attached to a loop device and mounted while it is written
/// ends the run, with either command and any kind of target.
#[test]
fn a_second_loop_device_during_a_run_ends_it() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    let file = dir.path().join("file.img");
    for path in [&disk.backing, &file] {
        std::fs::File::options().create(true).append(true).open(path).unwrap().set_len(64 << 20).unwrap();
        sh("mkfs.ext4", &format!("-q -F {}", path.display()));
    }
    let job = "rw=write\nbs=4k\ndirect=1\noffset=48m\nsize=1m\nrate_iops=200\ntime_based\nruntime=60\nioengine=psync\n";
    std::fs::write(dir.path().join("w.fio"), format!("[w]\n{job}")).unwrap();
    let options = job.lines().map(|line| format!("--{line}"));
    let by_fio = ["fio".to_owned(), "--name=w".to_owned(), format!("--filename={}", file.display())];
    let words = ["run", "--quiet", "w.fio", "--target", &disk.device, "--destroy", &disk.consent()];
    let by_run = words.map(str::to_owned);
    let cases = [(&file, by_fio.into_iter().chain(options).collect()), (&disk.backing, by_run.to_vec())];
    for (backing, words) in cases {
        let run = running(fathom(dir.path()).args::<Vec<String>, _>(words), backing);
        let link = dir.path().join("link.img");
        std::fs::hard_link(backing, &link).unwrap();
        let second = Loop::over(&link, 64 << 20);
        let _mount = Mount::on(&second.device, &dir.path().join("mnt"));
        let began = Instant::now();
        let output = run.wait_with_output().unwrap();
        let said = text(&output);
        assert_eq!(output.status.code(), Some(REFUSED), "{said}");
        let name = second.device.strip_prefix("/dev/").unwrap();
        assert!(said.contains("stopped for safety") && said.contains(name), "{said}");
        assert!(began.elapsed() < Duration::from_secs(40), "{:?}: {said}", began.elapsed());
        std::fs::remove_file(&link).unwrap();
    }
    let saved = fathom(dir.path()).arg("report").arg(only_run(dir.path())).output().unwrap();
    assert_eq!(saved.status.code(), Some(7), "{}", text(&saved));
    assert!(text(&saved).contains("stopped for safety"), "{}", text(&saved));
}

/// A write of `file` by `fathom fio`, by a user without rights.
fn by_nobody(dir: &Path, program: &Path, file: &Path) -> Output {
    let name = format!("--filename={}", file.display());
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(program);
    command.args(["fio", "--name=w", "--rw=write", "--bs=4k", "--size=64k", "--ioengine=psync", &name]);
    command.current_dir(dir).output().unwrap()
}

/// The kernel tells only root which file is behind a loop device, and this user cannot
/// reach its path. The user can still write own files, new and old, but not the file
/// that was attached under a name that is gone.
#[test]
fn a_user_without_rights_writes_beside_loop_devices_and_not_under_them() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let own = |path: &Path| std::os::unix::fs::chown(path, Some(65534), Some(65534)).unwrap();
    own(dir.path());
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let program = public_binary(dir.path());
    let hidden = dir.path().join("hidden");
    std::fs::create_dir(&hidden).unwrap();
    std::fs::set_permissions(&hidden, std::fs::Permissions::from_mode(0o700)).unwrap();
    let _beside = Loop::blank(&hidden, 16);
    let old = dir.path().join("old.img");
    std::fs::File::create(&old).unwrap().set_len(64 << 20).unwrap();
    own(&old);
    for file in [&dir.path().join("new.img"), &old] {
        let output = by_nobody(dir.path(), &program, file);
        assert!(output.status.success(), "{}", text(&output));
    }
    let over = Loop::over(&old, 64 << 20);
    let link = dir.path().join("link.img");
    std::fs::hard_link(&old, &link).unwrap();
    std::fs::remove_file(&old).unwrap();
    let output = by_nobody(dir.path(), &program, &link);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(REFUSED), "{said}");
    let name = over.device.strip_prefix("/dev/").unwrap();
    assert!(said.contains(name) && said.contains("root can see"), "{said}");
}
