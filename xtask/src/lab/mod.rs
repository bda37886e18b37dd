//! The lab: a virtual machine whose kernel, drives and processors we choose, for the tests that
//! none of our own machines can run: formatting NVMe drives, arrays, swap, mounts, two NUMA nodes.
//!
//! ```text
//! kernel package ─► kernel, modules ─┐
//! programs + their libraries ────────┼─► image (initramfs) ─► machine (QEMU) ─► console ─► count
//! fathom, tests of the crate `lab` ──┘
//! ```
//! QEMU emulates the processor in software, 10 to 20 times slower than a real one, because machines
//! that test this project may not have hardware virtualisation. Nothing is installed, and files are
//! kept only in `target/lab`.

mod console;
mod image;
mod kernel;
mod machine;
pub mod power_cut;
mod programs;

use std::fs::File;
use std::path::PathBuf;

use crate::arguments::Arguments;
use crate::steps::Count;
use crate::workspace::at;
use crate::{command, workspace};

use self::image::Image;
use self::kernel::Kernel;
use self::machine::Machine;
use console::Transcript;
use programs::Built;

/// `cargo xtask lab [--shell] [NAME…]`.
pub fn chore(mut arguments: Arguments) -> Result<(), String> {
    let shell = arguments.flag("--shell");
    let words: Vec<String> = std::iter::from_fn(|| arguments.word()).collect();
    if let Some(option) = words.iter().find(|word| word.starts_with('-')) {
        return Err(format!("\"{option}\" means nothing here\n\n{}", crate::USAGE));
    }
    let choice = Choice::of(&words, &programs::groups()?);
    if shell {
        return open_shell(&choice);
    }
    let mut count = Count::default();
    let verdict = run(&choice, &mut count);
    println!("lab: {} passed, {} failed", count.passed, count.failed);
    verdict
}

/// Switches the machine on with the terminal as its console.
fn open_shell(choice: &Choice) -> Result<(), String> {
    let machine = prepare(choice)?;
    println!("Ctrl-A X switches the machine off, Ctrl-A C changes to the emulator's monitor");
    command::run(&mut machine.command("mon:stdio", "lab.shell"))
}

/// Runs the tests of some groups, and adds what they report to `count`.
pub fn run_groups(groups: &[&str], count: &mut Count) -> Result<(), String> {
    let known = programs::groups()?;
    if let Some(missing) = groups.iter().find(|group| !known.iter().any(|name| name == *group)) {
        return Err(format!("the lab has no group {missing}"));
    }
    let words: Vec<String> = groups.iter().map(|group| (*group).to_owned()).collect();
    run(&Choice::of(&words, &known), count)
}

fn run(choice: &Choice, count: &mut Count) -> Result<(), String> {
    let mut transcript = Transcript::of(choice.programs(), !choice.filters.is_empty());
    let ended =
        prepare(choice).and_then(|machine| console::follow(machine.command("stdio", ""), &mut transcript));
    // Also if there is no machine: tests that could not run have failed.
    transcript.add_to(count);
    both(ended, transcript.verdict())
}

/// Both succeeded, or what was wrong with each.
pub fn both(first: Result<(), String>, second: Result<(), String>) -> Result<(), String> {
    let complaints: Vec<String> = [first, second].into_iter().filter_map(Result::err).collect();
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
}

/// Fetches the kernel of every machine.
pub fn fetch() -> Result<(), String> {
    kernel::stage(&Kernel::fetch()?).map(|_| ())
}

/// Builds everything up to the machine that can be switched on.
fn prepare(choice: &Choice) -> Result<Machine, String> {
    // Two labs may begin at the same time.
    let path = directory()?.join("lock");
    let failed = |e: std::io::Error| format!("{}: {e}", path.display());
    let alone = File::create(&path).map_err(failed)?;
    alone.lock().map_err(failed)?;
    let kernel = Kernel::fetch()?;
    let built = Built::build()?;
    let runs = choice.runs(&built.names()?);
    let image = Image::assemble(&kernel, &workspace::build_fathom()?, &built, &runs)?;
    Machine::new(&kernel, image)
}

