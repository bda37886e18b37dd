//! Command lines of fio that a PDF broke (contract H-22), and that they mean the same as the job files (H-31).

use super::{convert, convert_in, examples};
use crate::world::{World, job, listed, load};
use fathom_job::job::Job;
use fathom_job::options::*;

/// The seven commands as the pages of the guide break them, with the headings between and a page number.
const PAGES: &str = include_str!("flash_commands.txt");

fn settings(job: &Job) -> Vec<String> {
    let all = job.settings().filter(|(name, _)| *name != "stonewall" && *name != "name");
    all.map(|(name, setting)| format!("{name}={}", setting.canonical())).collect()
}

#[test]
fn the_seven_broken_commands_are_the_seven_job_files() {
    let converted = convert("--from pasted", "pages.txt", PAGES);
    let set = load(&converted.text).unwrap_or_else(|found| panic!("{}\n{}", converted.text, listed(&found)));
    let files = examples("flash");
    assert_eq!((set.jobs.len(), files.len()), (7, 7));
    for ((name, text), command) in files.iter().zip(&set.jobs) {
        let file = job(text);
        assert_eq!(settings(&file), settings(command), "{name}");
        assert_eq!(file.name, command.name, "{name}");
    }
    let walls: Vec<bool> = set.jobs.iter().map(|job| job.get(&STONEWALL)).collect();
    assert_eq!(walls, [false, true, true, true, true, true, true], "one after another");
    // Headings and the page number are named, and nothing of a command is among them.
    let told = listed(&converted.lost);
    assert_eq!(told.matches("is not part of a command").count(), 8, "{told}");
    assert!(!told.contains("| --") && !told.contains("| iodepth"), "{told}");
    insta::assert_snapshot!("flash_commands", converted.text);
}

/// One command alone keeps its defaults in `[global]`, as the guide's own job file has them.
#[test]
fn one_command_is_a_job_file_with_defaults() {
    let first = PAGES.split("4.1.2").next().expect("a first command");
    let converted = convert("--from pasted", "page.txt", first);
    let said = super::said(&converted.text);
    assert_eq!(said.first(), Some(&"[global]"));
    assert!(
        said.contains(&"[/dev/vs_fio_test]") && said.contains(&"description=fio random 4k write LATENCY")
    );
}

#[test]
fn flags_and_files_of_the_command_are_named_as_lost() {
    let text = "sudo fio --output=fio.output.1 --minimal --name=a --size=1m --description=\"50 #3\" x.fio\n";
    let converted = convert("--from pasted", "p", text);
    let told = listed(&converted.lost);
    for word in [
        "--output=fio.output.1 concerns",
        "--minimal concerns",
        "x.fio is another job file",
        "description=50 #3 is left out",
    ] {
        assert!(told.contains(word), "{word}: {told}");
    }
    assert_eq!(super::said(&converted.text), ["[a]", "size=1m"]);
}

#[test]
fn what_is_no_command_is_an_error() {
    let table = [
        ("rw=read\n", "none of the lines begins with fio"),
        ("fio --name=a --description=\"x\n", "a quote without its end"),
        ("fio --name=a --iodeth=3\n", "did you mean --iodepth?"),
        ("fio --name=a --bs=4q\n", "bs"),
        ("fio --rw=read --size=1m\n", "there is no job"),
    ];
    for (text, word) in table {
        let found = convert_in(&World::default(), "--from pasted", &[("p.txt", text)], None).unwrap_err();
        assert!(listed(&found).contains(word), "{text}: {}", listed(&found));
    }
}

/// `fathom run` of such a file says what makes a job file of it.
#[test]
fn reading_it_as_a_job_file_says_how_to_convert_it() {
    let found = load("fio --rw=read --name=a \\\n --size=1m\n").unwrap_err();
    assert!(listed(&found).contains("fathom convert --from pasted job.fio"), "{}", listed(&found));
    let found = load("rw=read\n").unwrap_err();
    assert!(listed(&found).contains("begin with [global]"), "{}", listed(&found));
}
