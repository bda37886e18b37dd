//! Fixtures: one file a check, `fixtures/ID.fixture`, with its cases.
//!
//! ```text
//! == powersave on every policy            begins a case, with its name
//! kind: positive                          positive, negative, missing, garbage
//! latency: warn                           expected verdict for a goal, or all:
//! says: lowers the clock                  words that must be said
//! subject: policy0                        only what is said about it counts
//! target: /dev/nvme0n1                    else every real disk
//! job: block=4096 direct=no iodepth=32    what the job needs
//! base: server                            tests/trees/server.tree; none: empty
//! /sys/…/scaling_governor = powersave     in what the machine differs
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use fathom_device::Goal;
use fathom_device::tree::Tree;
use fathom_host::audit::{Grade, JobNeeds};

/// What a case shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The check finds something.
    Positive,
    /// The check finds nothing wrong, and says so.
    Negative,
    /// The file does not exist.
    Missing,
    /// The file holds nonsense.
    Garbage,
}

impl Kind {
    pub const ALL: [Kind; 4] = [Kind::Positive, Kind::Negative, Kind::Missing, Kind::Garbage];

    fn named(word: &str) -> Self {
        match word {
            "positive" => Kind::Positive,
            "negative" => Kind::Negative,
            "missing" => Kind::Missing,
            "garbage" => Kind::Garbage,
            other => panic!("no kind {other}"),
        }
    }
}

#[derive(Debug)]
pub struct Case {
    pub check: String,
    pub name: String,
    pub kind: Kind,
    verdicts: Vec<(Goal, Grade)>,
    pub says: Vec<String>,
    pub subject: Option<String>,
    pub targets: Vec<PathBuf>,
    pub job: JobNeeds,
    base: String,
    overlay: String,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.check, self.name)
    }
}

/// Every case of every file.
pub fn all() -> Vec<Case> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(tests_dir("audit/fixtures")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().flat_map(|file| cases(file)).collect()
}

fn tests_dir(rest: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(rest)
}

fn cases(file: &Path) -> Vec<Case> {
    let check = file.file_stem().unwrap().to_str().unwrap();
    let text = fs::read_to_string(file).unwrap();
    let text = format!("\n{text}");
    text.split("\n== ").skip(1).map(|text| Case::parse(check, text)).collect()
}

impl Case {
    fn parse(check: &str, text: &str) -> Self {
        let (name, body) = text.split_once('\n').unwrap_or((text, ""));
        let mut case = Self {
            check: check.to_owned(),
            name: name.trim().to_owned(),
            kind: Kind::Positive,
            verdicts: Vec::new(),
            says: Vec::new(),
            subject: None,
            targets: Vec::new(),
            job: JobNeeds::default(),
            base: "server".to_owned(),
            overlay: String::new(),
        };
        for line in body.lines() {
            let header = line.split_once(": ").filter(|(key, _)| key.bytes().all(|b| b.is_ascii_lowercase()));
            match header {
                Some((key, value)) => case.set(key, value.trim()),
                None => case.overlay.push_str(&format!("{line}\n")),
            }
        }
        assert!(body.contains("kind: "), "{case} has no kind");
        case
    }

    fn set(&mut self, key: &str, value: &str) {
        match key {
            "kind" => self.kind = Kind::named(value),
            "says" => self.says.push(value.to_owned()),
            "subject" => self.subject = Some(value.to_owned()),
            "target" => self.targets.push(PathBuf::from(value)),
            "base" => self.base = value.to_owned(),
            "all" => self.verdicts.extend(Goal::ALL.map(|goal| (goal, verdict(value)))),
            "job" => value.split_whitespace().for_each(|word| self.set_job(word)),
            goal => self.verdicts.push((goal.parse().unwrap(), verdict(value))),
        }
    }

    fn set_job(&mut self, word: &str) {
        let (key, value) = word.split_once('=').unwrap();
        let number = || Some(value.parse().unwrap());
        let flag = || Some(value == "yes");
        let job = &mut self.job;
        match key {
            "block" => (job.block_bytes_min, job.block_bytes_max) = (number(), number()),
            "align" => job.align_bytes = number(),
            "iodepth" => job.iodepth = number(),
            "workers" => job.workers = number(),
            "direct" => job.direct = flag(),
            "random" => job.random = flag(),
            "reads" => job.reads = flag(),
            "cold" => job.reads_cold = flag(),
            "writes" => job.writes = flag(),
            "engine" => job.engine = Some(value.to_owned()),
            "polled" => job.polled = flag(),
            "cpus" => job.cpus = Some(value.parse().unwrap()),
            "buffers" => job.buffer_bytes = number(),
            "registers" => job.registers_buffers = flag(),
            "files" => job.files = number(),
            "written" => job.written_bytes = number(),
            "seconds" => job.seconds = number(),
            "moved" => job.moved_bytes = number(),
            "probes" => job.probe_iops = value.split(',').map(|n| n.parse().unwrap()).collect(),
            "ran" => job.has_run = value == "yes",
            other => panic!("no need of a job is called {other}"),
        }
    }

    /// The expected verdict for a goal: the last one in the case counts.
    pub fn verdict(&self, goal: Goal) -> Option<Grade> {
        self.verdicts.iter().rev().find(|(of, _)| *of == goal).map(|(_, verdict)| *verdict)
    }

    /// The machine of the case.
    pub fn tree(&self) -> Tree {
        let mut tree = if self.base == "none" { Tree::default() } else { base(&self.base) };
        tree.overlay(&self.overlay).unwrap_or_else(|e| panic!("{self}: {e}"));
        tree
    }
}

/// A recorded machine that fixtures are based on; each is parsed once.
pub fn base(name: &str) -> Tree {
    static BASES: Mutex<BTreeMap<String, Tree>> = Mutex::new(BTreeMap::new());
    let mut bases = BASES.lock().unwrap();
    let parsed = bases.entry(name.to_owned()).or_insert_with(|| {
        let text = fs::read_to_string(tests_dir(&format!("trees/{name}.tree"))).unwrap();
        Tree::parse(&text).unwrap()
    });
    parsed.clone()
}

fn verdict(word: &str) -> Grade {
    let all = [Grade::NotApplicable, Grade::Ok, Grade::Info, Grade::Warn, Grade::Bad];
    all.into_iter().find(|verdict| verdict.word() == word).unwrap_or_else(|| panic!("no verdict {word}"))
}
