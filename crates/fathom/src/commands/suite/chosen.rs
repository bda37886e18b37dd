//! The suite that a command names: one of fathom's, or a file.

use crate::failure::{Exit, Failure};
use crate::reach::is_there;
use fathom_device::bounded;
use fathom_job::parse::Surroundings;
use fathom_procedures::suite::{BUILT_IN, SuiteSpec, built_in, example};
use fathom_session::Here;
use fathom_text::carried::of_os;
use fathom_text::shown;
use std::path::Path;

/// A suite with everything that it names.
pub struct Chosen {
    /// What it is called: its name, or the stem of its file.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The texts of the job files that it names.
    pub job_files: Vec<(String, String)>,
}

/// The names of fathom's suites.
pub fn known_names() -> Vec<&'static str> {
    BUILT_IN.iter().map(|suite| suite.name).collect()
}

/// The text of one of fathom's suites.
pub fn text_of(name: &str) -> &'static str {
    built_in(name).map_or("", |suite| suite.text)
}

/// A suite file has at most so many bytes; a larger file is something else.
const TEXT_MAX: u64 = 4 << 20;

impl Chosen {
    /// Finds it.
    pub fn named(word: &str, here: &Here) -> Result<Chosen, Failure> {
        if let Some(suite) = built_in(word) {
            return Chosen::with_files(word.to_owned(), suite.text.to_owned(), &example)
                .map_err(|why| wrong(word, &why));
        }
        let path = Path::new(word);
        let known = || format!("fathom brings these suites: {}", known_names().join(", "));
        if !is_there(path)? {
            let message = format!("{} is no suite of fathom, and no file", shown::line(word));
            return Err(Failure::new(Exit::Usage, message).hint(known()));
        }
        let unreadable = |e: std::io::Error| {
            Failure::new(Exit::Usage, format!("cannot read {}: {e}", shown::path(path))).hint(known())
        };
        // Up to a limit: a file of /proc says that it has no bytes, and may have no end.
        let bytes = bounded::file(path, TEXT_MAX).map_err(unreadable)?;
        let text = String::from_utf8(bytes).map_err(|_| {
            let message = format!("{} is no suite: it is not a text in UTF-8", shown::path(path));
            Failure::new(Exit::Usage, message).hint(known())
        })?;
        let stem =
            path.file_stem().map_or_else(|| "suite".to_owned(), |stem| stem.to_string_lossy().into_owned());
        let dir = path.parent().unwrap_or(Path::new("")).to_owned();
        let read = |name: &str| {
            let beside = dir.join(name);
            let text = here.read(&of_os(&beside), None);
            text.map_err(|why| format!("cannot read the job file {}: {why}", shown::path(&beside)))
        };
        Chosen::with_files(stem, text, &read).map_err(|why| wrong(word, &why))
    }

    /// Reads the job files that it names, so that a procedure that is resumed needs none of them.
    fn with_files(
        name: String,
        text: String,
        read: &dyn Fn(&str) -> Result<String, String>,
    ) -> Result<Chosen, String> {
        let file = SuiteSpec::parse(&text, read)?;
        let job_files = file.job_files().map(|path| Ok((path.to_owned(), read(path)?)));
        let job_files = job_files.collect::<Result<_, String>>()?;
        Ok(Chosen { name, text, job_files })
    }
}

fn wrong(word: &str, why: &str) -> Failure {
    Failure::new(Exit::Usage, format!("the suite {}: {why}", shown::line(word)))
        .hint("fathom suite new prints a suite that says what can be in one")
}
