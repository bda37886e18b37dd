//! What was tuned is read back before each phase of a run.
//!
//! A phase begins when no job runs: at the beginning, after a stonewall, or when
//! the job for which others wait has ended. So nothing is read while anything is
//! measured.

use crate::tuned::Tuned;
use fathom_engine::sink::Sink;
use fathom_job::plan::Plan;
use fathom_results::Frame;
use fathom_results::finding::DriftMoment;

/// How many jobs of a phase are named.
const NAMED_MAX: usize = 3;

/// Passes frames on, and reads settings back between the phases of a run.
pub struct ReadBack<'a> {
    plan: &'a Plan,
    tuned: Option<&'a Tuned>,
    /// Phases that have begun.
    begun: usize,
    inner: &'a mut dyn Sink,
}

impl<'a> ReadBack<'a> {
    /// Passes everything on to `inner`; without a tuning it does nothing else.
    pub fn before(inner: &'a mut dyn Sink, plan: &'a Plan, tuned: Option<&'a Tuned>) -> Self {
        ReadBack { plan, tuned, begun: 0, inner }
    }
}

impl Sink for ReadBack<'_> {
    fn frame(&mut self, frame: &Frame) {
        self.inner.frame(frame);
    }

    fn inner(&mut self) -> Option<&mut dyn Sink> {
        Some(&mut *self.inner)
    }

    fn before_start(&mut self, jobs: &[usize]) {
        self.begun += 1;
        if let Some(tuned) = self.tuned {
            let names = jobs.iter().filter_map(|&job| self.plan.jobs.get(job)).map(|job| job.name.as_str());
            let (jobs, more) = first(names);
            tuned.verify(&DriftMoment::BeforePhase { phase: self.begun as u64, jobs, more });
        }
        self.inner.before_start(jobs);
    }
}

/// The names of jobs, each once; after the first few only their number.
pub(crate) fn named<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let (jobs, more) = first(names);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{more}", jobs.join(", "))
}

/// The first names of a phase's jobs, each once, and how many there are more.
fn first<'n>(names: impl Iterator<Item = &'n str>) -> (Vec<String>, u64) {
    // The clones of one job follow each other.
    let mut different: Vec<String> = names.map(str::to_owned).collect();
    different.dedup();
    let more = different.len().saturating_sub(NAMED_MAX);
    different.truncate(NAMED_MAX);
    (different, more as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::here::Here;
    use crate::notice::{Listener, Notice};
    use fathom_device::Goal;
    use fathom_device::Root;
    use fathom_job::parse::{Adjust, load_text};
    use fathom_tune::{ApplyOptions, Select, Session, SettingPlace, Writer, plan};
    use std::fs;
    use std::io;
    use std::path::Path;
    use std::sync::Arc;

    /// Settings that are regular files.
    struct Files;

    impl Writer for Files {
        fn write(&self, root: &Root, place: &SettingPlace, text: &str) -> io::Result<()> {
            fs::write(root.at(place.file().unwrap()), text)
        }
    }

    struct NoListener;

    impl Listener for NoListener {
        fn notice(&self, _: Notice<'_>) {}
    }

    struct Nobody;

    impl Sink for Nobody {
        fn frame(&mut self, _: &Frame) {}
    }

    /// vm.swappiness at 60, tuned to 5.
    fn tuned(dir: &Path) -> Tuned {
        let file = dir.join("machine/proc/sys/vm/swappiness");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "60").unwrap();
        let root = Root::recorded(dir.join("machine"));
        let select = Select::only(["vm.swappiness=5"]);
        let plan = plan(&root, &[], Goal::Latency, &select).unwrap();
        let options = ApplyOptions {
            hash: plan.hash.clone(),
            named: select.names_only(),
            dir: dir.join("state"),
            writer: Arc::new(Files),
            guardian: None,
            holds: false,
            all_or_nothing: false,
        };
        Tuned::new(Session::apply(&root, &plan, options).unwrap())
    }

    /// A setting that is changed between two phases and then corrected: the end does not show it.
    #[test]
    fn what_drifts_is_told_with_the_phase() {
        let dir = tempfile::tempdir().unwrap();
        let setting = dir.path().join("machine/proc/sys/vm/swappiness");
        let tuned = tuned(dir.path());
        let jobs = "[global]\nioengine=null\nrw=read\nsize=4k\n[a]\n[b]\nstonewall\n[c]\nstonewall\n";
        let here = Here::new(Arc::new(NoListener));
        let jobs = load_text("test", jobs, &Adjust::default(), &here).unwrap();
        let plan = crate::planning::planned(&jobs, &here).unwrap();
        let mut nobody = Nobody;
        let mut sink = ReadBack::before(&mut nobody, &plan, Some(&tuned));
        sink.before_start(&[0]);
        fs::write(&setting, "7").unwrap();
        sink.before_start(&[1]);
        fs::write(&setting, "5").unwrap();
        sink.before_start(&[2]);
        let (facts, findings) = tuned.drift_at_end();
        assert_eq!((facts.len(), findings.len()), (1, 1), "{findings:?}");
        assert_eq!(findings[0].code(), "tuning-drifted");
        let words = fathom_words::of_finding(&findings[0]);
        assert!(words.claim.whole().contains("before phase 2 (b)"), "{words:?}");
        assert!(words.evidence.contains("made 5, found 7"), "{words:?}");
        assert!(!tuned.has_held());
        assert!(tuned.put_back().unwrap().is_back);
        assert_eq!(fs::read_to_string(setting).unwrap(), "60");
    }

    #[test]
    fn clones_are_named_once_and_many_jobs_are_counted() {
        let of = |names: &[&str]| {
            let (jobs, more) = first(names.iter().copied());
            (jobs.join(" "), more)
        };
        assert_eq!(of(&["a", "a", "b"]), ("a b".to_owned(), 0));
        assert_eq!(of(&["a", "b", "c", "d", "d", "e"]), ("a b c".to_owned(), 2));
    }
}
