//! Prepares the target or the host, and takes back what must not stay.

use super::driver::{Driver, Outcome};
use crate::base::RunBase;
use crate::exit::{Exit, Failure};

use crate::here::Here;
use crate::notice::Notice;
use crate::state::device_states;
use fathom_guard::purge::{self, Ledger, Proof, PurgeError, PurgePlan, Sampling, Wish};
use fathom_guard::{Consent, Door, RELEASE_FIRST};
use fathom_job::plan::simulated_model;
use fathom_results::procedure::{Preparation, StepDone};
use fathom_text::carried::to_path;
use fathom_text::quantity::bytes;
use fathom_text::shell::quoted;
use fathom_tune::DroppedCache;

impl Driver<'_> {
    /// Does one preparation.
    pub(super) fn prepare(&mut self, preparation: &Preparation) -> Result<Outcome, Failure> {
        let mut method = None;
        let evidence = match preparation {
            Preparation::Purge { target } => {
                let (evidence, purged_by) = self.purge(target, None)?;
                method = purged_by;
                evidence
            }
            Preparation::Format { target, block_bytes } => self.purge(target, Some(*block_bytes))?.0,
            Preparation::Fill { target } => match self.fill(target)? {
                Ok(evidence) => evidence,
                Err(exit) => return Ok(Outcome::Stopped(exit)),
            },
            Preparation::FileSystem { device, kind } => self.make_file_system(device, kind)?,
            Preparation::Mount { device, kind, at, mounted: true } => self.mount(device, kind, at)?,
            Preparation::Mount { at, mounted: false, .. } => {
                self.unmount(&to_path(at))?;
                "it is not mounted any more".to_owned()
            }
            Preparation::DropCaches => {
                let dropped = fathom_tune::drop_caches(self.base.here().root());
                sentence(
                    dropped
                        .map_err(|e| Failure::new(Exit::Failed, e).hint("only root can drop the caches"))?,
                )
            }
            Preparation::Tuning { in_force: true } => self.tune()?,
            Preparation::Tuning { in_force: false } => {
                self.untune()?;
                "every setting was put back".to_owned()
            }
            Preparation::Unknown => {
                let message = "the procedure asks for a preparation that this fathom does not know";
                return Err(Failure::new(Exit::Failed, message));
            }
        };
        Ok(Outcome::done(StepDone::Prepared { preparation: preparation.clone(), evidence, method }))
    }

    /// Puts the tuning in force.
    pub(super) fn tune(&mut self) -> Result<String, Failure> {
        let tuner = self
            .terms
            .tuner
            .ok_or_else(|| Failure::new(Exit::Usage, "the procedure tries a tuning, and none was given"))?;
        let tuned = tuner.apply()?;
        let fact = |fact: &fathom_results::Fact| {
            format!(
                "{}: {}",
                fact.name.trim_start_matches("tune."),
                fact.value.as_deref().unwrap_or("refused")
            )
        };
        let evidence = tuned.facts().iter().map(fact).collect::<Vec<_>>().join("; ");
        self.tuned = Some(tuned);
        Ok(evidence)
    }

    /// Releases every target, so that something else can claim it. The next round claims its targets
    /// again.
    pub(super) fn release(&mut self) {
        let (terms, known) = (&self.terms, self.base.known());
        let here = self.base.here();
        let base = RunBase::new(Door::Native, terms.consent.clone(), terms.state_dir.clone(), here);
        self.base = base.of_procedure(&self.record.id);
        known.into_iter().for_each(|host| self.base.knows(host));
    }

    /// Takes the tuning back, if one is in force.
    pub(super) fn untune(&mut self) -> Result<(), Failure> {
        let Some(tuned) = self.tuned.take() else { return Ok(()) };
        let has_held = tuned.has_held();
        let back = tuned.put_back().map_err(|e| Failure::new(Exit::Failed, e))?;
        match back.is_back && has_held {
            true => Ok(()),
            false => {
                let message = "a setting could not be put back, or somebody changed it";
                Err(Failure::new(Exit::NotValid, message).hint("fathom tune status shows its state"))
            }
        }
    }

    /// Purges a device, or formats it to blocks of this size: what was found afterwards, and the id of the method. The purge claims the device itself.
    fn purge(&mut self, target: &str, block_bytes: Option<u32>) -> Result<(String, Option<String>), Failure> {
        if simulated_model(target).is_some() {
            self.base.drives().purge(target);
            return Ok(("the simulated drive was reset to empty".to_owned(), None));
        }
        self.release();
        let (here, path) = (self.base.here(), to_path(target));
        let terms = &self.terms;
        let plan = planned_purge(target, block_bytes, &terms.consent, here)?;
        let ledger = Ledger::at(device_states());
        let mut tell = |progress| {
            if let purge::PurgeProgress::Step(step) = progress {
                here.listener().notice(Notice::Examining(&format!("{}: {step}", path.display())));
            }
        };
        let consent = terms.consent.clone();
        let record = purge::execute(here.root(), &plan, consent, &ledger, Sampling::default(), &mut tell);
        let proof = record.map_err(|e| refused(&e))?.proof;
        match proof.is_given() {
            true => Ok((format!("{}: {}", plan.title, proof.statement), Some(plan.method.to_owned()))),
            false => Err(not_purged(&plan, &proof)),
        }
    }
}

