//! Procedures that were interrupted, and go on where they stopped.

use crate::support::procedure::{half_of, write_record};
use crate::support::{fathom, json, must, text};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Rounds and kills of the test with kills. `FATHOM_ROUNDS=200 FATHOM_KILLS=50` makes it longer.
fn number(name: &str, usual: u32) -> u32 {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap())
}

/// Jobs in virtual time, whose every round is the same byte for byte wherever it is measured.
const VIRTUAL: &str = "[global]\nioengine=oracle\noracle_clock=virtual\noracle_latency=lognormal:80us:0.5\nrw=randrw\nbs=4k\n\
                       size=1g\nnumber_ios=300\n[one]\n[two]\nnumjobs=2\n";

/// Jobs on the null engine.
const NULL: &str = "[n]\nioengine=null\nrw=randread\nbs=4k\nsize=1g\nnumber_ios=2000\n";

pub(super) fn job(dir: &Path, text: &str) {
    fs::write(dir.join("j.fio"), text).unwrap();
}

pub(super) fn begin(dir: &Path, out: &str, rounds: u32) -> Command {
    let mut command = fathom(dir);
    command.args(["run", "-q", "j.fio", "--seed", "7", "--output-dir", out, "--repeat", &rounds.to_string()]);
    command
}

pub(super) fn output(command: &mut Command, code: i32) -> Output {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{command:?}: {}", text(&output));
    output
}

/// The output on stderr and stdout of `fathom resume`, which ends with this code.
pub(super) fn resumed(dir: &Path, words: &[&str], code: i32) -> String {
    text(&output(fathom(dir).args(["resume", "-q"]).args(words), code))
}

/// The rounds of a procedure by name, and the directories of rounds that were cut short.
fn rounds(dir: &Path) -> (BTreeMap<String, PathBuf>, usize) {
    let entries = fs::read_dir(dir.join("rounds")).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    let (cut, whole): (Vec<PathBuf>, Vec<PathBuf>) =
        entries.filter(|path| !name(path).starts_with('.')).partition(|path| name(path).contains(".cut-"));
    (whole.into_iter().map(|path| (name(&path), path)).collect(), cut.len())
}

/// The lines of a history, without their checksums.
fn history(dir: &Path) -> Vec<Value> {
    let text = fs::read_to_string(dir.join("history")).unwrap();
    text.lines().skip(1).map(|line| json(&line[9..])).collect()
}

