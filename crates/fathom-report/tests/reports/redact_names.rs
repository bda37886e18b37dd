//! Redaction, as a property: names of machines, people and customers are made at random, and written into every text of a
//! random result of each kind. No form of the redacted result has one of them.
//!
//! 200 cases run in `cargo test`; CONTRIBUTING.md has the command for more. A failure prints its seed.

use crate::random::procedures::{Made, procedure};
use crate::random::values::Chance;
use crate::random::{comparison, runs, seeds};
use crate::redact::{fact, full, parses, places, reports};
use crate::synthetic::Recipe;
use fathom_figures::metric::Columns;
use fathom_report::html::{AboveTables, comparison_page, procedure_page, standard_page};
use fathom_report::terminal::{self, ProcedureState, Style};
use fathom_report::{BesideProcedure, PrivateNames, rounds_csv};
use fathom_results::procedure::{OwnWords, ProcedureDocument, ProcedureRecord, StepDone, TargetIdentity};
use fathom_results::{FindingWeight, HostFinding, JobRecord, RunRecord, RunResult};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::OnceLock;

/// The private names of one result.
struct Private {
    host: String,
    user: String,
    serial: String,
    wwid: String,
    path: String,
    mount: String,
    mapper: String,
    job_file: String,
    run: String,
    note: String,
    tag: String,
    program: String,
    /// What a person wrote in a suite, and a label of a subject in a comparison.
    suite: String,
    sentence: String,
    group: String,
    variable: String,
    label: String,
    /// Names that are known by their form: addresses, identifiers, homes, accounts.
    formed: Vec<String>,
    /// What no report may hold: the part of each name that nothing else has.
    tokens: Vec<String>,
}

impl Private {
    fn of(seed: u64) -> Private {
        let chance = &mut Chance::of(seed ^ 0x5eed);
        let mut tokens = Vec::new();
        let mut token = |chance: &mut Chance| {
            let made = letters(chance, b"abcdefghijkmnpqrstuvwxyz", 3)
                + &letters(chance, b"23456789", 2)
                + &letters(chance, b"bcdfghkmnpqrstvwxz", 3);
            tokens.push(made.clone());
            made
        };
        let host = format!("{}{}", token(chance), ["", "-a", ".example"][chance.below(3)]);
        let user = token(chance);
        let serial = token(chance).to_uppercase() + &letters(chance, b"0123456789ABCDEF", 6);
        let wwid = format!("eui.{}", token(chance));
        let odd = ["", " ", "ö", "'", "&", "#", "%"][chance.below(7)];
        let path = format!("/mnt/{}/{odd}{}.img", token(chance), token(chance));
        let mount = format!("/{}{odd}", token(chance));
        let mapper = format!("/dev/mapper/{}-{}", token(chance), token(chance));
        let job_file = format!("/home/{}/{}.fio", token(chance), token(chance));
        let (run, note, tag) = (token(chance), format!("for {}{odd}", token(chance)), token(chance));
        let program = token(chance);
        let (suite, group, variable) = (token(chance), token(chance), token(chance));
        let (sentence, label) = (format!("what {} needs", token(chance)), token(chance).to_uppercase());
        let formed = vec![
            format!("wwn-0x5{}", token_of_digits(chance, &mut tokens)),
            format!("52:54:00:{:02x}:{:02x}:{:02x}", chance.below(256), chance.below(256), chance.below(256)),
            format!("10.{}.{}.{}", chance.below(256), 100 + chance.below(100), 100 + chance.below(100)),
            format!(
                "fd{:02x}:{:x}::{:x}",
                chance.below(256),
                4096 + chance.below(60_000),
                4096 + chance.below(60_000)
            ),
            format!(
                "{}-{:04x}-4a5b-8c9d-0011{}",
                &token_of_digits(chance, &mut tokens)[..8],
                chance.below(65_536),
                "22334455"
            ),
            format!("00{:02x}:c1:00.{}", 1 + chance.below(255), chance.below(8)),
        ];
        tokens.extend(formed.iter().skip(1).cloned());
        // Some are upper case where they stand.
        let is_upper = |token: &str| serial.contains(&token.to_uppercase()) || label == token.to_uppercase();
        let tokens = tokens
            .into_iter()
            .map(|token| if is_upper(&token) { token.to_uppercase() } else { token })
            .collect();
        Private {
            host,
            user,
            serial,
            wwid,
            path,
            mount,
            mapper,
            job_file,
            run,
            note,
            tag,
            program,
            suite,
            sentence,
            group,
            variable,
            label,
            formed,
            tokens,
        }
    }

