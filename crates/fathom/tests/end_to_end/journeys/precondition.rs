//! `fathom precondition`: the whole device, its odd end too, with proof, and on after kills.

use crate::support::{Loop, Mount, fathom, json, own_devices, sh, text};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const REFUSED: i32 = 3;
const FAILED: i32 = 4;
const USAGE: i32 = 2;
const NOT_VALID: i32 = 5;

/// No multiple of 4 KiB or of the block of the passes.
const ODD_SIZE: u64 = (24 << 20) + 3 * 512;
/// Rounds of two passes: sixteen portions and the odd end.
const ROUNDS: usize = 34;
const KILLS: u64 = 20;

fn odd(dir: &Path) -> Loop {
    let backing = dir.join("img");
    fs::File::create(&backing).unwrap().set_len(ODD_SIZE).unwrap();
    Loop::over(&backing, ODD_SIZE)
}

fn command(dir: &Path, words: &[&str]) -> Command {
    let mut command = fathom(dir);
    command.args(["precondition", "-q"]).args(words);
    command
}

fn precondition(dir: &Path, words: &[&str]) -> Output {
    command(dir, words).output().unwrap()
}

/// Sectors of 512 bytes that hold only zeros, and blocks of 4 KiB that are equal to another one.
fn empty_and_equal(path: &Path) -> (usize, usize) {
    let bytes = fs::read(path).unwrap();
    let empty = bytes.chunks(512).filter(|sector| sector.iter().all(|&byte| byte == 0)).count();
    // To hash them takes seconds without optimisation, and to compare them none.
    let blocks: BTreeSet<&[u8]> = bytes.chunks(4096).collect();
    (empty, bytes.len().div_ceil(4096) - blocks.len())
}

/// A proof that fails shows that the note of what was written is wrong, so a repeat writes again.
#[test]
fn after_a_proof_that_failed_a_repeat_writes_again() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disk = odd(dir.path());
    let consent = disk.consent();
    let words = [disk.device.as_str(), "--write", &consent];
    let output = precondition(dir.path(), &words);
    assert!(output.status.success(), "{}", text(&output));
    // Beneath the device, where neither drive nor kernel counts it.
    sh("sync", &disk.device);
    let backing = fs::File::options().write(true).open(&disk.backing).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&backing, &vec![0; ODD_SIZE as usize], 0).unwrap();
    backing.sync_all().unwrap();
    sh("blockdev", &format!("--flushbufs {}", disk.device));
    let said: Vec<Output> = (0..2).map(|_| precondition(dir.path(), &words)).collect();
    assert!(said[1].status.success(), "{}{}", text(&said[0]), text(&said[1]));
    sh("sync", &disk.device);
    assert_eq!(empty_and_equal(&disk.backing), (0, 0));
}

#[test]
fn every_byte_is_written_and_nothing_compresses() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disk = odd(dir.path());
    let output = precondition(dir.path(), &[&disk.device]);
    assert_eq!(output.status.code(), Some(REFUSED), "{}", text(&output));
    assert_eq!(empty_and_equal(&disk.backing).0, ODD_SIZE as usize / 512, "nothing was written");
    let output = precondition(dir.path(), &[&disk.device, "--write", &disk.consent()]);
    assert!(output.status.success(), "{}", text(&output));
    let told = text(&output);
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("were written in order 2 times, in blocks of 128 KiB."), "{told}");
    assert!(told.contains("no sector is empty, and all data looks random."), "{told}");
    sh("sync", &disk.device);
    assert_eq!(empty_and_equal(&disk.backing), (0, 0));
    let packed =
        Command::new("zstd").args(["-q", "-3", "--long=27", "-c"]).arg(&disk.backing).output().unwrap();
    assert!(packed.stdout.len() as u64 >= ODD_SIZE, "{} of {ODD_SIZE} bytes", packed.stdout.len());
}

/// A device has several names, and jobs of one run may have it by different ones.
#[test]
fn what_is_trimmed_by_another_name_of_the_device_is_not_taken_for_written() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disk = odd(dir.path());
    let (device, consent) = (disk.device.as_str(), disk.consent());
    let output = precondition(dir.path(), &[device, "--passes", "1", "--write", &consent]);
    assert!(output.status.success(), "{}", text(&output));
    let plan = || text(&precondition(dir.path(), &[device, "--plan"]));
    assert!(plan().contains("17 rounds"), "one pass of two is left: {}", plan());

    std::os::unix::fs::symlink(device, dir.path().join("alias")).unwrap();
    let jobs = format!(
        "[global]\ndirect=1\n[written]\nfilename={device}\nrw=write\nbs=4k\nsize=4k\n\
         [trimmed]\nstonewall\nfilename=alias\nrw=trim\nbs=64k\nsize=1m\n"
    );
    fs::write(dir.path().join("two.fio"), jobs).unwrap();
    let output = fathom(dir.path()).args(["run", "two.fio", "--destroy", &consent]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    assert!(plan().contains("34 rounds"), "{}", plan());
}

