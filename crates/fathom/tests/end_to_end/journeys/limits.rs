//! Limits of processes, of open files and of space: every command ends with words and an exit code, and none panics.
//!
//! By hand, for more: `FATHOM_LIMITS=9` tries up to so many processes and files more.

use super::json::commands;
use crate::support::procedure::half_of;
use crate::support::{Loop, Mount, fathom, must, own_devices, public_binary, text};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A command with the words behind it. `DEVICE` is a loop device, `CONSENT` the word that consents to writing it.
type Line = (&'static str, &'static str);

/// Every command, with words that let it do its work, and without such that end it before.
const LINES: &[Line] = &[
    ("quick", "target --seconds 1 -q --no-calibrate"),
    ("run", "j.fio"),
    ("run", "-q s.fio"),
    ("run", "-q --repeat 2 j.fio"),
    ("run", "-q device.fio --destroy CONSENT"),
    ("run", "--plan j.fio"),
    ("fio", "j.fio"),
    ("devices", "--all"),
    ("devices", "DEVICE"),
    ("doctor", ""),
    ("doctor", "DEVICE"),
    ("doctor capture", ""),
    ("precondition", "DEVICE --passes 1 -q --destroy CONSENT"),
    ("precondition", "sim:datacentre/4096 --passes 1 -q"),
    ("verify", "DEVICE --size 1m -q --destroy CONSENT"),
    ("power-cut write", "DEVICE --log cut --size 1m --writes 20 --depth 2 --same-disk --destroy CONSENT"),
    ("power-cut check", "DEVICE --log cut"),
    ("pts", "tp --target sim:datacentre/4096 --scale 600 -q"),
    ("suite list", ""),
    ("suite show", "flash"),
    ("suite new", ""),
    ("suite check", "flash --target sim:datacentre/4096"),
    ("suite run", "flash --target sim:datacentre/4096 --scale 600 -q"),
    ("suite tables", "twice twice"),
    ("try", "-q iodepth=4 --rounds 1 -- s.fio"),
    ("sweep", "-q s.fio --vary iodepth=1,2"),
    ("filesystem create", "DEVICE --at there --plan"),
    ("array create", "--level 1 --plan DEVICE DEVICE"),
    ("array remove", "--plan DEVICE"),
    ("purge", "DEVICE --plan"),
    ("purge", "DEVICE --method zero --destroy CONSENT --state-dir purged"),
    ("report", "one"),
    ("report", "twice --output-format html"),
    ("report", "one.fathom.tar.gz"),
    ("compare", "one sim"),
    ("compare", "one.fathom.tar.gz twice"),
    ("compare", "--run j.fio s.fio --rounds 1 -q"),
    ("baseline save", "new sim --baselines-dir kept --replace"),
    ("baseline check", "known sim --baselines-dir kept"),
    ("baseline list", "--baselines-dir kept"),
    ("import", "x_bw.1.log"),
    ("convert", "j.fio --to windows"),
    ("resume", "-q half"),
    ("runs", "--runs-dir ."),
    ("bundle", "one -o new.fathom.tar.gz"),
    ("options", ""),
    ("schema", "document"),
    ("tune knobs", ""),
    ("tune plan", "DEVICE"),
    ("tune apply", "DEVICE --state-dir state"),
    ("tune try", "blk.nomerges=1 --pairs 6 -q --state-dir state -- j.fio"),
    ("tune status", "--state-dir state"),
    ("tune verify", "--state-dir state"),
    ("tune revert", "--state-dir state"),
    ("tune selftest", "--state-dir state"),
    ("tune guardian", "no-journal --state-dir state"),
    ("tune apart", "no-journal --state-dir state"),
    ("topology", "DEVICE"),
    ("calc stride", "--level 50 --devices 8 --groups 2 --chunk 64"),
    ("calc raid", "--level 5 --devices 4 --read-iops 700000 --write-iops 146000 --measured 212889 --cpu 30"),
    ("calc pcie", "gen4x4 --rate 3500"),
    ("calc affinity", "0-3,8 --irq 42"),
    ("calc fill", "16TB --file 15000G"),
    ("calc op", "812GB 640GB"),
    ("calc additivity", "100 110 --together 205"),
    ("calc dma delay", "31"),
    ("calc slips", ""),
    ("completions", "bash"),
    ("man", "run"),
    ("help", "units"),
];

/// What the lines name.
struct Ground {
    dir: tempfile::TempDir,
    device: Loop,
}

