//! Consent as typed: the only place that makes it.

use crate::args::ConsentArgs;
use crate::failure::{Exit, Failure};
use fathom_guard::{Consent, ConsentError, DeviceName};

impl ConsentArgs {
    /// The consent to write to these targets. A kernel name gives no consent.
    pub fn consent(&self) -> Result<Consent, Failure> {
        let parse =
            |w: &String| w.parse().map_err(|e: ConsentError| Failure::new(Exit::Refused, &e).hint(e.hint()));
        let names = |words: &[String]| words.iter().map(parse).collect::<Result<Vec<DeviceName>, Failure>>();
        Ok(Consent {
            write: names(&self.write)?,
            destroy: names(&self.destroy)?,
            overwrite_files: self.overwrite.clone(),
        })
    }
}