/// How long a procedure takes that nobody disturbs: until it has its directory, and in all.
fn undisturbed(dir: &Path, rounds: u32) -> (Duration, Duration) {
    let begun = Instant::now();
    let mut child = begin(dir, "whole", rounds).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut until_begun = None;
    while child.try_wait().unwrap().is_none() {
        if dir.join("whole/procedure.json").exists() {
            until_begun.get_or_insert_with(|| begun.elapsed());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(child.wait().unwrap().success());
    (until_begun.unwrap_or(begun.elapsed()), begun.elapsed())
}

/// Begins a procedure, and kills it again and again at other moments until it is complete. A quarter
/// of the moments are before it measures; the others let it measure a few rounds. Returns how often it
/// was killed.
fn under_kills(dir: &Path, rounds: u32, kills: u32, (start, all): (Duration, Duration)) -> u32 {
    let stretch = (all - start) * 2 / kills + Duration::from_millis(10);
    let mut random = 12_345_u64;
    let mut killed = 0;
    loop {
        let is_begun = dir.join("cut/procedure.json").exists();
        let mut command = if is_begun { fathom(dir) } else { begin(dir, "cut", rounds) };
        if is_begun {
            command.args(["resume", "-q", "./cut"]);
        }
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        if killed < kills {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let share = (random >> 40) as f64 / f64::from(1 << 24);
            std::thread::sleep(match killed % 4 {
                3 => start.mul_f64(share),
                _ => start + stretch.mul_f64(share),
            });
            child.kill().unwrap();
        }
        let ended = child.wait_with_output().unwrap();
        match ended.status.code() {
            Some(0) => return killed,
            None => killed += 1,
            // The kill before came after the last round was sealed, and before the process had ended.
            Some(_) if text(&ended).contains("is complete; there is nothing to resume") => return killed,
            Some(_) => panic!("{}", text(&ended)),
        }
    }
}

#[test]
fn killed_at_any_moment_it_ends_with_every_round_once() {
    let (count, kills) = (number("FATHOM_ROUNDS", 40), number("FATHOM_KILLS", 12));
    for jobs in [VIRTUAL, NULL] {
        let dir = tempfile::tempdir().unwrap();
        job(dir.path(), jobs);
        let times = undisturbed(dir.path(), count);
        let killed = under_kills(dir.path(), count, kills, times);
        assert!(killed > kills / 4, "only {killed} kills of {kills} came before its end");
        let (whole, cut) = (dir.path().join("whole"), dir.path().join("cut"));
        let steps = history(&cut);
        assert_eq!(steps.len(), count as usize);
        assert!(steps.iter().zip(0..).all(|(step, n)| step["number"] == n), "each round once, in order");
        assert!(steps.last().unwrap()["sitting"].as_u64() > Some(0));
        let (expected, found) = (rounds(&whole).0, rounds(&cut).0);
        assert!(expected.keys().eq(found.keys()));
        for (name, whole) in &expected {
            let record = |dir: &Path| json(&fs::read_to_string(dir.join("run.json")).unwrap());
            let (whole_record, cut_record) = (record(whole), record(&found[name]));
            for same in ["id", "plan", "name"] {
                assert_eq!(whole_record[same], cut_record[same], "{name}: {same}");
            }
            if jobs == VIRTUAL {
                let spool = |dir: &Path| fs::read(dir.join("spool")).unwrap();
                assert!(spool(whole) == spool(&found[name]), "{name}: the spools differ");
                assert_eq!(whole_record["verdict"], cut_record["verdict"]);
            }
        }
        let verdict = |out: &str| {
            let record = json(&fs::read_to_string(dir.path().join(out).join("procedure.json")).unwrap());
            record["conclusion"]["verdict"].clone()
        };
        if jobs == VIRTUAL {
            assert_eq!(verdict("whole"), verdict("cut"));
        }
        must(fathom(dir.path()).args(["report", "--rejudge", "cut"]));
    }
}

#[test]
fn rounds_have_random_numbers_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path(), NULL);
    must(&mut begin(dir.path(), "a", 3));
    must(begin(dir.path(), "b", 3).args(["--set", "bs=4k"]));
    let seeds = |out: &str| -> Vec<Value> {
        let (rounds, _) = rounds(&dir.path().join(out));
        let record = |dir: &PathBuf| json(&fs::read_to_string(dir.join("run.json")).unwrap());
        rounds
            .values()
            .map(|dir| record(dir)["plan"]["jobs"][0]["job"]["options"]["randseed"]["text"].clone())
            .collect()
    };
    let (a, b) = (seeds("a"), seeds("b"));
    assert!(a[0].is_string() && a[0] != a[1] && a[1] != a[2], "{a:?}");
    assert_eq!(a, b, "the same seed gives the same numbers");
}

/// A procedure with two of three rounds, as a kill leaves it.
fn half(dir: &Path) -> PathBuf {
    job(dir, NULL);
    must(&mut begin(dir, "whole", 3));
    let half = dir.join("half");
    half_of(&dir.join("whole"), &half);
    half
}

/// A simulated drive ends with its process: its rounds would go on with an empty one.
#[test]
fn a_simulated_drive_is_gone_after_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path(), "[w]\nrw=randwrite\nbs=4k\nruntime=1s\ntime_based=1\nfilename=sim:datacentre/4096\n");
    must(&mut begin(dir.path(), "whole", 3));
    half_of(&dir.path().join("whole"), &dir.path().join("half"));
    let said = resumed(dir.path(), &["half"], 3);
    assert!(said.contains("begins again as a new drive") && said.contains("--anyway"), "{said}");
    resumed(dir.path(), &["half", "--anyway"], 0);
}

/// Everything in a directory, to see that nothing was touched.
fn content(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let found = must(Command::new("find").arg(dir).args(["-type", "f"]));
    found.lines().map(|path| (path.into(), fs::read(path).unwrap())).collect()
}