    /// All names, as they can stand in a text.
    fn all(&self) -> Vec<String> {
        let learned = [
            &self.host,
            &self.user,
            &self.serial,
            &self.wwid,
            &self.path,
            &self.mapper,
            &self.job_file,
            &self.run,
            &self.note,
            &self.tag,
            &self.program,
        ];
        let below = [
            format!("{}/x.bin", self.mount),
            format!("/home/{}/y", self.user),
            format!("{}@{}", self.user, self.host),
        ];
        learned.into_iter().chain(&self.formed).cloned().chain(below).collect()
    }

    /// What a person named in the parameters of a procedure.
    fn own_words(&self) -> OwnWords {
        OwnWords {
            suite: Some(self.suite.clone()),
            texts: vec![self.sentence.clone()],
            groups: vec![self.group.clone()],
            files: vec![self.job_file.clone()],
            settings: vec![("filename".to_owned(), self.mapper.clone())],
            variables: vec![self.variable.clone()],
        }
    }

    /// The command that was typed.
    fn command(&self) -> Vec<String> {
        [
            "fathom",
            "run",
            "--name",
            &self.run,
            "--note",
            &self.note,
            "--tag",
            &self.tag,
            "--write",
            &self.serial,
            &self.job_file,
        ]
        .map(str::to_owned)
        .to_vec()
    }

    /// A finding about another program.
    fn disturbance(&self) -> HostFinding {
        HostFinding {
            check: "noise.load".to_owned(),
            subject: "pid 4290".to_owned(),
            weight: FindingWeight::Warn,
            says: format!("{} used 65 % of a CPU, last on CPU 1", self.program),
            path: "/proc/4290/stat".to_owned(),
            raw: format!("4290 ({}) R 1 1 1 0 -1 4194304 9 0 0 0 7 5 0 0 20 0 1 0 900 0 0", self.program),
        }
    }

    /// The target of a procedure.
    fn target(&self) -> TargetIdentity {
        TargetIdentity {
            path: self.mapper.clone(),
            serial: Some(self.serial.clone()),
            backing_file: Some(self.path.clone()),
            ..TargetIdentity::default()
        }
    }

    /// The facts by which a name is known.
    fn facts(&self) -> Vec<fathom_results::Fact> {
        vec![
            fact("hostname", &self.host),
            fact("target./dev/loop7.serial", &self.serial),
            fact("target./dev/loop7.wwid", &self.wwid),
            fact(&format!("ground.{}", self.mount), "/dev/loop7"),
            fact("target./dev/loop7.loop_backing_file", &self.path),
        ]
    }

    /// The first name that is in a text.
    fn in_text(&self, text: &str) -> Option<String> {
        let token = self.tokens.iter().find(|token| text.contains(token.as_str()))?;
        let at = text.find(token.as_str())?;
        let around: String =
            text[..at].chars().rev().take(120).collect::<Vec<_>>().into_iter().rev().collect();
        let kinds = [
            ("host", &self.host),
            ("user", &self.user),
            ("serial", &self.serial),
            ("wwid", &self.wwid),
            ("path", &self.path),
            ("mount", &self.mount),
            ("mapper", &self.mapper),
            ("job file", &self.job_file),
            ("run", &self.run),
            ("note", &self.note),
            ("tag", &self.tag),
            ("program", &self.program),
            ("suite", &self.suite),
            ("sentence", &self.sentence),
            ("group", &self.group),
            ("variable", &self.variable),
            ("label", &self.label),
        ];
        let kind = kinds.iter().find(|(_, name)| name.contains(token.as_str()));
        let rest: String = text[at..].chars().take(60).collect();
        Some(format!("{token} of {kind:?} behind {around:?}: {rest:?}"))
    }
}

fn letters(chance: &mut Chance, of: &[u8], n: usize) -> String {
    (0..n).map(|_| char::from(*chance.pick(of))).collect()
}

fn token_of_digits(chance: &mut Chance, tokens: &mut Vec<String>) -> String {
    let token = letters(chance, b"0123456789abcdef", 14) + "b7";
    tokens.push(token[..8].to_owned());
    token
}

/// Writes names into all these texts of a value.
fn planted<T: Serialize + DeserializeOwned>(
    of: &T,
    places: &[String],
    chance: &mut Chance,
    names: &[String],
) -> T {
    let mut document = serde_json::to_value(of).unwrap();
    for place in places {
        let Some(text) = document.pointer_mut(place) else { continue };
        let before = text.as_str().unwrap_or_default().to_owned();
        let name = chance.pick(names).clone();
        // A path is one name, and in an option of a job a colon separates two.
        let is_path = ["/path", "/file", "/disk"].iter().any(|end| place.ends_with(end));
        let is_option = place.starts_with("/plan") || place.contains("/job/");
        let second = chance.pick(names).clone();
        let around = [" ", ", ", " (", "; ", ": "][chance.below(5)];
        *text = match chance.below(4) {
            _ if is_option && name.contains(':') => before,
            0 => name,
            _ if is_path || is_option => name,
            1 => format!("{name} {before}"),
            2 => format!("{before}{around}{name}) {second}"),
            _ => format!("{before}{around}{name}"),
        }
        .into();
    }
    serde_json::from_value(document).unwrap()
}