/// What would be measured after a purge without proof is not what the procedure measures.
fn not_purged(plan: &PurgePlan, proof: &Proof) -> Failure {
    let path = plan.path.display();
    let message = format!("the procedure purged {path} ({}), and {}", plan.title, proof.statement);
    Failure::new(Exit::NotValid, message)
        .hint(format!("to see the other methods: fathom purge --plan {}", quoted(&plan.path)))
}

/// What would keep these targets from being purged.
pub fn purge_refusals<'t>(
    targets: impl IntoIterator<Item = &'t str>,
    consent: &Consent,
    here: &Here,
) -> Vec<Failure> {
    let real = targets.into_iter().filter(|target| simulated_model(target).is_none());
    real.filter_map(|target| planned_purge(target, None, consent, here).err()).collect()
}

/// The purge of a target, which may be done.
fn planned_purge(
    target: &str,
    block_bytes: Option<u32>,
    consent: &Consent,
    here: &Here,
) -> Result<PurgePlan, Failure> {
    let (path, wish) = (to_path(target), Wish { method: None, block_bytes });
    let plan = here.slow_look().at(&path, || purge::plan(here.root(), &path, &wish, consent));
    let plan = plan.map_err(|e| refused(&e))?;
    allowed(&plan)?;
    Ok(plan)
}

/// What became of the page cache.
fn sentence(dropped: DroppedCache) -> String {
    let dropped_it = "the kernel dropped its clean caches";
    match (dropped.before_bytes, dropped.after_bytes) {
        (Some(before), Some(after)) => {
            let [before, after] = [before, after].map(|count| bytes(count as f64));
            format!("{dropped_it}: files had {before} in memory before, and {after} after")
        }
        _ => dropped_it.to_owned(),
    }
}

fn allowed(plan: &PurgePlan) -> Result<(), Failure> {
    if let Some(why) = plan.barred_by() {
        let message = format!("the procedure purges {}, and that is refused: {why}", plan.path.display());
        return Err(Failure::new(Exit::Refused, message).hint(RELEASE_FIRST));
    }
    if plan.is_allowed() {
        return Ok(());
    }
    let message = format!("the procedure purges {}, and there is no consent to that", plan.path.display());
    let words = plan.consent().unwrap_or_default();
    let hint = match words.is_empty() {
        true => format!("to see what prevents it: fathom purge --plan {}", quoted(&plan.path)),
        false => words.iter().map(|word| format!("--destroy {word}")).collect::<Vec<_>>().join(" "),
    };
    Err(Failure::new(Exit::Refused, message).hint(hint).lacking_consent(!words.is_empty()))
}

fn refused(e: &PurgeError) -> Failure {
    Failure::of(e, e.is_refusal(), e.is_usage()).hints(e.hints())
}
