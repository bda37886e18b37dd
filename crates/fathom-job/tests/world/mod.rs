//! A small world for job files: files and variables in memory.
#![allow(dead_code, reason = "not every test file uses every function here")]

use fathom_job::diagnostic::Diagnostic;
use fathom_job::job::Job;
use fathom_job::parse::{Adjust, JobSet, Keywords, Surroundings, load_text};
use std::collections::HashMap;

/// Files by path, variables by name.
#[derive(Default)]
pub struct World {
    pub files: HashMap<String, String>,
    pub variables: HashMap<String, String>,
}

impl World {
    pub fn file(mut self, path: &str, text: &str) -> Self {
        self.files.insert(path.to_owned(), text.to_owned());
        self
    }

    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.insert(name.to_owned(), value.to_owned());
        self
    }
}

impl Surroundings for World {
    fn read(&self, path: &str, _from: Option<&str>) -> Result<String, String> {
        self.files.get(path).cloned().ok_or_else(|| "no such file".to_owned())
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(name).cloned()
    }

    fn keywords(&self) -> Keywords {
        Keywords { page_size: 4096, memory_mb: 2048, cpus: 5 }
    }
}

/// The jobs of a text in an empty world.
pub fn load(text: &str) -> Result<JobSet, Vec<Diagnostic>> {
    load_text("job.fio", text, &Adjust::default(), &World::default())
}

/// The first job of a text that must be right.
pub fn job(text: &str) -> Job {
    match load(text) {
        Ok(mut set) => set.jobs.remove(0),
        Err(found) => panic!("{text}\n{}", listed(&found)),
    }
}

/// The codes of what is wrong with a text that must be wrong.
pub fn codes(text: &str) -> Vec<String> {
    match load(text) {
        Ok(_) => panic!("nothing wrong with:\n{text}"),
        Err(found) => found.into_iter().map(|d| d.code).collect(),
    }
}

/// Findings as one text.
pub fn listed(findings: &[Diagnostic]) -> String {
    findings.iter().map(|d| format!("{d}\n")).collect()
}