impl Ground {
    fn new() -> Ground {
        let dir = tempfile::tempdir().unwrap();
        let device = Loop::blank(dir.path(), 16);
        let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
        write("j.fio", "[j]\nioengine=null\nrw=randread\nsize=1m\n");
        write(
            "s.fio",
            "[r]\nfilename=sim:datacentre/1024\nrw=randread\nbs=4k\ntime_based=1\nruntime=1\nsize=100%\n",
        );
        write("device.fio", &format!("[w]\nfilename={}\nrw=randwrite\nbs=64k\nsize=8m\n", device.device));
        write("x_bw.1.log", "1000, 4000, 0, 4096, 0\n2000, 4100, 0, 4096, 0\n");
        write("target", &"7".repeat(16 << 20));
        for line in [
            "run -q --no-calibrate --output-dir one j.fio",
            "run -q --no-calibrate --output-dir sim s.fio",
            "run -q --no-calibrate --output-dir twice --repeat 2 s.fio",
            "baseline save known sim --baselines-dir kept",
            "bundle one -o one.fathom.tar.gz",
        ] {
            must(fathom(dir.path()).args(line.split(' ')));
        }
        Ground { dir, device }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Runs a line of bash that sets limits, and then fathom.
    fn limited(&self, limit: &str, command: &str, words: &str) -> Output {
        // What a resume ends is there again for the next one.
        if command == "resume" {
            let _ = fs::remove_dir_all(self.at("half"));
            half_of(&self.at("twice"), &self.at("half"));
        }
        let named = |word: &str| match word {
            "DEVICE" => self.device.device.clone(),
            "CONSENT" => self.device.consent(),
            word => word.to_owned(),
        };
        let command = command.replace("dma delay", "dma-delay");
        let mut shell = Command::new("timeout");
        shell.args([
            "60",
            "bash",
            "-c",
            &format!("{limit} && exec \"$@\""),
            "bash",
            env!("CARGO_BIN_EXE_fathom"),
        ]);
        shell.args(command.split(' ')).args(words.split_whitespace().map(named)).current_dir(self.dir.path());
        shell.env("NO_COLOR", "1").env("FATHOM_INDEX", self.at("runs.jsonl")).output().unwrap()
    }
}

/// It ends by itself, with one of its codes; and where it fails, it says why.
fn ends_with_words(output: &Output) -> Result<(), String> {
    let code = output.status.code();
    let (said, told) = (String::from_utf8_lossy(&output.stderr), text(output));
    if code.is_none_or(|code| code > 8) || told.contains("panicked") {
        return Err(format!("no exit code of fathom: {told}"));
    }
    let has_words = said.lines().any(|line| line.starts_with("error: ") || line.contains("not valid"));
    // 5: what was measured is printed. 7: it is incomplete, and that is printed.
    match code {
        Some(0) => Ok(()),
        Some(5 | 7) if !output.stdout.is_empty() => Ok(()),
        _ if has_words => Ok(()),
        _ => Err(format!("without a word: {told}")),
    }
}

fn more() -> u64 {
    std::env::var("FATHOM_LIMITS").map_or(0, |text| text.parse().expect("a number"))
}

/// A control group of cgroup 1 or 2 that limits processes and threads, also those of root; removed when dropped.
struct Group(PathBuf);

impl Group {
    fn of_processes() -> Group {
        let name = format!("fathom-test-pids-{}", std::process::id());
        let tops = ["/sys/fs/cgroup/pids", "/sys/fs/cgroup"].map(Path::new);
        let group = tops.into_iter().map(|top| top.join(&name)).find(|group| {
            fs::create_dir(group).is_ok()
                && (group.join("pids.max").exists() || fs::remove_dir(group).is_err())
        });
        Group(group.expect("root can make a control group that limits processes"))
    }

