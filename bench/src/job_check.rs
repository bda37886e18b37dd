//! For tests: checks that the text that both tools get is a valid job.

use fathom_job::parse::{Adjust, Keywords, Surroundings, load_text};

struct Nowhere;

impl Surroundings for Nowhere {
    fn read(&self, path: &str, _from: Option<&str>) -> Result<String, String> {
        Err(format!("{path}: a benchmark includes no files"))
    }

    fn variable(&self, _name: &str) -> Option<String> {
        None
    }

    fn keywords(&self) -> Keywords {
        Keywords { page_size: 4096, memory_mb: 1024, cpus: 2 }
    }
}

/// Panics unless the text is exactly one job in which every option is known.
pub fn assert_one_job(text: &str) {
    match load_text("bench", text, &Adjust::default(), &Nowhere) {
        Ok(set) => assert_eq!(set.jobs.len(), 1, "{text}"),
        Err(findings) => panic!("{text}\n{findings:#?}"),
    }
}

#[test]
fn every_case_of_instructions_is_a_job_that_fathom_parses() {
    for text in xtask::instructions::job_texts() {
        assert_one_job(&text);
    }
}
