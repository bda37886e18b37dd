//! Names of any bytes: they work, and none of them commands a terminal.

use crate::support::{fathom, must, text};
use fathom_text::carried;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What a hostile person would put into a name: colours, a bell, an 8-bit escape, a
/// change of direction, a return, a delete, and a line that looks like one of fathom.
const HOSTILE: &str = "h\u{1b}[31m\u{7}\u{9b}2J\u{202e}\u{2066}\r\u{7f}\nFORGED: all is well";

/// The same within a line of a file.
fn within_a_line() -> String {
    HOSTILE.replace(['\n', '\r'], "")
}

/// Checks that a command printed only lines of printable text.
fn assert_harmless(output: &Output, what: &str) {
    for said in [&output.stdout, &output.stderr] {
        let said = String::from_utf8(said.clone()).unwrap_or_else(|e| panic!("{what}: {e}"));
        let turns = |c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        let harmful = said.chars().find(|&c| (c.is_control() && c != '\n' && c != '\t') || turns(c));
        assert_eq!(harmful, None, "{what}: {said:?}");
        assert!(!said.lines().any(|line| line.starts_with("FORGED")), "{what}: {said}");
    }
    assert!(output.status.code().is_some_and(|code| code < 100), "{what}: {}", text(output));
}

fn bytes(name: &[u8]) -> OsString {
    OsString::from_vec(name.to_vec())
}

fn code(output: &Output, expected: i32) {
    assert_eq!(output.status.code(), Some(expected), "{}", text(output));
}

#[test]
fn arguments_and_paths_need_not_be_utf_8() {
    let outside = tempfile::tempdir().unwrap();
    let dir = outside.path().join(OsStr::from_bytes(b"dir\xff\n"));
    std::fs::create_dir(&dir).unwrap();
    let job = dir.join(OsStr::from_bytes(b"j\xfe.fio"));
    std::fs::write(dir.join("more"), b"filename=f\xfd\n").unwrap();
    std::fs::write(&job, b"[a\xfc]\nrw=write\nbs=4k\nsize=64k\nwrite_bw_log=l\xfb\ninclude more\n").unwrap();
    let typed: Vec<OsString> = ["run".into(), job.clone().into_os_string(), "--no-calibrate".into()].to_vec();
    let place = ["--output-dir".into(), bytes(b"out\xfa")];
    let output = fathom(&dir).args(&typed).args(&place).output().unwrap();
    code(&output, 0);
    assert_harmless(&output, "run");
    assert!(text(&output).contains("a\\xfc"), "{}", text(&output));
    assert_eq!(std::fs::metadata(dir.join(OsStr::from_bytes(b"f\xfd"))).unwrap().len(), 65_536);
    let out = dir.join(OsStr::from_bytes(b"out\xfa"));
    assert!(
        out.join(OsStr::from_bytes(b"l\xfb_bw.1.log")).exists(),
        "the log has the name that was asked for"
    );

    let record: serde_json::Value =
        serde_json::from_slice(&std::fs::read(out.join("run.json")).unwrap()).unwrap();
    let saved = record["command"].as_array().unwrap().iter().skip(1).map(|word| word.as_str().unwrap());
    let again: Vec<OsString> = saved.map(carried::to_os).collect();
    assert_eq!(again, [&typed[..], &place[..]].concat(), "the command is saved without loss");
    let output = fathom(&dir).arg("report").arg(bytes(b"out\xfa")).output().unwrap();
    code(&output, 0);
    assert_harmless(&output, "report");

    let target = ["--target".into(), bytes(b"f\xfd"), "--plan".into()];
    let output = fathom(&dir).args(&typed[..2]).args(target).output().unwrap();
    code(&output, 0);
    assert!(text(&output).contains("f\\xfd (file"), "{}", text(&output));
}

#[test]
fn every_command_takes_any_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let name = OsStr::from_bytes(b"f\xff\n$x");
    std::fs::write(dir.path().join(name), [1; 4096]).unwrap();
    let cases: [(&[&str], i32); 6] = [
        (&["doctor", "--watch", "0", "--json"], 0),
        (&["topology", "--format", "json"], 0),
        (&["tune", "plan", "--json"], 0),
        (&["quick"], 2),
        (&["purge"], 2),
        (&["run", "--section"], 2),
    ];
    for (words, expected) in cases {
        let output = fathom(dir.path()).args(words).arg(name).output().unwrap();
        code(&output, expected);
        assert_harmless(&output, &format!("{words:?}"));
        let said = text(&output);
        assert!(!said.contains("invalid UTF-8") && !said.contains("invalid value"), "{words:?}: {said}");
    }
    let output = fathom(dir.path()).arg("quick").arg(name).output().unwrap();
    assert!(text(&output).contains(r"fathom run $'f\377\n$x'"), "a hint names it exactly: {}", text(&output));
}

