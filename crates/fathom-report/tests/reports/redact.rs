//! Private names are planted in every text of a run; no report of the redacted run may hold one.

use crate::synthetic::{Recipe, answer, disk, fixture};
use fathom_report::Redacted;
use fathom_report::document::{csv, document};
use fathom_report::fio_json::{fio_json, to_text};
use fathom_report::html::page;
use fathom_report::normal::normal;
use fathom_report::terminal::{Style, details, summary};
use fathom_report::terse::{TerseVersion, terse};
use fathom_results::answer::limit::Against;
use fathom_results::answer::{Deviation, Headline, Measured, NoFigures};
use fathom_results::finding::{Disturbance, Drift, DriftMoment};
use fathom_results::{
    Answer, CheckEvidence, CheckOutcome, Event, EventKind, Evidence, Fact, FailedJobs, Finding,
    FindingWeight, HostFinding, Incomplete, Instead, JobFailure, JobLimit, JobRecord, Limit, Limits, LostIos,
    NextStep, Reason, RoundRecord, RunRecord, RunResult, RunSurroundings, SelfCheck, TargetSurroundings,
    Trust, TrustLevel, Weight,
};
use serde_json::Value;

/// What must not be in a report: names of machine, users, devices, networks and files.
const SECRETS: [&str; 12] = [
    "web01",
    "alice",
    "/home/alice/plan.fio",
    "S676NX0RA01234",
    "52:54:00:12:34:56",
    "10.20.30.40",
    "0b1c2d3e-0000-4a5b-8c9d-001122334455",
    "wwn-0x5000c500a1b2c3d4",
    "nvme-SAMSUNG_MZVL21T0_S676NX0RA09999",
    "/mnt/acme/data.bin",
    "bob@build7",
    "0000:c1:00.0",
];

fn redacted(run: &RunResult) -> Redacted {
    fathom_report::redacted(run, &[]).unwrap()
}

pub fn fact(name: &str, value: &str) -> Fact {
    Fact { name: name.into(), value: Some(value.into()), source: "sysfs".into() }
}

/// Something in every field of a record.
pub fn full(record: &mut RunRecord) {
    let text = || "x".to_owned();
    let finding = || HostFinding {
        check: text(),
        subject: text(),
        weight: FindingWeight::Bad,
        says: text(),
        path: text(),
        raw: text(),
    };
    record.disks.push(disk("loop7", 24_012, 12_000));
    record.host.push(fact("cmdline", "root=x"));
    record.surroundings = RunSurroundings {
        targets: vec![TargetSurroundings {
            path: text(),
            disk: Some(text()),
            fs_type: Some(text()),
            ..Default::default()
        }],
        hypervisor: Some(text()),
        ..RunSurroundings::default()
    };
    record.messages = vec![text().into()];
    let before_phase = DriftMoment::BeforePhase { phase: 1, jobs: vec![text()], more: 0 };
    let drift = Drift { id: text(), path: text(), made: text(), found: text(), when: before_phase };
    record.findings =
        vec![Finding { evidence: Evidence::TuningDrifted(drift), weight: Weight::Aside, jobs: None }];
    record.rules = vec![text()];
    (record.note, record.tags, record.procedure) = (Some(text()), vec![text()], Some(text()));
    record.round = Some(RoundRecord { procedure: text(), cell: text(), ..RoundRecord::default() });
    let evidence = CheckEvidence::LittlesLaw { job: text(), law: None };
    record.self_knowledge.checks = vec![SelfCheck { evidence, outcome: CheckOutcome::Broken }];
    (record.self_knowledge.audit, record.self_knowledge.disturbances) = (vec![finding()], vec![finding()]);
    record.answer = Some(Answer {
        measured: Measured::Numbered { paths: vec![text()] },
        instead: Some(Instead {
            failed: Some(FailedJobs { are_workers: false, failed: 1, of: 1, first: text() }),
            ..Instead::default()
        }),
        lost: Some(LostIos { failed: 1, issued: Some(2), jobs: vec![text()] }),
        result: Headline::Nothing { because: Some(NoFigures::Failed { message: text() }) },
        trust: Trust {
            level: TrustLevel::Low,
            reasons: vec![Reason::deviation(Deviation::Unsound { drive: text(), says: text() })],
            shortest_s: None,
        },
        limit: Some(Limits {
            jobs: vec![JobLimit {
                job: text(),
                limit: Limit::AskedRate,
                against: vec![Against::Hypervisor { name: text() }],
                rounds: None,
            }],
            is_part: false,
        }),
        next: NextStep { command: text(), ..NextStep::default() },
        ..Answer::default()
    });
}

