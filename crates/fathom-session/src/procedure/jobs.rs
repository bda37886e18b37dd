//! The jobs of a procedure: read once, kept as text, and read again from there for each round.

use crate::exit::Failure;
use crate::here::Here;
use crate::notice::Message;
use crate::planning::planned;
use fathom_job::options;
use fathom_job::parse::{self, Adjust, JobSet, Keywords, Surroundings};
use fathom_job::plan::Plan;
use fathom_procedures::{Round, RoundJobs};
use fathom_results::procedure::{JobSource, JobText};
use std::sync::{Mutex, PoisonError};

/// Reads the job files of the command line, and keeps every text for the rounds.
///
/// # Errors
/// The jobs cannot run, with all findings.
pub fn read(files: &[String], adjust: &Adjust, here: &Here) -> Result<(JobSet, JobSource), Failure> {
    let recording = Recording { here, texts: Mutex::default(), variables: Mutex::default() };
    let jobs = parse::load(files, adjust, &recording).map_err(|e| Failure::job(&e))?;
    let source = JobSource {
        files: files.to_vec(),
        texts: recording.texts.into_inner().unwrap_or_else(PoisonError::into_inner),
        variables: recording.variables.into_inner().unwrap_or_else(PoisonError::into_inner),
        set: adjust.set.clone(),
        target: adjust.target.clone(),
        sections: adjust.sections.clone(),
    };
    Ok((jobs, source))
}

/// Reads job files that run apart from each other: the jobs of each, and the texts of all.
///
/// # Errors
/// The jobs of a file cannot run, with all findings.
pub fn read_apart(
    files: &[String],
    adjust: &Adjust,
    here: &Here,
) -> Result<(Vec<JobSet>, JobSource), Failure> {
    let (mut jobs, mut all) = (Vec::new(), JobSource { files: files.to_vec(), ..JobSource::default() });
    for file in files {
        let (of_file, one) = read(std::slice::from_ref(file), adjust, here)?;
        jobs.push(of_file);
        all.texts.extend(one.texts);
        all.variables.extend(one.variables);
        (all.set, all.target, all.sections) = (one.set, one.target, one.sections);
    }
    Ok((jobs, all))
}

/// The plan of a round, with these options set last in every job.
pub(super) fn plan(
    source: &JobSource,
    round: &Round,
    last: &[(String, String)],
    here: &Here,
) -> Result<(JobSet, Plan), Failure> {
    let jobs = of_round(source, round, last, here)?;
    let plan = planned(&jobs, here)?;
    Ok((jobs, plan))
}

/// How many jobs a round has, with all clones, before they are planned.
pub(super) fn count(source: &JobSource, round: &Round, here: &Here) -> Result<u64, Failure> {
    let jobs = of_round(source, round, &[], here)?;
    Ok(jobs.jobs.iter().map(|job| u64::from(job.get(&options::NUMJOBS))).sum())
}

/// The jobs of a round, with these options set last in every one.
fn of_round(
    source: &JobSource,
    round: &Round,
    last: &[(String, String)],
    here: &Here,
) -> Result<JobSet, Failure> {
    let jobs = match &round.jobs {
        RoundJobs::AsGiven { set } => {
            let set = [&source.set, set, last].into_iter().flatten().cloned().collect();
            parse::load(&source.files, &adjusted(source, set), &Recorded { source, here })
        }
        RoundJobs::Files { files } => {
            let set = source.set.iter().chain(last).cloned().collect();
            parse::load(files, &adjusted(source, set), &Recorded { source, here })
        }
        RoundJobs::Text { text, adjust } => {
            let set = adjust.set.iter().chain(last).cloned().collect();
            parse::load_text(&round.cell, text, &Adjust { set, ..adjust.clone() }, here)
        }
    };
    jobs.map_err(|e| Failure::job(&e))
}

/// What the command line changed in every job, with these options in the place of its own.
fn adjusted(source: &JobSource, set: Vec<(String, String)>) -> Adjust {
    let (target, sections) = (source.target.clone(), source.sections.clone());
    Adjust { set, target, sections, ..Adjust::default() }
}

/// The plan of the jobs that were given to a procedure, from their saved texts.
///
/// # Errors
/// The jobs cannot run.
pub fn saved_plan(source: &JobSource, here: &Here) -> Result<Plan, Failure> {
    let jobs = RoundJobs::AsGiven { set: Vec::new() };
    let round = Round::of("", jobs);
    plan(source, &round, &[], here).map(|(_, plan)| plan)
}

/// Says which job files have changed since the procedure began. Their saved texts are used.
pub(super) fn tell_changes(source: &JobSource, here: &Here) {
    for text in source.texts.iter().filter(|text| text.path != "-") {
        if here.read(&text.path, text.from.as_deref()).is_ok_and(|now| now != text.text) {
            let message =
                format!("{} has changed since the procedure began; its saved text is used", text.path);
            here.tell(Message::note(message));
        }
    }
}

/// Keeps what is read.
struct Recording<'a> {
    here: &'a Here,
    texts: Mutex<Vec<JobText>>,
    variables: Mutex<Vec<(String, Option<String>)>>,
}

impl Surroundings for Recording<'_> {
    fn read(&self, path: &str, from: Option<&str>) -> Result<String, String> {
        let text = self.here.read(path, from)?;
        let kept = JobText { path: path.to_owned(), from: from.map(str::to_owned), text: text.clone() };
        self.texts.lock().unwrap_or_else(PoisonError::into_inner).push(kept);
        Ok(text)
    }

    fn read_data(&self, path: &str) -> Result<String, String> {
        let text = self.here.read_data(path)?;
        let kept = JobText { path: path.to_owned(), from: None, text: text.clone() };
        self.texts.lock().unwrap_or_else(PoisonError::into_inner).push(kept);
        Ok(text)
    }

    fn may_show(&self, path: &str, from: Option<&str>) -> bool {
        self.here.may_show(path, from)
    }

    fn variable(&self, name: &str) -> Option<String> {
        let value = self.here.variable(name);
        let mut variables = self.variables.lock().unwrap_or_else(PoisonError::into_inner);
        if !variables.iter().any(|(known, _)| known == name) {
            variables.push((name.to_owned(), value.clone()));
        }
        value
    }

    fn keywords(&self) -> Keywords {
        self.here.keywords()
    }
}

/// Gives what was kept.
struct Recorded<'a> {
    source: &'a JobSource,
    here: &'a Here,
}

impl Surroundings for Recorded<'_> {
    fn read(&self, path: &str, from: Option<&str>) -> Result<String, String> {
        let is_it = |text: &&JobText| text.path == path && text.from.as_deref() == from;
        let source_text = self.source.texts.iter().find(is_it);
        let missing = || "it was not read when the procedure began".to_owned();
        source_text.map(|text| text.text.clone()).ok_or_else(missing)
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.source.variables.iter().find(|(known, _)| known == name)?.1.clone()
    }

    fn keywords(&self) -> Keywords {
        self.here.keywords()
    }
}