#[test]
fn a_link_named_fio_takes_any_bytes_too() {
    let dir = tempfile::tempdir().unwrap();
    let fio = dir.path().join("fio");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_fathom"), &fio).unwrap();
    let words =
        [bytes(b"--name=\xff"), bytes(b"--filename=f\xfe\nx"), "--rw=write".into(), "--size=4k".into()];
    let form = "--output-format=json,normal";
    let output = Command::new(&fio).args(words).arg(form).current_dir(dir.path()).output().unwrap();
    code(&output, 0);
    assert_harmless(&output, "fio");
    assert_eq!(std::fs::metadata(dir.path().join(OsStr::from_bytes(b"f\xfe\nx"))).unwrap().len(), 4096);
}

/// A directory with what the commands below are given.
fn scene(dir: &Path) -> PathBuf {
    let name = within_a_line();
    let job = format!(
        "[{name}]\nioengine=null\nrw=randrw\nbs=4k\nsize=1m\ndescription={name}\nnumjobs=2\ngroup_reporting\n"
    );
    std::fs::write(dir.join("j.fio"), &job).unwrap();
    std::fs::write(dir.join("wrong.fio"), format!("{job}{name}=1\nbs={name}\nfilename={name}/x\n")).unwrap();
    std::fs::write(dir.join("foreign"), format!("{name}=1\n{name}\n")).unwrap();
    std::fs::write(dir.join("plan"), format!("{{\"{name}\": 1}}")).unwrap();
    let output =
        fathom(dir).args(["run", "j.fio", "--no-calibrate", "--output-dir", HOSTILE]).output().unwrap();
    code(&output, 0);
    assert_harmless(&output, "run");
    // A run of another person, with hostile names in it.
    let run = dir.join(HOSTILE);
    let saved = std::fs::read_to_string(run.join("run.json")).unwrap();
    let json = serde_json::to_string(HOSTILE).unwrap();
    let field = |key: &str| format!("\"{key}\": {json}");
    let mut lines: Vec<String> = saved.lines().map(str::to_owned).collect();
    for line in &mut lines {
        for key in ["name", "value", "source", "text", "says", "subject", "message"] {
            let is_string = line.trim_start().starts_with(&format!("\"{key}\": \""));
            // Names of options, and values that are read again, must stay what they are.
            if is_string && !line.contains("[31m") && !(key == "value" && line.starts_with("              "))
            {
                let comma = if line.ends_with(',') { "," } else { "" };
                let indent = &line[..line.len() - line.trim_start().len()];
                *line = format!("{indent}{}{comma}", field(key));
            }
        }
    }
    std::fs::write(run.join("run.json"), lines.join("\n")).unwrap();
    run
}

