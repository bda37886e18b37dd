//! What fathom prints for other programs to read: completions for shells, and manual pages.

use crate::support::{fathom, must, text};
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn completions(shell: &str) -> String {
    must(fathom(Path::new("/tmp")).args(["completions", shell]))
}

/// The shell reads the script and finds no error in it. It does not run it.
#[test]
fn each_shell_reads_its_completions() {
    let dir = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let script = dir.path().join(shell);
        std::fs::write(&script, completions(shell)).unwrap();
        let output = Command::new(shell).arg("-n").arg(&script).output();
        let output = output.unwrap_or_else(|e| panic!("{shell}: {e}; cargo xtask test installs it"));
        assert!(output.status.success() && output.stderr.is_empty(), "{shell}: {}", text(&output));
    }
}

/// What bash offers behind these words.
fn offered(words: &[&str]) -> Vec<String> {
    let script = format!(
        "{}\nCOMP_WORDS=({})\nCOMP_CWORD={}\n_fathom fathom \"${{COMP_WORDS[COMP_CWORD]}}\" \
         \"${{COMP_WORDS[COMP_CWORD-1]}}\"\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
        completions("bash"),
        words.join(" "),
        words.len() - 1,
    );
    must(Command::new("bash").args(["--norc", "-c", &script])).lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_options_and_values() {
    assert_eq!(offered(&["fathom", "top"]), ["topology"]);
    assert_eq!(offered(&["fathom", "quick", "--sec"]), ["--seconds"]);
    assert_eq!(offered(&["fathom", "report", "--output-format", "js"]), ["json", "json+"]);
    assert_eq!(offered(&["fathom", "doctor", "--goal", "i"]), ["iops"]);
    assert!(offered(&["fathom", "tune", "try", "blk.no"]).contains(&"blk.nomerges".to_owned()));
    assert_eq!(offered(&["fathom", "completions", "z"]), ["zsh"]);
}

/// The warnings of groff about a page.
fn warnings(page: &str) -> Output {
    let mut command = Command::new("groff");
    command.args(["-man", "-ww", "-z", "-Kutf8", "-Tutf8"]);
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.unwrap_or_else(|e| panic!("groff: {e}; cargo xtask test installs it"));
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), page.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn every_manual_page_is_read_without_a_warning() {
    let dir = Path::new("/tmp");
    let list = must(fathom(dir).args(["man", "--list"]));
    assert!(list.lines().count() > 30, "{list}");
    for line in list.lines() {
        let (file, words) = line.split_once(' ').unwrap_or((line, ""));
        let page = must(fathom(dir).arg("man").args(words.split_whitespace()));
        let (name, section) = file.rsplit_once('.').unwrap();
        assert!(page.contains(&format!("\n.TH {} {section} ", name.to_uppercase())), "{file}: {page}");
        assert!(page.contains(&format!(".SH NAME\n{} \\- ", name.replace('-', "\\-"))), "{file}: {page}");
        let output = warnings(&page);
        assert!(output.status.success() && output.stderr.is_empty(), "{file}: {}", text(&output));
    }
}