/// What was written is known until something else writes.
#[test]
fn what_is_written_is_not_written_again() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disk = odd(dir.path());
    let write = ["--destroy", &disk.consent()];
    let passes = |words: &[&str]| {
        let output = precondition(dir.path(), &[&[disk.device.as_str()][..], words, &write].concat());
        assert!(output.status.success(), "{}", text(&output));
        // Without the breaks of its lines.
        text(&output).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(passes(&["--passes", "1"]).contains("17 of 17 rounds"));
    let plan = |words: &[&str]| {
        text(&precondition(dir.path(), &[&[disk.device.as_str(), "--plan"][..], words].concat()))
    };
    assert!(plan(&[]).contains("17 rounds"), "one pass is left: {}", plan(&[]));
    assert!(passes(&[]).contains("1 time, in blocks of 128 KiB after 1 pass of earlier runs"));
    assert!(plan(&[]).contains("0 rounds"), "{}", plan(&[]));
    assert!(passes(&[]).contains(
        "written in order 2 times by earlier runs, and nothing but fathom has written there since"
    ));
    assert!(plan(&["--offset", "1m", "--size", "2m"]).contains("0 rounds"));

    let reads = "[r]\nrw=randread\nbs=4k\ndirect=1\nruntime=1\ntime_based=1\n";
    fs::write(dir.path().join("reads.fio"), reads).unwrap();
    let remarks = || {
        text(
            &fathom(dir.path())
                .args(["run", "--plan", "reads.fio", "--target", &disk.device])
                .output()
                .unwrap(),
        )
    };
    assert!(!remarks().contains("[V-23]"), "{}", remarks());
    sh("dd", &format!("if=/dev/urandom of={} bs=4k count=1 oflag=direct status=none", disk.device));
    assert!(plan(&[]).contains("34 rounds"), "{}", plan(&[]));
    assert!(plan(&[]).contains("something else has written or discarded 4.10 kB since"), "{}", plan(&[]));
    assert!(remarks().contains("[V-23]") && remarks().contains("fathom precondition"), "{}", remarks());

    // What changes the file behind the device is counted nowhere.
    assert!(passes(&[]).contains("2 times"));
    assert!(plan(&[]).contains("0 rounds"), "{}", plan(&[]));
    sh("fallocate", &format!("--punch-hole --offset 4MiB --length 4KiB {}", disk.backing.display()));
    let holed = plan(&[]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        holed.contains("34 rounds") && holed.contains("file behind the loop device was changed"),
        "{holed}"
    );

    // The next note on a loop device removes those on files that are gone.
    let notes =
        || fs::read_dir("/run/fathom/coverage").unwrap().map(|note| fs::read_to_string(note.unwrap().path()));
    let is_noted = |backing: &Path| notes().flatten().any(|note| note.contains(backing.to_str().unwrap()));
    assert!(is_noted(&disk.backing));
    let backing = disk.backing.clone();
    drop(disk);
    fs::remove_file(&backing).unwrap();
    let other = tempfile::tempdir().unwrap();
    let disk = odd(other.path());
    let output = precondition(other.path(), &[&disk.device, "--passes", "1", "--write", &disk.consent()]);
    assert!(output.status.success(), "{}", text(&output));
    assert!(!is_noted(&backing) && is_noted(&disk.backing));
}

/// The directories of the rounds that ended, with the checksums of their records.
fn ended(saved: &Path) -> BTreeMap<String, String> {
    let history = fs::read_to_string(saved.join("history")).unwrap_or_default();
    let lines = history.lines().skip(1).filter(|line| line.ends_with('}'));
    let steps: Vec<Value> = lines.map(|line| json(&line[9..])).collect();
    let rounds = steps.iter().filter(|step| step["step"] == "round");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    rounds.map(|round| (text(&round["directory"]), text(&round["record_crc32"]))).collect()
}

