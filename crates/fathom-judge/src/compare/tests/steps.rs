//! What to do next: fill what was read before it was written, set and measure each side again, compare.

use super::*;
use crate::compare::cell_runs::{CellRuns, TaintedRuns};
use crate::compare::subject::{Property, UsedTarget};
use fathom_results::{DifferenceOf, TrustLevel};

fn fact(what: &str, value: &str, source: &str) -> Property {
    Property {
        of: DifferenceOf::Machine,
        job: None,
        target: None,
        what: what.to_owned(),
        value: Some(value.to_owned()),
        written: None,
        source: Some(source.to_owned()),
    }
}

/// Five runs of a job that read blocks which were perhaps never written.
fn subject(name: &str, scheduler: &str) -> Subject {
    let mut subject = typed(name, &[("x", &[100.0, 101.0, 99.0, 102.0, 98.0])]);
    subject.about.trust = Some(TrustLevel::Medium);
    let finding = super::causes::of_rule("unknown-content");
    let found = TaintedRuns { finding, of_various_jobs: false, runs: 5 };
    let taints = [("unknown-content".to_owned(), found)].into();
    subject.cells = vec![CellRuns { runs: 5, taints, ..CellRuns::default() }];
    subject.targets = vec![UsedTarget { path: "/dev/sdx".to_owned(), is_written: false }];
    let command = ["fathom", "run", "j.fio", "--repeat", "5", "--name", name, "--write", "S1", "-q"];
    subject.command = command.map(str::to_owned).to_vec();
    subject.properties = vec![
        fact("hostname", "db", "/proc/sys/kernel/hostname"),
        fact("scheduler", scheduler, "/sys/devices/pci0000:00/ata1/block/sdx/queue/scheduler"),
        fact("nr requests", scheduler, "/sys/devices/pci0000:00/ata1/block/sdx/queue/nr_requests"),
    ];
    subject
}

fn steps(a: Subject, b: Subject) -> Vec<String> {
    let found = compare(vec![a, b], &Tolerances::USUAL);
    found.next.into_iter().chain(found.then).map(|step| step.command).collect()
}

#[test]
fn each_step_is_a_command() {
    let (a, b) = (subject("before", "mq-deadline"), subject("after-2", "none"));
    let expected = [
        "fathom precondition /dev/sdx --passes 1",
        "echo mq-deadline | sudo tee /sys/block/sdx/queue/scheduler",
        "fathom run --repeat 5 j.fio --name before-2",
        "echo none | sudo tee /sys/block/sdx/queue/scheduler",
        "fathom run --repeat 5 j.fio --name after-3",
        "fathom compare before-2 after-3",
        "fathom try blk.scheduler=mq-deadline,none -- j.fio",
    ];
    assert_eq!(steps(a.clone(), b.clone()), expected);
    // On different machines nobody sets one as the other was.
    let mut elsewhere = b.clone();
    elsewhere.properties[0].value = Some("web".to_owned());
    assert_eq!(steps(a.clone(), elsewhere), [expected[0], expected[2], expected[4], expected[5]]);
    // A baseline is not measured again.
    assert_eq!(steps(a.clone().kept(), b), [expected[0], expected[3], expected[4]]);
    // The same name twice: each gets its own.
    assert_eq!(steps(a.clone(), a).last().unwrap(), "fathom compare before-a before-b");
}

#[test]
fn what_was_not_measured_in_turn_has_a_command_that_does() {
    let of = |name: &str, scheduler: &str, started: u64| {
        let mut subject = subject(name, scheduler);
        subject.about.started_unix_ns = Some(started);
        subject
    };
    let order = |a: Subject, b: Subject| {
        let said = words::doubts(&compare(vec![a, b], &Tolerances::USUAL));
        said.into_iter().find(|text| text.starts_with("All runs of "))
    };
    let (a, mut b) = (of("a", "mq-deadline", 2), of("b", "none", 1));
    let said = order(a.clone(), b.clone()).unwrap();
    assert!(said.starts_with("All runs of B came before A: "), "{said}");
    let last = |a: &Subject, b: &Subject| steps(a.clone(), b.clone()).pop().unwrap();
    assert!(last(&a, &b).starts_with("fathom try "));
    // Not where the commands differ too, and nothing is said of runs in turn.
    b.command.extend(["--set".to_owned(), "bs=8k".to_owned()]);
    assert!(last(&a, &b).starts_with("fathom compare "));
    assert_eq!(order(a.in_turn("p"), b.in_turn("p")), None);
}

#[test]
fn figures_that_are_clear_and_of_written_blocks_need_no_step() {
    let of = |name: &str| Subject { cells: Vec::new(), ..subject(name, "none") };
    assert_eq!(steps(of("a"), of("b")), Vec::<String>::new());
    // What is unclear needs more runs, and nothing needs to be filled.
    let mut unclear = of("b");
    unclear.figures[0].values = vec![100.0, 109.0, 100.0, 108.0, 102.0];
    let told = steps(of("a"), unclear);
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[0].starts_with("fathom run --repeat ") && !told[0].contains("--repeat 5 "), "{told:?}");
}

#[test]
fn what_was_measured_in_turn_has_one_command() {
    let of = |name: &str| {
        let subject = Subject {
            command: ["fathom", "compare", "--run", "a.fio", "b.fio"].map(str::to_owned).to_vec(),
            ..subject(name, "none")
        };
        subject.in_turn("p")
    };
    let told = steps(of("a"), of("b"));
    let expected = ["fathom precondition /dev/sdx --passes 1", "fathom compare --rounds 5 --run a.fio b.fio"];
    assert_eq!(told, expected);
}

#[test]
fn several_settings_are_told_with_the_way_to_keep_them_alike() {
    let of = |name: &str, scheduler: &str, governor: &str| {
        let mut subject = subject(name, scheduler);
        let source = "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor";
        subject.properties.push(fact("governor", governor, source));
        subject
    };
    let found =
        compare(vec![of("a", "none", "powersave"), of("b", "bfq", "performance")], &Tolerances::USUAL);
    let steps = words::steps(&found);
    let governor = steps.iter().find(|step| step.command.contains("governor")).unwrap();
    assert_eq!(
        governor.command,
        "echo powersave | sudo tee /sys/devices/system/cpu/cpufreq/policy*/scaling_governor"
    );
    assert!(governor.why.contains("leave it out if you do not test it"), "{governor:?}");
}