#[test]
fn no_command_lets_a_name_command_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    scene(dir.path());
    let h = HOSTILE;
    let setting = format!("{h}=1");
    let job_name = format!("--name={h}");
    let option = format!("--{h}");
    let by_id = format!("/dev/disk/by-id/{h}");
    let commands: Vec<Vec<&str>> = vec![
        vec!["run", "--plan", "j.fio"],
        vec!["run", "--plan=json", "j.fio"],
        vec!["run", "wrong.fio"],
        vec!["run", "foreign"],
        vec!["run", h],
        vec!["run", "j.fio", "--section", h],
        vec!["run", "j.fio", "--set", &setting],
        vec!["run", "j.fio", "--target", h, "--set", "ioengine=psync", "--set", "rw=read"],
        vec!["run", "j.fio", "--output-dir", "j.fio"],
        vec!["run", "j.fio", "--write", h, "--plan", "--set", "name=x"],
        vec!["run", "j.fio", "--stuck-after", h],
        vec!["run", "j.fio", &option],
        vec!["report", h],
        vec!["report", h, "--output-format", "details,normal,terse"],
        vec!["report", h, "--output-format", "json,json+"],
        vec!["report", h, "--output-format", "html"],
        vec!["report", h, "--output-format", h],
        vec!["report", "no such run \u{1b}[2J"],
        vec!["runs", "--runs-dir", "."],
        vec!["runs", "--runs-dir", ".", "--json"],
        vec!["runs", "--runs-dir", h],
        vec!["runs", h],
        vec!["fio", &job_name, "--ioengine=null", "--rw=read", "--size=1m", "--showcmd"],
        vec!["fio", &job_name, "--ioengine=null", "--rw=read", "--size=4k", "--output-format=normal,terse"],
        vec!["fio", &job_name, &option],
        vec!["fio", h],
        vec!["fio", "--cmdhelp", h],
        vec!["options", h],
        vec!["schema", h],
        vec!["doctor", h],
        vec!["doctor", "--explain", h],
        vec!["doctor", "--root", h],
        vec!["doctor", "--root", "plan"],
        vec!["doctor", "--goal", h],
        vec!["topology", h],
        vec!["topology", "--need", &setting],
        vec!["power-cut", "check", h, "--log", h],
        vec!["power-cut", "write", h, "--log", h, "--flush", "every=0"],
        vec!["purge", h],
        vec!["purge", &by_id, "--destroy", h],
        vec!["tune", "plan", h],
        vec!["tune", "apply", h],
        vec!["tune", "apply", "plan"],
        vec!["tune", "knobs", h],
        vec!["tune", "status", "--state-dir", h],
        vec!["calc", h],
        vec!["calc", "stripe", h],
        vec!["quick", h, "--size", h],
        vec![h],
    ];
    for words in &commands {
        let output = fathom(dir.path()).args(words).output().unwrap();
        assert_harmless(&output, &format!("{words:?}"));
    }
    let output = fathom(dir.path()).args(["report", h, "--output-format", "details"]).output().unwrap();
    // The scene wrote hostile names into a saved run.
    code(&output, 7);
    let said = text(&output);
    assert!(said.contains("h\\x1b[31m\\x07"), "the names are shown, harmless: {said}");
    let forged = dir.path().join("forged");
    must(Command::new("cp").arg("-r").args([Path::new(h), &forged]).current_dir(dir.path()));
    let record = std::fs::read_to_string(forged.join("run.json")).unwrap();
    let json = serde_json::to_string(h).unwrap();
    let line = record.lines().find(|line| line.trim_start().starts_with("\"id\": ")).unwrap();
    std::fs::write(forged.join("run.json"), record.replacen(line, &format!("\"id\": {json},"), 1)).unwrap();
    let output = fathom(dir.path()).args(["report", "forged"]).output().unwrap();
    code(&output, 7);
    assert_harmless(&output, "a forged id");
    let output = fathom(dir.path()).args(["report", h, "--output-format", "json"]).output().unwrap();
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["jobs"][0]["jobname"], within_a_line().as_str(), "JSON has its own escapes");
}

#[test]
fn a_recorded_machine_cannot_command_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let trees = crate::support::workspace().join("crates/fathom-host/tests/trees");
    let name = within_a_line();
    for tree in ["server.tree", "vmd.tree"] {
        let recorded = std::fs::read_to_string(trees.join(tree)).unwrap();
        let names =
            ["model", "serial", "firmware_rev", "wwid", "cmdline", "state", "label", "numa_node", "vendor"];
        let hostile = |line: &str| match line.split_once(" = ") {
            Some((path, value)) if names.iter().any(|name| path.ends_with(name)) => {
                format!("{path} <<\n\t{value} {name}\n\tFORGED: line\n")
            }
            _ => format!("{line}\n"),
        };
        let path = dir.path().join(tree);
        std::fs::write(&path, recorded.lines().map(hostile).collect::<String>()).unwrap();
        let path = path.to_str().unwrap();
        for words in [
            vec!["doctor", "--root", path],
            vec!["doctor", "--root", path, "--json"],
            vec!["topology", "--root", path],
            vec!["topology", "--root", path, "--format", "json"],
            vec!["topology", "--root", path, "--format", "svg"],
        ] {
            let output = fathom(dir.path()).args(&words).output().unwrap();
            code(&output, 0);
            assert_harmless(&output, &format!("{words:?}"));
        }
    }
    std::fs::write(dir.path().join("bad"), format!("fathom-tree 1\n{name}\n")).unwrap();
    for command in ["doctor", "topology"] {
        let output = fathom(dir.path()).args([command, "--root", "bad"]).output().unwrap();
        assert_harmless(&output, command);
        code(&output, 2);
    }
}

#[test]
fn a_hint_can_be_pasted_whatever_the_name() {
    let dir = tempfile::tempdir().unwrap();
    let output = fathom(dir.path())
        .args(["fio", "--name=a", "--rw=write", "--size=4k", "--directory=a b;$(touch pwned)"])
        .output()
        .unwrap();
    code(&output, 2);
    assert!(text(&output).contains("mkdir -p 'a b;$(touch pwned)' creates it"), "{}", text(&output));
    std::fs::write(dir.path().join("it's mine"), vec![1; 8192]).unwrap();
    std::fs::write(dir.path().join("j"), "[j]\nrw=write\nsize=8k\nbs=4k\nfilename=it's mine\n").unwrap();
    let output = fathom(dir.path()).args(["run", "j"]).output().unwrap();
    code(&output, 3);
    assert!(text(&output).contains(r"--overwrite 'it'\''s mine'"), "{}", text(&output));
}