/// The product's own check, which searches in many spellings and takes long, is asked in one of so many cases.
const CHECKED_OF: u64 = 5;

/// A job with options of each kind that a user writes.
const JOB: &str = "[only]\nioengine=libaio\nfilename=/dev/loop7:/dev/loop8\nsize=1m\nrw=randread\nwrite_lat_log=x\ndescription=x\nfilename_format=x\n";

/// A run with something in every field, and its texts that can hold anything: of the record and of its jobs.
struct Base {
    run: RunResult,
    record: Vec<String>,
    jobs: Vec<Vec<String>>,
}

fn base() -> &'static Base {
    static BASE: OnceLock<Base> = OnceLock::new();
    BASE.get_or_init(|| {
        let mut recipe = Recipe::new(JOB);
        (recipe.seconds, recipe.rate, recipe.edit) = ((1, 3), 200, full);
        let mut run = recipe.run();
        run.record.findings.clear();
        run.record.answer = None;
        let record = places(&serde_json::to_value(&run.record).unwrap(), &parses::<RunRecord>);
        let of_job =
            |planned: &JobRecord| places(&serde_json::to_value(planned).unwrap(), &parses::<JobRecord>);
        let jobs = run.jobs.iter().map(|job| of_job(&job.planned)).collect();
        Base { run, record, jobs }
    })
}

/// A run that has the names everywhere.
fn run(seed: u64, private: &Private) -> RunResult {
    let base = base();
    let (names, mut run) = (private.all(), base.run.clone());
    let chance = &mut Chance::with(seed, names.clone());
    run.record = planted(&run.record, &base.record, chance, &names);
    for (job, places) in run.jobs.iter_mut().zip(&base.jobs) {
        job.planned = planted(&job.planned, places, chance, &names);
        let outcome = job.outcome.as_mut().unwrap();
        outcome.notes = vec![("ring".to_owned(), chance.text())];
    }
    runs::words(chance, &mut run, seed);
    let record = &mut run.record;
    (record.command, record.name) = (private.command(), private.run.clone());
    (record.note, record.tags) = (Some(private.note.clone()), vec![private.tag.clone()]);
    record.host.extend(private.facts());
    record.self_knowledge.disturbances.push(private.disturbance());
    let mut files = record.plan.jobs.iter_mut().flat_map(|job| &mut job.files);
    files.next().unwrap().path.clone_from(&private.mapper);
    run.dir = format!("{}/fathom-runs/x", private.mount).into();
    run.damage = chance.once_in(3).then(|| chance.text());
    run
}

/// A page without its style and its script, which are the same for all.
fn without_style(page: &str) -> String {
    match (page.split_once("<style>"), page.split_once("</style>"), page.split_once("<script>")) {
        (Some((head, _)), Some((_, rest)), Some(_)) => {
            let (body, _) = rest.split_once("<script>").unwrap();
            format!("{head}{body}")
        }
        _ => page.to_owned(),
    }
}

/// Searches each form.
fn is_in_none(private: &Private, forms: &[(String, String)]) -> Result<(), String> {
    for (form, text) in forms {
        if let Some(name) = private.in_text(&without_style(text)) {
            return Err(format!("{form}: {name}"));
        }
    }
    Ok(())
}

#[test]
fn no_form_of_a_redacted_run_has_a_random_name() {
    for seed in seeds(50) {
        let private = Private::of(seed);
        let whole = run(seed, &private);
        let open = fathom_report::redacted(&whole, std::slice::from_ref(&private.user))
            .unwrap_or_else(|why| panic!("FATHOM_RESULTS_FROM={seed}: {why}"));
        let forms = reports(&open.run).map(|(form, text)| (form.to_owned(), text));
        is_in_none(&private, &forms).unwrap_or_else(|why| panic!("FATHOM_RESULTS_FROM={seed}: {why}"));
        if seed.is_multiple_of(CHECKED_OF) {
            let checked = forms.iter().try_for_each(|(_, text)| open.check(text));
            assert_eq!(checked, Ok(()), "FATHOM_RESULTS_FROM={seed}");
        }
    }
}

