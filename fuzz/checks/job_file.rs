//! Any bytes as a job file: reading never panics, and what is read can be
//! saved and read again to the same jobs.

use fathom_job::job::Job;
use fathom_job::parse::{Adjust, Keywords, Surroundings, load_text};
use fathom_job::reference;

/// One file to include, which includes itself; one variable.
struct World;

impl Surroundings for World {
    fn read(&self, path: &str, _from: Option<&str>) -> Result<String, String> {
        match path {
            "inc" => Ok("bs=8k\nsize=1m\n".to_owned()),
            "loop" => Ok("include loop\n".to_owned()),
            _ => Err("no such file".to_owned()),
        }
    }

    fn variable(&self, name: &str) -> Option<String> {
        (name == "V").then(|| "8k".to_owned())
    }

    fn keywords(&self) -> Keywords {
        Keywords { page_size: 4096, memory_mb: 2048, cpus: 5 }
    }
}

/// Fails if these bytes are read in another way than the rule of this file says.
pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match load_text("fuzz", &text, &Adjust::default(), &World) {
        Ok(set) => {
            for job in &set.jobs {
                let mut again = Job::empty(job.name.clone(), job.span.clone());
                for (name, setting) in job.settings() {
                    let (text, span) = (setting.text.clone(), setting.span.clone());
                    again
                        .restore(name, &setting.canonical(), text, setting.origin, span)
                        .expect("what was saved is read");
                }
                assert_eq!(again, *job);
            }
            set.warnings.iter().for_each(|found| drop(found.to_string()));
        }
        Err(found) => found.iter().for_each(|found| drop(found.to_string())),
    }
    let _ = reference::cmdhelp(&text);
}