#[test]
fn it_goes_on_after_the_last_round() {
    let dir = tempfile::tempdir().unwrap();
    let half = half(dir.path());
    let report = text(&output(fathom(dir.path()).args(["report", "half"]), 7));
    assert!(report.contains("2 of 3 rounds") && report.contains("fathom resume "), "{report}");
    let labels = ["jobs     ", "target   ", "result   ", "trust    ", "next     fathom resume "];
    for label in labels {
        assert_eq!(report.matches(&format!("\n{label}")).count(), 1, "{label}: {report}");
    }
    let details = text(&output(fathom(dir.path()).args(["report", "--details", "half"]), 7));
    let details = details.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(details.contains("after 2 of 3 rounds: ") && details.contains("In 2 of 2 rounds: "), "{details}");
    let said = resumed(dir.path(), &["half"], 0);
    assert!(said.contains("2 of 3 rounds are measured") && said.contains("\n  all  "), "{said}");
    assert!(must(fathom(dir.path()).args(["report", "half"])).contains("resumed once"));
    // What is complete is not touched.
    let before = content(&half);
    let said = resumed(dir.path(), &["half"], 3);
    assert!(said.contains("is complete; there is nothing to resume"), "{said}");
    assert_eq!(content(&half), before);
}

#[test]
fn what_was_damaged_or_changed_is_told_and_not_touched() {
    type Damage = fn(&Path);
    let record = |dir: &Path| json(&fs::read_to_string(dir.join("procedure.json")).unwrap());
    let cases: [(&str, i32, &str, Damage); 9] = [
        ("another version", 3, "has format 99; this fathom reads up to 1", |dir| {
            let mut record = json(&fs::read_to_string(dir.join("procedure.json")).unwrap());
            record["format"] = 99.into();
            write_record(dir, &mut record);
        }),
        ("a changed record", 7, "it was changed after it was saved", |dir| {
            let text = fs::read_to_string(dir.join("procedure.json")).unwrap();
            fs::write(dir.join("procedure.json"), text.replace("\"seed\":7", "\"seed\":8")).unwrap();
        }),
        ("a cut record", 7, "is not the record of a procedure", |dir| {
            let text = fs::read_to_string(dir.join("procedure.json")).unwrap();
            fs::write(dir.join("procedure.json"), &text[..text.len() / 2]).unwrap();
        }),
        ("a round that is missing", 7, "round 0002-repeat cannot be read", |dir| {
            fs::remove_dir_all(dir.join("rounds/0002-repeat")).unwrap();
        }),
        ("a round of another procedure", 7, "round 0002-repeat", |dir| {
            fs::remove_dir_all(dir.join("rounds/0002-repeat")).unwrap();
            must(
                Command::new("cp")
                    .arg("-r")
                    .args([dir.join("rounds/0001-repeat"), dir.join("rounds/0002-repeat")]),
            );
        }),
        ("a changed history", 7, "the history is damaged: the checksum of a line is wrong", |dir| {
            let text = fs::read_to_string(dir.join("history")).unwrap();
            fs::write(dir.join("history"), text.replace("\"sitting\":0", "\"sitting\":9")).unwrap();
        }),
        ("no history", 7, "the history is damaged: it is missing", |dir| {
            fs::remove_file(dir.join("history")).unwrap();
        }),
        ("another machine", 3, "the machine was elsewhere and is", |dir| {
            other_fact(dir, "hostname", "elsewhere")
        }),
        ("another kernel", 3, "the kernel was 2.6.32 and is", |dir| other_fact(dir, "kernel", "2.6.32")),
    ];
    for (name, code, expected, damage) in cases {
        let dir = tempfile::tempdir().unwrap();
        let half = half(dir.path());
        assert_eq!(record(&half)["seed"], 7);
        damage(&half);
        let before = content(&half);
        let said = resumed(dir.path(), &["half"], code);
        assert!(said.contains(expected), "{name}: {said}");
        assert_eq!(content(&half), before, "{name}");
        if code == 3 && name != "another version" {
            assert!(said.contains("--anyway"), "{said}");
            resumed(dir.path(), &["half", "--anyway"], 0);
            // What was accepted stays with the procedure.
            let kept = &record(&half)["resumed"][0];
            assert!(kept["sitting"] == 1 && kept["differences"].to_string().contains(expected), "{kept}");
        }
    }
}

fn other_fact(dir: &Path, name: &str, value: &str) {
    let mut record = json(&fs::read_to_string(dir.join("procedure.json")).unwrap());
    let facts = record["shared"]["host"].as_array_mut().unwrap();
    facts.iter_mut().find(|fact| fact["name"] == name).unwrap()["value"] = value.into();
    write_record(dir, &mut record);
}

