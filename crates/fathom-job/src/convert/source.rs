//! What is converted: texts with their names, and what the command line says about them.

use crate::diagnostic::Diagnostic;
use crate::parse::{Adjust, Builder, JobSet, Surroundings, load_text};
use std::path::Path;

/// A text and its name in messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// The path of the file, or another name.
    pub name: String,
    /// All of it.
    pub text: String,
}

/// What a conversion is made from.
pub struct ConvertSource<'a> {
    /// The texts in the order in which they were named.
    pub texts: Vec<SourceText>,
    /// The name of the target in the other form, in place of a placeholder.
    pub target: Option<String>,
    /// What else may be read.
    pub around: &'a dyn Surroundings,
}

impl ConvertSource<'_> {
    /// The jobs of the texts, which are job files.
    ///
    /// # Errors
    /// All that is wrong with them.
    pub fn jobs(&self) -> Result<JobSet, Vec<Diagnostic>> {
        let adjust = Adjust::default();
        let mut builder = Builder::new(&adjust, self.around);
        self.texts.iter().for_each(|text| builder.text(&text.name, &text.text));
        builder.finish()
    }

    /// Checks that what was made of the texts is a job file.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub(super) fn check(&self, made: &str) -> Result<(), Vec<Diagnostic>> {
        load_text("the converted job file", made, &Adjust::default(), self.around).map(|_| ())
    }

    /// The text that a line `include path` of `from` means, with its own path; `None` where the person
    /// who reads the result may not read that file.
    pub(super) fn included(&self, path: &str, from: &str) -> Option<(String, String)> {
        let beside = || {
            let directory = Path::new(from).parent().filter(|_| Path::new(path).is_relative())?;
            Some(directory.join(path).to_string_lossy().into_owned())
        };
        let paths = [Some(path.to_owned()), beside()];
        let read = |path: String| self.around.read(&path, Some(from)).ok().map(|text| (path, text));
        let found = paths.into_iter().flatten().find_map(read);
        found.filter(|(path, _)| self.around.may_show(path, Some(from)))
    }
}
