//! One side of a comparison: a program that runs a job file and prints fio's JSON.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::meter::{Meter, Used};
use crate::command::{capture, command};

/// A load generator.
pub struct Tool {
    /// The heading of its column.
    pub name: &'static str,
    /// Whether it is given fio's own flags.
    pub is_fio: bool,
    program: PathBuf,
    /// Its arguments before the job file.
    words: &'static [&'static str],
    /// The processor that it is bound to.
    processor: u32,
}

/// The result of one run.
pub struct Run {
    /// I/Os done.
    pub ios: f64,
    /// I/Os per second, as the tool computes it.
    pub iops: f64,
    /// What it used.
    pub used: Used,
    /// The tool's JSON about its first job.
    pub job: Value,
}

impl Tool {
    /// fio, as Debian packages it.
    pub fn fio(processor: u32) -> Self {
        let words = &["--output-format=json"];
        Self { name: "fio", is_fio: true, program: PathBuf::from("fio"), words, processor }
    }

    /// fathom, called as `fathom fio`.
    pub fn fathom(program: PathBuf, processor: u32) -> Self {
        Self { name: "fathom", is_fio: false, program, words: &["fio", "--output-format=json"], processor }
    }

    /// The loop that measures nothing.
    pub fn bare(program: PathBuf, processor: u32) -> Self {
        Self { name: "bare loop", is_fio: false, program, words: &[], processor }
    }

    /// The words that run a job file, bound to the processor.
    pub fn words(&self, job_file: &Path) -> Vec<String> {
        let processor = self.processor.to_string();
        let mut words: Vec<String> = ["taskset", "-c", &processor].map(str::to_owned).into();
        words.push(self.program.to_string_lossy().into_owned());
        words.extend(self.words.iter().map(|word| (*word).to_owned()));
        words.push(job_file.to_string_lossy().into_owned());
        words
    }

    /// The same as a command, in the directory of the job file.
    pub fn command(&self, job_file: &Path) -> Command {
        let words = self.words(job_file);
        let rest: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        let mut command = command(&words[0], &rest);
        if let Some(directory) = job_file.parent() {
            command.current_dir(directory);
        }
        command
    }

    /// Runs the job; `disk` is the block device that it reads, if it reads one.
    pub fn run(&self, job_file: &Path, disk: Option<&str>) -> Result<Run, String> {
        let before = Meter::read(self.processor, disk)?;
        let printed = capture(&mut self.command(job_file))?;
        let used = Meter::read(self.processor, disk)?.since(&before);
        let job = first_job(&printed).map_err(|e| format!("{}: {e}", self.name))?;
        let sum = |key: &str| -> f64 {
            ["read", "write"].iter().filter_map(|direction| job[direction][key].as_f64()).sum()
        };
        let (ios, iops) = (sum("total_ios"), sum("iops"));
        if ios <= 0.0 {
            return Err(format!("{}: its JSON holds no I/Os", self.name));
        }
        Ok(Run { ios, iops, used, job })
    }
}

/// The first job of fio's JSON. fio may print remarks before the document.
fn first_job(printed: &str) -> Result<Value, String> {
    let begin = printed.find('{').ok_or("it printed no JSON")?;
    let mut document: Value = serde_json::from_str(&printed[begin..]).map_err(|e| e.to_string())?;
    match document["jobs"].get_mut(0) {
        Some(job) => Ok(job.take()),
        None => Err("its JSON holds no job".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_past_remarks() {
        let printed = "fio: a remark\n{\"jobs\": [{\"read\": {\"iops\": 1234.5}}]}";
        assert_eq!(first_job(printed).unwrap()["read"]["iops"], 1234.5);
    }

    #[test]
    fn no_job_is_an_error() {
        assert!(first_job("nothing").is_err());
        assert!(first_job("{\"jobs\": []}").is_err());
        assert!(first_job("{\"jobs\": 1}").is_err());
    }
}
