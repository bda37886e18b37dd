//! One side of a comparison: a program that runs a job file and prints fio's JSON.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::command::{capture, command};

/// A load generator.
pub struct Tool {
    /// The heading of its column.
    pub name: &'static str,
    program: PathBuf,
    /// Words before the options.
    front_door: &'static [&'static str],
}

/// The processor that both sides are bound to; not the first, which takes most interrupts.
const PROCESSOR: &str = "1";

impl Tool {
    /// The peer, as Debian packages it.
    pub fn fio() -> Self {
        Self { name: "fio", program: PathBuf::from("fio"), front_door: &[] }
    }

    /// Ours, by its front door for fio's users.
    pub fn fathom(program: PathBuf) -> Self {
        Self { name: "fathom", program, front_door: &["fio"] }
    }

    /// Runs the job and returns its read IOPS.
    pub fn iops(&self, job_file: &Path) -> Result<f64, String> {
        let program = self.program.to_string_lossy();
        let job_file = job_file.to_string_lossy();
        let mut words = vec!["-c", PROCESSOR, program.as_ref()];
        words.extend(self.front_door);
        words.extend(["--output-format=json", job_file.as_ref()]);
        let printed = capture(&mut command("taskset", &words))?;
        read_iops(&printed).map_err(|e| format!("{}: {e}", self.name))
    }
}

/// The IOPS in fio's JSON. fio may print remarks before the document.
fn read_iops(printed: &str) -> Result<f64, String> {
    let begin = printed.find('{').ok_or("it printed no JSON")?;
    let document: Value = serde_json::from_str(&printed[begin..]).map_err(|e| e.to_string())?;
    let iops = document["jobs"][0]["read"]["iops"].as_f64();
    match iops {
        Some(iops) if iops > 0.0 => Ok(iops),
        _ => Err("its JSON holds no read IOPS".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_past_remarks() {
        let printed = "fio: a remark\n{\"jobs\": [{\"read\": {\"iops\": 1234.5}}]}";
        assert_eq!(read_iops(printed), Ok(1234.5));
    }

    #[test]
    fn no_figure_is_an_error() {
        assert!(read_iops("nothing").is_err());
        assert!(read_iops("{\"jobs\": []}").is_err());
        assert!(read_iops("{\"jobs\": [{\"read\": {\"iops\": 0}}]}").is_err());
    }
}