/// Writes the history again with changed steps, and with the right checksums.
fn forge(dir: &Path, change: impl Fn(&mut Value)) {
    let history = fs::read_to_string(dir.join("history")).unwrap();
    let mut crc = crc32fast::Hasher::new();
    let lines: Vec<String> = history
        .lines()
        .map(|line| {
            let mut content = json(&line[9..]);
            if content.get("step").is_some() {
                change(&mut content);
            }
            let content = content.to_string();
            crc.update(content.as_bytes());
            format!("{:08x} {content}\n", crc.clone().finalize())
        })
        .collect();
    fs::write(dir.join("history"), lines.concat()).unwrap();
}

#[test]
fn forged_steps_are_told() {
    type Forgery = fn(&mut Value);
    let cases: [(i32, &str, Forgery); 5] = [
        (3, "s before the end of the last step", |step| {
            step["ended_unix_ns"] = 9_000_000_000_000_000_000_u64.into();
        }),
        (3, "a step that this fathom does not know", |step| step["step"] = "teleport".into()),
        (7, "the figures of round 0001-repeat in the history are not those of its run", |step| {
            step["figures"][0]["iops"] = 1.7e308.into();
        }),
        (7, "cannot be read", |step| step["directory"] = "../../elsewhere".into()),
        (0, "3 of 3 rounds", |step| step["sitting"] = u32::MAX.into()),
    ];
    for (code, expected, forgery) in cases {
        let dir = tempfile::tempdir().unwrap();
        let half = half(dir.path());
        forge(&half, forgery);
        let said = resumed(dir.path(), &["half"], code);
        assert!(said.contains(expected), "{expected}: {said}");
    }
}

/// A round that was saved whole before the kill counts, but not a copy of another round.
#[test]
fn a_copy_of_a_round_is_not_another_round() {
    let dir = tempfile::tempdir().unwrap();
    let half = half(dir.path());
    let copy = [half.join("rounds/0001-repeat"), half.join("rounds/0003-repeat")];
    must(Command::new("cp").arg("-r").args(&copy));
    let said = resumed(dir.path(), &["half"], 0);
    assert!(said.contains("0003-repeat.cut-1"), "{said}");
    let id = |name: &str| json(&fs::read_to_string(half.join(name).join("run.json")).unwrap())["id"].clone();
    assert_ne!(id("rounds/0001-repeat"), id("rounds/0003-repeat"));
    must(Command::new("rm").arg("-r").arg(half.join("rounds/0003-repeat.cut-1")));
}

/// Numbers at the edge of what a job file can say.
#[test]
fn a_forecast_does_not_overflow() {
    let dir = tempfile::tempdir().unwrap();
    let huge = "[g]\nioengine=null\nrw=write\nsize=9223372036854775807\nnumjobs=4\n";
    let long = "[a]\nioengine=null\nrw=read\nsize=1m\ntime_based\nruntime=18446744073\n[b]\nstonewall\n\
                ioengine=null\nrw=read\nsize=1m\ntime_based\nruntime=18446744073\n";
    for text in [huge, long] {
        job(dir.path(), text);
        output(fathom(dir.path()).args(["run", "--plan", "--repeat", "3", "j.fio"]), 0);
    }
}

#[test]
fn a_line_that_was_cut_is_no_step() {
    let dir = tempfile::tempdir().unwrap();
    let half = half(dir.path());
    let whole = fs::read(half.join("history")).unwrap();
    let mut cut = whole.clone();
    cut.extend_from_slice(b"0123abcd {\"number\":2,\"sit");
    fs::write(half.join("history"), &cut).unwrap();
    resumed(dir.path(), &["half"], 0);
    let history = fs::read(half.join("history")).unwrap();
    assert!(history.starts_with(&whole) && !String::from_utf8_lossy(&history).contains("0123abcd"));
}

