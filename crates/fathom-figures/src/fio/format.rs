//! What a form of results is.

use super::job_result::{FioResult, FioResultError};

/// A form of results.
#[derive(Clone, Copy, Debug)]
pub struct ResultFormat {
    /// What people call it.
    pub name: &'static str,
    /// With what the names of its files end.
    pub endings: &'static [&'static str],
    /// Is a file of this form that begins so?
    pub is_it: fn(&str) -> bool,
    /// Reads a whole file: the runs in it, in their order.
    pub parse: fn(&str) -> Result<Vec<FioResult>, FioResultError>,
}

impl ResultFormat {
    /// Does the name of a file say that it is of this form?
    pub fn has_name(&self, file_name: &str) -> bool {
        self.endings.iter().any(|ending| file_name.ends_with(ending))
    }
}