    /// The line of bash that goes into it, with so many processes and threads at most.
    fn limit(&self, most: u64) -> String {
        let group = self.0.display();
        format!("echo {most} > {group}/pids.max && echo $$ > {group}/cgroup.procs")
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
fn every_command_is_tried() {
    let known: BTreeSet<String> = commands().into_keys().collect();
    // The script of completions has blanks where a command has hyphens.
    let tried: BTreeSet<String> = LINES.iter().map(|(command, _)| command.replace('-', " ")).collect();
    assert_eq!(tried, known, "each command has a line, and each line a command");
}

/// The group has root's processes too, so what writes to devices is tried.
#[test]
fn no_command_panics_where_no_thread_can_be_started() {
    let _own = own_devices();
    let (ground, group) = (Ground::new(), Group::of_processes());
    let mut wrong = Vec::new();
    for (command, words) in LINES {
        for most in 1..=1 + more() {
            let output = ground.limited(&group.limit(most), command, words);
            if let Err(why) = ends_with_words(&output) {
                wrong.push(format!("{most} processes: fathom {command} {words}: {why}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whatever cannot be opened, a command that fails says why.
#[test]
fn a_limit_of_open_files_is_told() {
    let _own = own_devices();
    let ground = Ground::new();
    let reading = ["run", "quick", "report", "compare", "bundle", "runs", "baseline save", "sweep", "fio"];
    let mut wrong = Vec::new();
    for (command, words) in LINES.iter().filter(|(command, _)| reading.contains(command)) {
        for files in 4..=9 + more() {
            let output = ground.limited(&format!("ulimit -n {files}"), command, words);
            if let Err(why) = ends_with_words(&output) {
                wrong.push(format!("{files} files: fathom {command} {words}: {why}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A procedure that a limit of open files or a missing right keeps from being read is not damaged.
#[test]
fn what_cannot_be_read_for_another_cause_is_not_damaged() {
    let _own = own_devices();
    let ground = Ground::new();
    fs::set_permissions(ground.dir.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let program = public_binary(ground.dir.path());
    let by_nobody = |line: &str| {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program);
        command.args(line.split(' ')).current_dir(ground.dir.path()).env("FATHOM_INDEX", "").output().unwrap()
    };
    let mut limited = BTreeSet::new();
    for line in ["report twice", "compare twice sim", "runs --runs-dir ."] {
        let (command, words) = line.split_once(' ').unwrap();
        for files in 4..=9 {
            let output = ground.limited(&format!("ulimit -n {files}"), command, words);
            let said = text(&output);
            assert!(!said.contains("damaged"), "{files} files: fathom {line}: {said}");
            // Where the program itself cannot be loaded, the code is 127.
            let code = output.status.code();
            assert!(matches!(code, Some(0 | 1 | 127)), "{files} files: fathom {line}: {code:?} {said}");
            if said.contains("round 0001-repeat cannot be read: ") && code == Some(1) {
                assert!(
                    said.contains("Too many open files") && said.contains("hint: ulimit -n is"),
                    "{said}"
                );
                limited.insert(command);
            }
        }
    }
    assert_eq!(limited, BTreeSet::from(["compare", "report"]));
    let (spool, rounds) = (ground.at("twice/rounds/0002-repeat/spool"), ground.at("twice/rounds"));
    for (private, what) in [(spool, "0002-repeat/spool"), (rounds, "0001-repeat cannot be read")] {
        let mode = fs::metadata(&private).unwrap().permissions();
        fs::set_permissions(&private, fs::Permissions::from_mode(0o600)).unwrap();
        for line in ["report twice", "compare twice sim"] {
            let output = by_nobody(line);
            let said = text(&output);
            assert_eq!(output.status.code(), Some(1), "{line}: {said}");
            assert!(said.contains(what) && said.contains("Permission denied"), "{line}: {said}");
            assert!(
                said.contains("hint: run fathom as a user") && !said.contains("damaged"),
                "{line}: {said}"
            );
        }
        fs::set_permissions(&private, mode).unwrap();
    }
    fs::set_permissions(ground.at("twice/procedure.json"), fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(by_nobody("report twice").status.code(), Some(1));
    let list = text(&by_nobody("runs --runs-dir ."));
    assert!(list.contains("  unread    cannot read procedure.json: Permission denied"), "{list}");
}

/// A bundle that a limit of open files or a missing right keeps from being read is not told to be another file.
#[test]
fn a_bundle_that_cannot_be_opened_is_told_by_its_cause() {
    let _own = own_devices();
    let ground = Ground::new();
    fs::set_permissions(ground.dir.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let program = public_binary(ground.dir.path());
    let lines = [
        "report NAME",
        "compare NAME one",
        "compare one NAME",
        "baseline save other NAME --baselines-dir others",
        "suite tables NAME NAME",
    ];
    for name in ["one.fathom.tar.gz", "sent"] {
        fs::rename(ground.at("one.fathom.tar.gz"), ground.at(name)).unwrap();
        let mut limited = BTreeSet::new();
        for line in lines.map(|line| line.replace("NAME", name)) {
            for files in 4..=7 {
                let (command, words) = line.split_once(' ').unwrap();
                let output = ground.limited(&format!("ulimit -n {files}"), command, words);
                let said = text(&output);
                assert!(!said.contains("no bundle"), "{files} files: fathom {line}: {said}");
                if said.contains(&format!("cannot read {name}: Too many open files")) {
                    assert_eq!(output.status.code(), Some(1), "{files} files: fathom {line}: {said}");
                    assert!(said.contains("hint: ulimit -n is"), "{files} files: fathom {line}: {said}");
                    limited.insert(command.to_owned());
                }
            }
        }
        let expected = ["baseline", "compare", "report", "suite"].map(str::to_owned);
        assert!(limited.is_superset(&BTreeSet::from(expected)), "{limited:?}");
        fs::set_permissions(ground.at(name), fs::Permissions::from_mode(0o600)).unwrap();
        for line in lines.map(|line| line.replace("NAME", name)) {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program);
            command.args(line.split(' ')).current_dir(ground.dir.path()).env("FATHOM_INDEX", "");
            let output = command.output().unwrap();
            let said = text(&output);
            assert_eq!(output.status.code(), Some(1), "{line}: {said}");
            assert!(said.contains(&format!("cannot read {name}: Permission denied")), "{line}: {said}");
            assert!(said.contains("hint: run fathom as a user who may read it"), "{line}: {said}");
        }
        fs::rename(ground.at(name), ground.at("one.fathom.tar.gz")).unwrap();
    }
}

/// A results directory of a few pages: the answer, or why there is none.
#[test]
fn a_full_results_directory_is_told() {
    let _own = own_devices();
    let ground = Ground::new();
    let mut wrong = Vec::new();
    for kib in [4, 12, 28, 60] {
        let full = ground.at("full");
        fs::create_dir_all(&full).unwrap();
        must(Command::new("mount").args(["-t", "tmpfs", "-o", &format!("size={kib}k"), "tmpfs"]).arg(&full));
        let mounted = Mount { path: full };
        for line in [
            "run -q --no-calibrate j.fio --runs-dir full",
            "run --no-calibrate --html s.fio --runs-dir full",
            "run -q --repeat 2 j.fio --runs-dir full",
            "quick target --seconds 1 -q --no-calibrate --runs-dir full",
            "sweep -q s.fio --vary iodepth=1,2 --runs-dir full",
            "report one --output-format html -o full/page.html",
            "bundle one -o full/one.fathom.tar.gz",
            "baseline save new sim --baselines-dir full/kept",
        ] {
            let (command, words) = line.split_once(' ').unwrap();
            let output = ground.limited("true", command, words);
            if let Err(why) = ends_with_words(&output) {
                wrong.push(format!("{kib} KiB: fathom {line}: {why}"));
            }
        }
        drop(mounted);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What was measured is printed where it cannot be saved, and the cause is named: nobody interrupted it. Files are named by paths that a
/// person knows.
#[test]
fn what_there_is_no_room_for_is_printed() {
    let _own = own_devices();
    let ground = Ground::new();
    fs::write(ground.at("w.fio"), "[w]\nioengine=psync\nrw=write\nsize=64k\nfilename=target\n").unwrap();
    let mut causes = BTreeSet::new();
    for kib in (24..=72).step_by(8) {
        let full = ground.at("full");
        fs::create_dir_all(&full).unwrap();
        must(Command::new("mount").args(["-t", "tmpfs", "-o", &format!("size={kib}k"), "tmpfs"]).arg(&full));
        let mounted = Mount { path: full };
        for (words, output_dir) in [
            ("run -q --no-calibrate w.fio", "full/w"),
            ("run -q --repeat 2 s.fio", "full/r"),
            ("sweep -q s.fio --vary iodepth=1,2", "full/s"),
        ] {
            let (command, words) = words.split_once(' ').unwrap();
            let output = ground.limited("true", command, &format!("{words} --output-dir {output_dir}"));
            let (out, said) = (String::from_utf8_lossy(&output.stdout), text(&output));
            assert!(!said.contains("/proc/self/fd") && !said.contains("interrupted"), "{kib} KiB: {said}");
            let of = ["could not be saved: ", "cannot save the conclusion in "];
            for cause in of.iter().filter(|cause| said.contains(**cause)) {
                assert!(said.contains("No space left on device"), "{kib} KiB: {said}");
                causes.insert(*cause);
            }
            let is_broken_off = of.iter().any(|cause| said.contains(cause));
            let has_figures = out.contains("IOPS") && out.contains("683");
            assert!(!is_broken_off || has_figures && output.status.code() == Some(7), "{kib} KiB: {said}");
        }
        drop(mounted);
        for dir in ["w", "r", "s"] {
            assert!(!ground.at("full").join(dir).exists());
        }
    }
    assert_eq!(causes.len(), 2, "{causes:?}");
}