/// Adds the secrets to every text of a document that is not a word of a fixed list (then it cannot hold one); tells
/// how many texts it changed.
fn plant(mut document: Value, is_valid: &impl Fn(&Value) -> bool) -> (Value, usize) {
    let places = places(&document, is_valid);
    for place in &places {
        let text = document.pointer_mut(place).unwrap();
        *text = format!("{} {}", text.as_str().unwrap(), SECRETS.join(" ")).into();
    }
    (document, places.len())
}

/// The texts of a document that are not words of a fixed list.
pub fn places(document: &Value, is_valid: &impl Fn(&Value) -> bool) -> Vec<String> {
    let mut places = Vec::new();
    texts(document, String::new(), &mut places);
    let mut tried = document.clone();
    places.retain(|place| {
        let before = tried.pointer(place).unwrap().clone();
        *tried.pointer_mut(place).unwrap() = format!("{} x", before.as_str().unwrap()).into();
        let is_free = is_valid(&tried);
        *tried.pointer_mut(place).unwrap() = before;
        is_free
    });
    places
}

fn texts(value: &Value, place: String, into: &mut Vec<String>) {
    match value {
        Value::String(_) => into.push(place),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, item)| texts(item, format!("{place}/{at}"), into));
        }
        Value::Object(fields) => fields.iter().for_each(|(name, field)| {
            texts(field, format!("{place}/{}", name.replace('~', "~0").replace('/', "~1")), into);
        }),
        _ => {}
    }
}

pub fn parses<T: serde::de::DeserializeOwned>(value: &Value) -> bool {
    serde_json::from_value::<T>(value.clone()).is_ok()
}

fn planted() -> RunResult {
    let mut recipe = Recipe::new(&fixture("loop-mix.fio"));
    (recipe.seconds, recipe.rate, recipe.edit) = ((1, 3), 200, full);
    let mut run = recipe.run();
    let (record, count) = plant(serde_json::to_value(&run.record).unwrap(), &parses::<RunRecord>);
    assert!(count > 80, "{count} texts");
    run.record = serde_json::from_value(record).unwrap();
    // What teaches the names of host and device.
    run.record.host.push(fact("hostname", SECRETS[0]));
    run.record.host.push(fact("target./dev/loop7.serial", SECRETS[3]));
    let secret = format!("at {}", SECRETS.join(", "));
    for job in &mut run.jobs {
        let (planned, _) = plant(serde_json::to_value(&job.planned).unwrap(), &parses::<JobRecord>);
        job.planned = serde_json::from_value(planned).unwrap();
        let outcome = job.outcome.as_mut().unwrap();
        outcome.failure =
            Some(JobFailure { errno: 5, message: secret.clone(), direction: None, offset: None });
        outcome.first_error = outcome.failure.clone();
        outcome.notes = vec![("ring".into(), secret.clone())];
    }
    run.events.push(Event { at_ns: 2_000_000_000, job: None, kind: EventKind::Stall, text: secret.clone() });
    (run.incomplete, run.damage) = (Some(Incomplete::Damaged { what: secret.clone() }), Some(secret.clone()));
    run.topology_svg = Some(format!("<svg xmlns=\"http://www.w3.org/2000/svg\"><text>{secret}</text></svg>"));
    run.dir = "/home/alice/fathom-runs/acme".into();
    run
}