/// Where the lab keeps what it fetched and made.
fn directory() -> Result<PathBuf, String> {
    let directory = workspace::target().join("lab");
    std::fs::create_dir_all(&directory).map_err(at(&directory))?;
    Ok(directory)
}

/// The group that has the machine rebooted (`init.sh`), and the part of the names of its tests that run only after that.
const REBOOTS: &str = "reboot";
const AFTER_REBOOT: &str = "second_boot";

/// Which tests are run.
#[derive(Debug, PartialEq)]
struct Choice {
    /// Names of groups.
    groups: Vec<String>,
    /// Parts of test names; empty for all tests.
    filters: Vec<String>,
}

impl Choice {
    /// A word that is a group chooses it; any other chooses tests by a part of their name.
    fn of(words: &[String], known: &[String]) -> Self {
        let (groups, filters): (Vec<_>, Vec<_>) =
            words.iter().cloned().partition(|word| known.contains(word));
        let groups = if groups.is_empty() { known.to_vec() } else { groups };
        // What reboots the machine is the last one of its boot.
        let (last, mut groups): (Vec<_>, Vec<_>) = groups.into_iter().partition(|name| name == REBOOTS);
        groups.extend(last);
        Self { groups, filters }
    }

    /// What the machine runs: a line for each group, with the names of its tests among `all`.
    fn runs(&self, all: &[String]) -> Vec<String> {
        let is_chosen = |name: &&String| {
            let is_named = self.filters.is_empty() || self.filters.iter().any(|filter| name.contains(filter));
            is_named && !name.contains(AFTER_REBOOT)
        };
        let run = |group: &String| {
            let of_group = |name: &&String| name.split_once("::").is_some_and(|(first, _)| first == group);
            let names = all.iter().filter(of_group).filter(is_chosen).map(|name| format!(" {name}"));
            format!("{group} --exact{}", names.collect::<String>())
        };
        // With no name at all, every test of the program would run.
        self.groups.iter().map(run).filter(|run| !run.ends_with("--exact")).collect()
    }

    /// The groups as the machine names them: the one that reboots it runs once more afterwards.
    fn programs(&self) -> Vec<String> {
        let mut programs = self.groups.clone();
        if self.filters.is_empty() && self.groups.iter().any(|name| name == REBOOTS) {
            programs.push(format!("{REBOOTS}-again"));
        }
        programs
    }
}

/// The lines of a list, without those that are empty or a comment.
fn listed(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_a_group_or_a_part_of_a_name() {
        let known = ["machine", "guard"].map(str::to_owned);
        let choice = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let choice = Choice::of(&words, &known);
            (choice.groups.join(" "), choice.filters.join(" "))
        };
        assert_eq!(choice(&[]), ("machine guard".to_owned(), String::new()));
        assert_eq!(choice(&["guard"]), ("guard".to_owned(), String::new()));
        assert_eq!(choice(&["swap"]), ("machine guard".to_owned(), "swap".to_owned()));
        assert_eq!(choice(&["guard", "luks"]), ("guard".to_owned(), "luks".to_owned()));
    }

    #[test]
    fn what_reboots_comes_last_and_twice() {
        let known = ["reboot", "guard"].map(str::to_owned);
        let programs = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            Choice::of(&words, &known).programs().join(" ")
        };
        assert_eq!(programs(&[]), "guard reboot reboot-again");
        assert_eq!(programs(&["luks"]), "guard reboot", "a part of a name may choose none of its tests");
        assert_eq!(programs(&["guard"]), "guard");
    }

    #[test]
    fn a_group_runs_its_own_tests_and_none_of_the_second_boot() {
        let of = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let all = of(&[
            "guard::a::luks",
            "guard::swap",
            "guard_long::x",
            "reboot::first_boot",
            "reboot::second_boot",
        ]);
        let runs = |words: &[&str]| {
            Choice::of(&of(words), &of(&["guard", "guard_long", "reboot"])).runs(&all).join("; ")
        };
        assert_eq!(
            runs(&["guard", "reboot"]),
            "guard --exact guard::a::luks guard::swap; reboot --exact reboot::first_boot"
        );
        assert_eq!(runs(&["luks"]), "guard --exact guard::a::luks");
        assert_eq!(runs(&["nothing"]), "");
    }
}