#[test]
fn after_twenty_kills_no_finished_range_is_written_again() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disk = odd(dir.path());
    let saved = dir.path().join("saved");
    // From the first round on, the device is no longer blank.
    let destroy = ["--destroy", &disk.consent()];
    let mut known = BTreeMap::new();
    for kill in 0..KILLS {
        let mut command = match kill {
            0 => command(dir.path(), &[&disk.device, "--output-dir", "saved"]),
            _ => fathom(dir.path()),
        };
        if kill > 0 {
            command.args(["resume", "-q", "saved"]);
        }
        let messages = dir.path().join("messages");
        let mut child = command
            .args(destroy)
            .stdout(Stdio::null())
            .stderr(fs::File::create(&messages).unwrap())
            .spawn()
            .unwrap();
        // At another moment of a round each time.
        while ended(&saved).len() == known.len() {
            let why = || fs::read_to_string(&messages).unwrap();
            assert!(child.try_wait().unwrap().is_none(), "it ended before kill {kill}: {}", why());
            std::thread::sleep(Duration::from_millis(2));
        }
        std::thread::sleep(Duration::from_millis(7 * (kill % 6)));
        child.kill().unwrap();
        child.wait().unwrap();
        let now = ended(&saved);
        for (round, checksum) in &known {
            assert_eq!(now.get(round), Some(checksum), "round {round} after kill {kill}");
        }
        known = now;
    }
    assert!(known.len() < ROUNDS, "the kills came too late");
    let output = fathom(dir.path()).args(["resume", "-q", "saved"]).args(destroy).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    assert!(text(&output).contains("written in order 2 times"), "{}", text(&output));
    let rounds = ended(&saved);
    assert_eq!(rounds.len(), ROUNDS);
    assert!(known.iter().all(|(round, checksum)| rounds.get(round) == Some(checksum)));
    sh("sync", &disk.device);
    assert_eq!(empty_and_equal(&disk.backing), (0, 0));
}

/// The space behind the device ends before the device does, as when a drive stops to write.
#[test]
fn a_device_that_fails_while_it_is_filled_ends_with_the_failure() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let space = Mount::on("-t tmpfs -o size=12m none", &dir.path().join("space"));
    let disk = Loop::blank(&space.path, 32);
    let failed = |words: &[&str]| {
        let output =
            fathom(dir.path()).args(words).args(["-q", "--destroy", &disk.consent()]).output().unwrap();
        let told = text(&output);
        assert_eq!(output.status.code(), Some(FAILED), "{told}");
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        let headline = format!("{} failed ", words[0]);
        assert!(told.contains(&headline) && told.contains("No space left on device"), "{told}");
        assert!(told.contains(" next fathom devices "), "{told}");
        assert!(!told.contains("looks random") && !told.contains("no I/O failed"), "{told}");
        let latest = text(&fathom(dir.path()).args(["report", "latest"]).output().unwrap());
        assert!(latest.contains(&format!("\n{}  failed", words[0])), "{latest}");
    };
    failed(&["precondition", &disk.device]);
    failed(&["pts", "lat", "--target", &disk.device, "--scale", "600", "--no-purge"]);
    let page = dir.path().join("page.html");
    let output = fathom(dir.path()).args(["report", "latest", "-o"]).arg(&page).output().unwrap();
    assert_eq!(output.status.code(), Some(7), "the page is made, of what failed: {}", text(&output));
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("No space left on device"), "the report of the standard tells it");
}

#[test]
fn a_range_that_does_not_fit_is_an_error_and_nothing_is_written() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disk = odd(dir.path());
    let device = disk.device.as_str();
    for (words, said) in [
        (&["no-such-file"][..], "no-such-file does not exist, so --size must say how large it is to be"),
        (&["/dev/no-such-disk"], "is no device and no file"),
        (&["."], ". is a directory"),
        (&[device, "--block", "0"], "--block 0: give a size such as 4k"),
        (&[device, "--block", "513"], "it must be a multiple of 512"),
        (&[device, "--block", "64m"], "the range has only"),
        (&[device, "--random", "0"], "--random 0: give a size such as 4k"),
        (&[device, "--passes", "0"], "--passes 0 writes nothing: give --random too"),
        (&[device, "--samples", "0"], "--samples"),
        (&[device, "--size", "0"], "--size 0: give the length of the range"),
        (&[device, "--random", "4k", "--for", "2h", "--at-most", "1h"], "--for is longer than --at-most"),
        (&["new", "--size", "900t"], "are free there"),
        (&[device, "--offset", "32m"], "nothing is left after --offset"),
        (&[device, "--offset", "1m", "--size", "24m"], "the range ends beyond that"),
        (&[device, "--size", "1000"], "must be multiples of 512"),
        (&[device, "--random", "64m"], "the range has only"),
        (&[device, "--block", "x"], "--block x: give a size such as 512m or 1g"),
        (&[device, "--for", "1h"], "--random"),
        (&["sim:no-such-drive"], "sim:no-such-drive cannot be simulated"),
    ] {
        let output = precondition(dir.path(), words);
        assert_eq!(output.status.code(), Some(USAGE), "{words:?}: {}", text(&output));
        assert!(text(&output).contains(said), "{words:?}: {}", text(&output));
    }
    assert_eq!(empty_and_equal(&disk.backing).0, ODD_SIZE as usize / 512);
    let names: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["img"]);
}