pub fn reports(run: &RunResult) -> [(&'static str, String); 9] {
    [
        ("csv", csv(run)),
        ("document", serde_json::to_string(&document(run)).unwrap()),
        ("html", page(run)),
        ("summary", summary(run, Style::PLAIN).to_string()),
        ("details", details(run, Style::PLAIN).to_string()),
        ("json", to_text(&fio_json(run, false))),
        ("json+", to_text(&fio_json(run, true))),
        ("normal", normal(run)),
        ("terse", terse(run, TerseVersion::default())),
    ]
}

fn messages(record: &RunRecord) -> Vec<String> {
    record.messages.iter().map(ToString::to_string).collect()
}

#[test]
fn no_report_of_a_redacted_run_has_a_private_name() {
    let run = planted();
    let is_there =
        |report: &str, secret: &str| report.contains(secret) || report.contains(&secret.replace('/', "\\/"));
    let page_before = page(&run);
    assert!(SECRETS.iter().all(|secret| page_before.contains(secret)), "they were planted");
    for (form, report) in reports(&redacted(&run).run) {
        for secret in SECRETS.into_iter().chain(["acme", "/home/"]) {
            let at = report.find(secret).map(|at| report[..at].chars().rev().take(200).collect::<Vec<_>>());
            let before = at.map(|letters| letters.into_iter().rev().collect::<String>());
            assert!(!is_there(&report, secret), "{form}: {secret} after {}", before.unwrap_or_default());
        }
    }
}

#[test]
fn a_name_that_is_known_by_a_later_text_is_replaced_in_an_earlier_one() {
    let mut recipe = Recipe::new(&fixture("loop-mix.fio"));
    recipe.edit = |record| record.messages = vec!["as carol".into(), "in /home/carol/x".into()];
    assert_eq!(
        messages(&redacted(&recipe.run()).run.record),
        ["as user-1", "in file-2"],
        "the job file is the other"
    );
}

/// A run while two other programs worked: one has a plain word for a name.
fn with_programs(record: &mut RunRecord) {
    let finding = |pid: u32, name: &str, flags: &str| HostFinding {
        check: "noise.load".into(),
        subject: format!("pid {pid}"),
        weight: FindingWeight::Warn,
        says: format!("{name} used 102 % of a CPU, last on CPU 1"),
        path: format!("/proc/{pid}/stat"),
        raw: format!("{pid} ({name}) R 1 1 1 0 -1 {flags} 9 0 0 0 7 5 0 0 20 0 1 0 900 0 0"),
    };
    let acme = finding(4290, "kunde-geheim", "4194304");
    let evidence = Disturbance {
        check: acme.check.clone(),
        subject: acme.subject.clone(),
        weight: acme.weight,
        says: acme.says.clone(),
    };
    let evidence = Evidence::HostDisturbed { findings: vec![evidence] };
    record.findings = vec![Finding { evidence, weight: Weight::Medium, jobs: None }];
    record.self_knowledge.disturbances = vec![finding(4291, "reads", "4194304"), acme];
    record.self_knowledge.audit =
        vec![finding(77, "jbd2/vda1-8", "2129984"), finding(4291, "reads", "4194304")];
    record.messages = vec!["1 MB of reads; /dev/loop7 is open by reads (pid 4291)".into()];
}

#[test]
fn names_of_other_programs_go() {
    let mut recipe = Recipe::new(&fixture("loop-mix.fio"));
    (recipe.seconds, recipe.rate, recipe.edit) = ((1, 3), 200, with_programs);
    let open = redacted(&recipe.run()).run;
    let known = &open.record.self_knowledge;
    assert_eq!(known.disturbances[0].says, "program-1 used 102 % of a CPU, last on CPU 1");
    assert_eq!(known.audit[0].says, "jbd2/vda1-8 used 102 % of a CPU, last on CPU 1", "the kernel's own");
    assert_eq!(
        fathom_words::of_finding(&open.record.findings[0]).evidence,
        "noise.load another program: program-2 used 102 % of a CPU, last on CPU 1"
    );
    assert_eq!(messages(&open.record), ["1 MB of reads; /dev/loop7 is open by program-1"]);
    for (form, report) in reports(&open) {
        for secret in ["kunde", "geheim", "4290", "4291", "(reads)", "reads used"] {
            assert!(!report.contains(secret), "{form}: {secret}");
        }
    }
}

#[test]
fn figures_and_devices_stay() {
    let mut recipe = Recipe::new(&fixture("loop-mix.fio"));
    recipe.edit = |record| {
        record.host.push(fact("hostname", "web01"));
        record.host.push(fact("target./dev/loop7.model", "SAMSUNG MZ"));
        record.command = ["fathom", "run", "--write", "S676", "acme.fio"].map(str::to_owned).to_vec();
    };
    let run = recipe.run();
    let open = redacted(&run).run;
    assert_eq!(open.record.command, ["fathom", "run", "--write", "serial-1", "..."]);
    let figures =
        |run: &RunResult| fathom_figures::rows(run).iter().map(|row| row.iops()).collect::<Vec<_>>();
    assert_eq!(figures(&open), figures(&run));
    let html = page(&open);
    assert!(
        html.contains("SAMSUNG MZ") && html.contains("on host-1 ·") && html.contains("/dev/loop7"),
        "{html}"
    );
}

#[test]
fn names_of_facts_and_options_stay() {
    let mut recipe = Recipe::new("[x]\nioengine=libaio\nfilename=/dev/loop7:/dev/mapper/a.b\nsize=1m\n");
    recipe.edit = |record| {
        record.host.push(fact("target./dev/loop7.scheduler", "none"));
        record.host.push(fact("ground./dev/mapper", "/dev/mapper/a.b"));
        record.host.push(fact("target./dev/mapper/a.b.logical_block_bytes", "512"));
        record.host.push(fact("target./dev/mapper/a.b.probe.direct.nowait", "supported"));
        record.command =
            ["fathom", "run", "/home/x/long.fio", "--target", "/dev/loop7"].map(str::to_owned).to_vec();
        record.answer = Some(answer(5.0));
        record.answer.as_mut().unwrap().next.command =
            "fathom run /home/x/long.fio --target /dev/loop7 --repeat 5".into();
    };
    let mut run = recipe.run();
    // As the option --target leaves it.
    let record = serde_json::to_string(&run.record).unwrap();
    let given = record.replace("\"synthetic.fio\"", "\"--target\"");
    assert_ne!(given, record);
    run.record = serde_json::from_str(&given).unwrap();
    let open = redacted(&run).run;
    let file = open.record.plan.jobs[0].files[1].path.clone();
    let told = |name: &str| open.record.fact(name);
    assert_eq!(told("target./dev/loop7.scheduler"), Some("none"));
    assert_eq!(told(&format!("target.{file}.logical_block_bytes")), Some("512"));
    assert_eq!(told(&format!("target.{file}.probe.direct.nowait")), Some("supported"));
    assert_eq!(open.record.grounds().of(&file), file);
    assert_eq!(open.record.command[3..], ["--target", "/dev/loop7"]);
    let next = &open.record.answer.as_ref().unwrap().next.command;
    assert!(
        next.starts_with("fathom run file-") && next.ends_with(" --target /dev/loop7 --repeat 5"),
        "{next}"
    );
    let html = page(&open);
    assert!(!html.contains(next.as_str()) && !html.contains("<h3>Next</h3>"), "{html}");
    assert_eq!(html.matches("This page is redacted").count(), 1);
    assert!(page(&run).contains("<h3>Next</h3>") && !page(&run).contains("redacted"));
}

/// The jobs of a suite's round are called by their cell, in the place of a file.
#[test]
fn the_option_that_a_suite_varies_stays() {
    let mut run = Recipe::new(&fixture("loop-mix.fio")).run();
    let record = serde_json::to_string(&run.record).unwrap();
    let cell = "kundenlast iodepth=4 filename=/dev/mapper/acme";
    run.record = serde_json::from_str(&record.replace("synthetic.fio", cell)).unwrap();
    run.record.command = ["fathom", "suite", "run"].map(str::to_owned).to_vec();
    run.record.round = Some(RoundRecord { cell: cell.to_owned(), ..RoundRecord::default() });
    run.record.messages = vec!["most IOPS with iodepth=4 of kundenlast at filename=/dev/mapper/acme".into()];
    assert_eq!(
        messages(&redacted(&run).run.record),
        ["most IOPS with iodepth=4 of group-1 at filename=device-1"]
    );
}

/// The path of a target with blanks, quotes and letters that addresses and markup write in another way.
const ODD: &str = "/mnt/x y/a 'größe' 5%/secret \"S4E\".img";

#[test]
fn a_path_with_blanks_goes_as_a_whole() {
    let mut recipe = Recipe::new(&fixture("loop-mix.fio"));
    recipe.edit = |record| {
        record.host.push(fact("target./dev/loop7.loop_backing_file", ODD));
        record.host.push(fact("ground./mnt/x y", "/dev/loop7"));
        record.host.push(fact("net.path", "/sys/devices/pci0000:c0/0000:c1:00.0/nvme"));
        record.messages = vec![
            format!("/dev/loop7 is the file {ODD}; reads and writes go through memory (the page cache)")
                .into(),
            "the file /mnt/x y/a/b, and secret \"S4E\".img".into(),
        ];
    };
    let mut run = recipe.run();
    run.topology_svg =
        Some(format!("<svg xmlns=\"http://www.w3.org/2000/svg\"><text>{ODD} SN overlayblk</text></svg>"));
    let open = redacted(&run);
    let fact = |name: &str| open.run.record.fact(name).unwrap().to_owned();
    let messages = messages(&open.run.record);
    let file = fact("target./dev/loop7.loop_backing_file");
    assert_eq!(
        messages[0],
        format!("/dev/loop7 is the file {file}; reads and writes go through memory (the page cache)")
    );
    assert!(
        !messages[1].contains("S4E") && !messages[1].contains("/a") && !messages[1].contains("x y"),
        "{}",
        messages[1]
    );
    assert_eq!(fact("net.path").matches("pci-").count(), 2);
    let whole = page(&run);
    assert!(whole.contains("data:image/svg+xml") && open.check(&whole).is_err());
    for (form, report) in reports(&open.run) {
        assert_eq!(open.check(&report), Ok(()), "{form}");
        assert!(!report.contains("S4E") && !report.contains("overlayblk"), "{form}");
    }
}

#[test]
fn options_keep_no_name_that_a_user_chose() {
    let job = "[x]\nioengine=libaio\nfilename=/dev/loop7\nsize=1m\nwrite_lat_log=acme lat\nfilename_format=acme.$jobnum\nrw=randread\n";
    let open = redacted(&Recipe::new(job).run());
    let record = serde_json::to_string(&open.run.record).unwrap();
    assert!(!record.contains("acme") && record.contains("write_lat_log=text-"), "{record}");
    for leak in ["acme lat", "acme.$jobnum"] {
        assert!(open.check(&format!("{record} {leak} ")).is_err(), "{leak} is noticed");
    }
    // A log is mostly called as its job is, and names of jobs stay.
    let of_job = redacted(&Recipe::new(&job.replace("acme lat", "x").replace("[x]", "[zebra x]")).run());
    assert_eq!(of_job.check("zebra x"), Ok(()));
    for (form, report) in reports(&open.run) {
        assert!(!report.contains("acme"), "{form}");
    }
}

#[test]
fn a_report_with_a_planted_leak_is_refused() {
    let open = redacted(&planted());
    for (form, report) in reports(&open.run) {
        assert_eq!(open.check(&report), Ok(()), "{form}");
        for leak in ["S676NX0RA01234", "10.20.30.40", "0000%3ac1%3a00.0", "/mnt/acme/other", "data.bin"] {
            let leaking = format!("{report}{leak}\n");
            assert!(open.check(&leaking).is_err(), "{form}: {leak}");
        }
    }
}

/// Words of reports that machines and programs are called too.
const ORDINARY: [&str; 9] = ["read", "virtual", "medium", "io_uring", "disk", "fathom", "p99", "CPU", "low"];

/// A run of a host, which has this name, a program with the same name, and a user.
fn of_host(host: &str) -> RunResult {
    let mut recipe = Recipe::new(&fixture("loop-mix.fio"));
    (recipe.seconds, recipe.rate, recipe.edit) = ((1, 3), 200, with_programs);
    let mut run = recipe.run();
    run.record.host.push(fact("hostname", host));
    run.record.host.push(fact("target./dev/loop7.model", "Virtual disk"));
    run.record.answer = Some(answer(5.0));
    let stat = "R 1 1 1 0 -1 4194304 9 0 0 0 7 5 0 0 20 0 1 0 900 0 0";
    for finding in &mut run.record.self_knowledge.disturbances {
        finding.raw = format!("{} ({host}) {stat}", finding.path.split('/').nth(2).unwrap());
        finding.says = format!("{host} used 102 % of a CPU, last on CPU 1");
    }
    run
}

#[test]
fn a_host_that_is_called_like_a_word_of_reports_damages_none() {
    for host in ORDINARY {
        let (run, open) = (of_host(host), redacted(&of_host(host)));
        assert_eq!(open.run.record.fact("hostname"), Some("host-1"), "{host}");
        let html = page(&open.run);
        assert!(html.contains("<p class=\"host\">on host-1</p>"), "{host}: {html}");
        assert!(html.contains(" on host-1 · fathom</title>"), "{host}");
        let told = |run: &RunResult| run.record.answer.as_ref().map(|it| (it.result.clone(), it.trust.level));
        assert_eq!(told(&open.run), told(&run), "{host}");
        assert_eq!(open.run.record.fact("target./dev/loop7.model"), Some("Virtual disk"), "{host}");
        let says = &open.run.record.self_knowledge.disturbances[0].says;
        assert_eq!(says, "host-1 used 102 % of a CPU, last on CPU 1", "{host}: a name has one stand-in");
        for (form, report) in reports(&open.run) {
            assert_eq!(open.check(&report), Ok(()), "{host}, {form}");
        }
    }
}

#[test]
fn a_target_that_is_called_like_a_word_of_reports_has_a_stand_in() {
    let mut recipe = Recipe::new("[x]\nioengine=psync\nfilename=data\nsize=1m\n");
    recipe.edit =
        |record| record.messages = vec!["reads and writes go through memory (the page cache)".into()];
    let open = redacted(&recipe.run()).run.record;
    assert_eq!(open.plan.jobs[0].files[0].path, "file-1");
    assert_eq!(messages(&open), ["reads and writes go through memory (the page cache)"]);
}

/// A run with everything that a user can write on it.
fn labelled(record: &mut RunRecord) {
    let command = [
        "fathom",
        "run",
        "--name",
        "Angebot Fa. Müller",
        "--note=by jkowalski on db07.geheim.example",
        "--tag",
        "kunde-x",
        "/mnt/acme/j.fio",
    ];
    record.command = command.map(str::to_owned).to_vec();
    record.name = "Angebot Fa. Müller".into();
    record.note = Some("by jkowalski on db07.geheim.example".into());
    record.tags = vec!["kunde-x".into()];
    record.host.push(fact("hostname", "db07"));
    record.messages =
        vec!["nas.geheim.example is slow, and jkowalski too".into(), "see Angebot Fa. Müller".into()];
    record.answer = Some(answer(5.0));
    let words = command[1..].iter().map(fathom_text::shell::quoted).collect::<Vec<_>>();
    record.answer.as_mut().unwrap().next.command = format!("fathom {} --repeat 5", words.join(" "));
}

/// A note is a sentence, whatever signs it has: `/script>` in it is no path, and the page's own markup ends with it.
#[test]
fn a_note_with_markup_does_not_keep_a_page_from_being_redacted() {
    let mut recipe = Recipe::new(&fixture("sync-read.fio"));
    recipe.edit = |record| {
        let note = "Zebra <script>alert(1)</script>";
        record.command = ["fathom", "run", "--note", note, "/mnt/acme/j.fio"].map(str::to_owned).to_vec();
        record.note = Some(note.to_owned());
        record.answer = Some(answer(5.0));
    };
    let open = fathom_report::redacted(&recipe.run(), &[]).unwrap();
    for (form, report) in reports(&open.run) {
        assert_eq!(open.check(&report), Ok(()), "{form}");
        assert!(!report.contains("Zebra") && !report.contains("acme"), "{form}");
    }
}

#[test]
fn what_a_user_wrote_on_a_run_is_in_no_form() {
    let mut recipe = Recipe::new(&fixture("loop-mix.fio"));
    (recipe.seconds, recipe.rate, recipe.edit) = ((1, 3), 200, labelled);
    let run = recipe.run();
    let open = fathom_report::redacted(&run, &["jkowalski".to_owned()]).unwrap();
    assert_eq!(open.run.record.name, "run-1");
    assert_eq!(
        open.run.record.answer.as_ref().unwrap().next.command,
        "fathom run --name ... --note=... --tag ... file-1 --repeat 5"
    );
    assert_eq!(messages(&open.run.record), ["nas.domain-1 is slow, and user-1 too", "see run-1"]);
    for (form, report) in reports(&open.run) {
        for secret in ["jkowalski", "db07", "geheim", "Angebot", "Müller", "kunde"] {
            assert!(!report.contains(secret), "{form}: {secret}");
        }
        assert_eq!(open.check(&report), Ok(()), "{form}");
        for leak in ["jkowalski", "db07", "geheim.example", "Angebot Fa. Müller", "kunde-x"] {
            assert!(open.check(&format!("{report} {leak}\n")).is_err(), "{form}: {leak}");
        }
    }
}

#[test]
fn a_name_that_fathom_made_stays() {
    let name = |name: &str, command: &str| {
        let mut run = Recipe::new(&fixture("loop-mix.fio")).run();
        run.record.name = name.to_owned();
        run.record.command = command.split(' ').map(str::to_owned).collect();
        redacted(&run).run.record.name
    };
    assert_eq!(name("quick", "fathom quick /dev/loop7"), "quick");
    assert_eq!(name("quick", "fathom quick --name=quick /dev/loop7"), "run-1");
    assert_eq!(name("job", "fathom fio --name=job"), "job", "it is the name of a job");
}

#[test]
fn a_redacted_run_has_the_same_configuration() {
    let mut run = Recipe::new(&fixture("loop-mix.fio")).run();
    let id = |run: &RunResult| fathom_report::configuration_id(&run.record);
    let (host, serial) = (fact("hostname", SECRETS[0]), fact("target./dev/loop7.serial", SECRETS[3]));
    let before = id(&run);
    run.record.host.extend([host, serial, fact("cmdline", "root=/dev/x")]);
    assert_eq!(id(&run), before, "what names the machine or the drive counts");
    run.record.host.extend([fact("kernel", "6.18.44"), fact("target./dev/loop7.model", "ACME 1")]);
    assert_ne!(id(&run), before);
    // A job may be called as the host is.
    run.record.plan.jobs[0].name = SECRETS[0].to_owned();
    let redacted = redacted(&run).run;
    assert!(
        redacted.record.fact("hostname") == Some("host-1") && redacted.record.plan.jobs[0].name == "host-1"
    );
    assert_eq!(fathom_report::configuration_of(&redacted), id(&run));
    assert!(
        page(&redacted).contains(&id(&run))
            && details(&redacted, Style::PLAIN).to_string().contains(&id(&run))
    );
}