#[test]
fn one_driver_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path(), "[n]\nioengine=null\nrw=randread\nsize=1g\ntime_based\nruntime=60s\n");
    let mut first = begin(dir.path(), "p", 3).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    while !dir.path().join("p/rounds/0001-repeat/spool").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let said = resumed(dir.path(), &["p"], 3);
    assert!(said.contains("is running in another process"), "{said}");
    must(Command::new("kill").args(["-INT", &first.id().to_string()]));
    assert_eq!(first.wait().unwrap().code(), Some(130));
    let report = text(&output(fathom(dir.path()).args(["report", "p"]), 7));
    assert!(report.contains("0 of 3 rounds"), "{report}");
}

#[test]
fn an_interrupted_repetition_answers_with_the_rounds_that_are_complete() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path(), "[n]\nioengine=null\nrw=randread\nsize=1g\ntime_based\nruntime=1s\n");
    let mut command = begin(dir.path(), "p", 20);
    let first = command.stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    while !dir.path().join("p/rounds/0003-repeat/spool").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    must(Command::new("kill").args(["-INT", &first.id().to_string()]));
    let told = first.wait_with_output().unwrap();
    assert_eq!(told.status.code(), Some(130));
    let (page, said) = (String::from_utf8_lossy(&told.stdout), String::from_utf8_lossy(&told.stderr));
    for words in [
        "j  not finished",
        "2 of 20 rounds",
        "after 2 of 20 rounds: ",
        "\ntrust ",
        "0002-repeat",
        "fathom resume",
    ] {
        assert!(page.contains(words), "{words}: {page}{said}");
    }
    assert!(said.ends_with("To go on: fathom resume p\n"), "{said}");
}

/// A disk that is full between two rounds: what was measured is there, and it goes on once there is
/// room.
#[test]
fn a_full_disk_between_two_rounds_loses_nothing() {
    let _own = crate::support::own_devices();
    let dir = tempfile::tempdir().unwrap();
    let small = dir.path().join("small");
    fs::create_dir(&small).unwrap();
    crate::support::sh("mount", &format!("-t tmpfs -o size=192k tmpfs {}", small.display()));
    let mounted = crate::support::Mount { path: small.clone() };
    job(dir.path(), NULL);
    let ended = begin(dir.path(), "small/p", 40).output().unwrap();
    assert!(!ended.status.success() && ended.status.code().is_some(), "{}", text(&ended));
    let done = history(&small.join("p")).len();
    assert!(done > 0 && done < 40, "{done} rounds: {}", text(&ended));
    let report = text(&output(fathom(dir.path()).args(["report", "small/p"]), 7));
    assert!(report.contains(&format!("{done} of 40 rounds")), "{report}");
    crate::support::sh("mount", &format!("-o remount,size=8m {}", small.display()));
    resumed(dir.path(), &["small/p"], 0);
    assert_eq!(history(&small.join("p")).len(), 40);
    drop(mounted);
}

#[test]
fn nothing_that_was_saved_gives_consent() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("mine"), vec![7; 1 << 20]).unwrap();
    job(dir.path(), "[w]\nioengine=psync\nfilename=mine\nrw=write\nbs=4k\nsize=1m\n");
    output(&mut begin(dir.path(), "p", 2), 3);
    must(begin(dir.path(), "p2", 2).args(["--overwrite", "mine"]));
    let half = dir.path().join("p2");
    let mut record = json(&fs::read_to_string(half.join("procedure.json")).unwrap());
    record.as_object_mut().unwrap().retain(|key, _| key != "conclusion" && key != "seal");
    write_record(&half, &mut record);
    let lines = fs::read_to_string(half.join("history")).unwrap();
    let kept: Vec<&str> = lines.lines().take(2).collect();
    fs::write(half.join("history"), kept.join("\n") + "\n").unwrap();
    fs::remove_dir_all(half.join("rounds/0002-repeat")).unwrap();
    fs::write(dir.path().join("mine"), vec![9; 1 << 20]).unwrap();
    let resumes = || json(&fs::read_to_string(half.join("procedure.json")).unwrap())["resumes"].clone();
    let before = resumes();
    let said = resumed(dir.path(), &["p2"], 3);
    assert!(said.contains("mine"), "{said}");
    assert_eq!(resumes(), before, "what was refused interrupted nothing");
    assert_eq!(fs::read(dir.path().join("mine")).unwrap(), vec![9; 1 << 20]);
    resumed(dir.path(), &["p2", "--overwrite", "mine"], 0);
}