/// A new file has the size that was asked for to the last byte.
#[test]
fn a_file_is_written_to_its_last_byte() {
    let dir = tempfile::tempdir().unwrap();
    let output = precondition(dir.path(), &["new", "--size", "3000001", "--passes", "1"]);
    assert!(output.status.success(), "{}", text(&output));
    assert!(text(&output).contains("every byte (3.00 MB) was read"), "{}", text(&output));
    let file = dir.path().join("new");
    assert_eq!((fs::metadata(&file).unwrap().len(), empty_and_equal(&file)), (3_000_001, (0, 0)));
}

/// Random writes fall on a simulated drive, and twenty minutes of them are too few to settle.
#[test]
fn a_simulated_drive_shows_its_transition() {
    let dir = tempfile::tempdir().unwrap();
    let random = ["--random", "16k", "--until", "confident=5%", "--at-most", "20m", "--passes", "1"];
    let output = precondition(dir.path(), &[&["sim:datacentre/4096", "--json"][..], &random].concat());
    assert_eq!(output.status.code(), Some(NOT_VALID), "{}", text(&output));
    let report = fathom(dir.path()).args(["report", "--json"]).output().unwrap();
    assert_eq!(report.status.code(), Some(NOT_VALID), "{}", text(&report));
    let document = json(std::str::from_utf8(&output.stdout).unwrap());
    let verdict = document["verdict"].to_string();
    for reason in ["nothing-read-back", "not-settled"] {
        assert!(verdict.contains(&format!("\"why\":\"{reason}\"")), "{verdict}");
    }
    let rounds = document["steps"].as_array().unwrap().iter().filter(|step| step["cell"] == "random-16384");
    let rates: Vec<f64> = rounds.map(|round| round["whole"]["iops"].as_f64().unwrap()).collect();
    assert_eq!(rates.len(), 20);
    assert!(rates[19] < 0.7 * rates[0], "{rates:?}");
}

/// A bare drive in warm air slows itself down from the first pass on. The report of its rates says that.
#[test]
fn a_drive_that_throttles_has_no_rate_that_looks_good() {
    let dir = tempfile::tempdir().unwrap();
    let random = ["--passes", "1", "--random", "64k", "--at-most", "10m"];
    let output = precondition(dir.path(), &[&["sim:thermal/8192"][..], &random].concat());
    // In ten minutes it wrote less than half of the range.
    assert_eq!(output.status.code(), Some(NOT_VALID), "{}", text(&output));
    let told = text(&output);
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    let limit = |label: &str| {
        let from = told.find(label).unwrap_or_else(|| panic!("{label}: {told}"));
        let until = told[from..].find(" rounds").unwrap_or_else(|| panic!("{label}: {told}"));
        told[from..from + until].to_owned()
    };
    for label in ["pass 1: ", "random 64 KiB: "] {
        assert!(limit(label).contains("; too hot in "), "{label}: {told}");
    }
    assert!(told.contains("rounds: The drive slowed itself down because of heat"), "{told}");
    let cool = text(&precondition(dir.path(), &["sim:consumer/8192", "--passes", "1"]));
    assert!(!cool.contains("too hot"), "{cool}");
}

#[test]
fn a_rehearsal_writes_nothing_and_forecasts_time_writes_and_wear() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let (backing, size) = (dir.path().join("img"), 64 << 30);
    fs::File::create(&backing).unwrap().set_len(size).unwrap();
    let disk = Loop::over(&backing, size);
    let output = precondition(dir.path(), &[&disk.device, "--rehearse=consumer"]);
    assert!(output.status.success(), "{}", text(&output));
    let told = text(&output);
    assert!(told.contains("sim:consumer/4,size=65536m,slc_fixed=393m,slc_dynamic=7077m"), "{told}");
    // Twice 64 GiB; some models keep a part of a mapping unit less.
    assert!(told.contains("137 GB by the host (2.0 fills)"), "{told}");
    assert!(told.contains("0.33 % of the 600 fills"), "{told}");
    use std::os::unix::fs::MetadataExt;
    assert_eq!(fs::metadata(&backing).unwrap().blocks(), 0, "the device was written");

    let wrong = precondition(dir.path(), &[&disk.device, "--rehearse=fast"]);
    assert_eq!(wrong.status.code(), Some(USAGE), "{}", text(&wrong));
    let twice = precondition(dir.path(), &["sim:consumer/1024", "--rehearse"]);
    assert_eq!(twice.status.code(), Some(USAGE), "{}", text(&twice));
}