/// A procedure that has the names everywhere.
fn with_names(seed: u64, private: &Private) -> Made {
    static PLACES: OnceLock<Vec<String>> = OnceLock::new();
    let own = [&private.suite, &private.sentence, &private.group, &private.variable];
    let names: Vec<String> = private.all().into_iter().chain(own.into_iter().cloned()).collect();
    let chance = &mut Chance::with(seed, names.clone());
    let mut made = procedure(chance, seed);
    for (number, step) in made.procedure.steps.iter_mut().enumerate() {
        if let StepDone::Round(round) = &mut step.did {
            round.cell = format!("{} {}", private.group, private.variable);
            round.directory = format!("{number:04}-{}-{}", private.group, private.variable);
        }
    }
    let record = &mut made.procedure.record;
    record.targets = vec![private.target()];
    let free = || {
        places(
            &serde_json::to_value(&crate::repeated::repeated().record).unwrap(),
            &parses::<ProcedureRecord>,
        )
    };
    let kind = record.procedure.clone();
    *record = planted(record, PLACES.get_or_init(free), chance, &names);
    record.procedure = kind;
    (record.command, record.name) = (private.command(), private.run.clone());
    (record.note, record.tags) = (Some(private.note.clone()), vec![private.tag.clone()]);
    record.shared.host = private.facts();
    record.shared.audit.push(private.disturbance());
    record.shared.targets.push(private.mapper.clone());
    record.parameters.push(("operator".to_owned(), private.user.clone()));
    record.jobs.files.push(private.job_file.clone());
    made.procedure.dir = format!("{}/fathom-runs/x", private.mount).into();
    made
}

#[test]
fn no_form_of_a_redacted_procedure_has_a_random_name() {
    for seed in seeds(90) {
        let private = Private::of(seed);
        let made = with_names(seed, &private);
        let mut known = PrivateNames::default();
        known.learn_procedure(&made.procedure, std::slice::from_ref(&private.user), &private.own_words());
        let beside = BesideProcedure {
            damage: &made.damage,
            standard: made.standard.as_ref(),
            so_far: made.so_far.as_ref(),
        };
        let open = known
            .redacted_procedure(&made.procedure, beside)
            .unwrap_or_else(|why| panic!("FATHOM_RESULTS_FROM={seed}: {why}"));
        let state = ProcedureState {
            damage: &open.damage,
            is_running: false,
            so_far: open.so_far.as_ref(),
            standard: open.standard.as_ref(),
            ..ProcedureState::default()
        };
        let document = ProcedureDocument {
            standard_report: open.standard.clone(),
            ..ProcedureDocument::of(&open.procedure, &open.damage)
        };
        let text =
            |has_details| terminal::procedure(&open.procedure, state, has_details, Style::PLAIN).to_string();
        let above = || AboveTables::of(&open.procedure, state);
        let of_standard = open.standard.as_ref().map(|report| standard_page(report, None, above()));
        let forms = [
            ("page", procedure_page(&open.procedure, state, None)),
            ("page of tables", of_standard.unwrap_or_default()),
            ("summary", text(false)),
            ("details", text(true)),
            ("csv", rounds_csv(&open.procedure, Columns::USUAL)),
            ("document", serde_json::to_string(&document).unwrap()),
        ]
        .map(|(form, text)| (form.to_owned(), text));
        is_in_none(&private, &forms).unwrap_or_else(|why| panic!("FATHOM_RESULTS_FROM={seed}: {why}"));
        if seed.is_multiple_of(CHECKED_OF) {
            let checked = forms.iter().try_for_each(|(_, text)| open.check(text));
            assert_eq!(checked, Ok(()), "FATHOM_RESULTS_FROM={seed}");
        }
    }
}

#[test]
fn no_form_of_a_redacted_comparison_has_a_random_name() {
    for seed in seeds(60) {
        let private = Private::of(seed);
        let names = private.all().into_iter().chain([private.label.clone()]).collect();
        let mut compared = comparison(&mut Chance::with(seed, names));
        compared.subjects[0].name.clone_from(&private.label);
        let mut known = PrivateNames::default();
        known.learn_run(&run(seed, &private), std::slice::from_ref(&private.user));
        let open =
            known.redacted(&compared).unwrap_or_else(|why| panic!("FATHOM_RESULTS_FROM={seed}: {why}"));
        let text =
            |has_details| terminal::comparison(&open.comparison, has_details, Style::PLAIN).to_string();
        let forms = [
            ("page", comparison_page(&open.comparison)),
            ("summary", text(false)),
            ("details", text(true)),
            ("document", serde_json::to_string(&open.comparison).unwrap()),
        ]
        .map(|(form, text)| (form.to_owned(), text));
        is_in_none(&private, &forms).unwrap_or_else(|why| panic!("FATHOM_RESULTS_FROM={seed}: {why}"));
    }
}