#[test]
fn a_run_is_not_resumed() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path(), NULL);
    must(fathom(dir.path()).args(["run", "-q", "j.fio", "--output-dir", "run"]));
    assert!(resumed(dir.path(), &["run"], 2).contains("it is a single run"));
    assert!(resumed(dir.path(), &["missing"], 2).contains("neither a directory nor the id"));
    assert!(resumed(dir.path(), &[], 2).contains("no interrupted procedure is saved"));
}

/// A procedure says what is written where, so another user's is not carried out without a word.
#[test]
fn a_procedure_of_another_user_is_told() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path(), NULL);
    must(&mut begin(dir.path(), "whole", 3));
    for (name, change, why) in [
        (
            "others",
            "chown 65534 others",
            "the procedure belongs to the user 65534, and fathom runs as the user 0",
        ),
        (
            "linked",
            "mv linked/rounds away && ln -s ../away linked/rounds",
            "cannot be resumed: round 0001-repeat",
        ),
    ] {
        half_of(&dir.path().join("whole"), &dir.path().join(name));
        must(Command::new("sh").args(["-c", change]).current_dir(dir.path()));
        let (code, before) = (if name == "others" { 3 } else { 7 }, content(&dir.path().join(name)));
        let said = resumed(dir.path(), &[name], code);
        assert!(said.contains(why), "{said}");
        assert_eq!(content(&dir.path().join(name)), before);
    }
    resumed(dir.path(), &["others", "--anyway"], 0);
}

#[test]
fn what_was_refused_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("mine"), vec![7; 1 << 20]).unwrap();
    job(dir.path(), "[w]\nioengine=psync\nfilename=mine\nrw=write\nbs=4k\nsize=1m\n");
    let mut command = fathom(dir.path());
    let said = text(&output(command.args(["run", "-q", "j.fio", "--repeat", "2"]), 3));
    assert!(said.contains("--overwrite mine") && !said.contains("resume"), "{said}");
    assert!(must(fathom(dir.path()).arg("runs")).contains("no runs are saved"));
    // Neither a run nor a procedure that is refused becomes the latest.
    let latest = || fs::read_link(dir.path().join("fathom-runs/latest")).ok();
    assert_eq!(latest(), None);
    fs::write(dir.path().join("n.fio"), NULL).unwrap();
    must(fathom(dir.path()).args(["run", "-q", "n.fio"]));
    let before = latest();
    for rounds in ["1", "2"] {
        output(fathom(dir.path()).args(["run", "-q", "j.fio", "--repeat", rounds]), 3);
        assert_eq!(latest(), before);
    }
    must(fathom(dir.path()).args(["report", "latest"]));
}

/// The doubts of the rounds are those of the procedure, and a list says what can be resumed.
#[test]
fn doubts_and_states_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let half = half(dir.path());
    let list = must(fathom(dir.path()).args(["runs", "--runs-dir", "."]));
    let line = list.lines().find(|line| line.contains("resumable")).expect(&list);
    assert!(line.contains("2 rounds measured"), "{list}");
    resumed(dir.path(), &["half"], 0);
    let said = must(fathom(dir.path()).args(["report", "--details", "half"]));
    assert!(said.contains("In 3 of 3 rounds: ") && said.contains("[few-samples]"), "{said}");
    let document = json(&must(fathom(dir.path()).args(["report", "half", "--output-format", "json"])));
    assert_eq!(document["steps"].as_array().unwrap().len(), 3);
    fs::write(half.join("rounds/0002-repeat/spool"), "cut").unwrap();
    let report = text(&output(fathom(dir.path()).args(["report", "half"]), 7));
    assert!(report.contains("is not shown, because") && !report.contains("\n  mean  "), "{report}");
    let again = text(&output(fathom(dir.path()).args(["report", "--rejudge", "half"]), 7));
    assert!(again.contains("cannot be judged again: round 0002-repeat"), "{again}");
}

#[test]
fn a_plan_says_what_all_rounds_take() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path(), "[w]\nioengine=null\nrw=write\nsize=1g\nbs=1m\n");
    let output = output(fathom(dir.path()).args(["run", "--plan", "--repeat", "5", "j.fio"]), 0);
    let said = text(&output);
    assert!(said.contains("5 rounds") && said.contains("5.37 GB written at most"), "{said}");
    assert!(!dir.path().join("fathom-runs").exists());
}
