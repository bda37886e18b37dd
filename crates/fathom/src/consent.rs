//! Consent as typed: the only place that makes it.

use crate::args::ConsentArgs;
use crate::device_at::device_at;
use crate::failure::{Exit, Failure};
use crate::terminal::slow_look;
use fathom_guard::{Consent, ConsentError, DeviceName};
use fathom_text::shell::quoted;
use std::path::{Path, PathBuf};

impl ConsentArgs {
    /// The consent to write to these targets. A kernel name gives no consent.
    pub fn consent(&self) -> Result<Consent, Failure> {
        let names = |words: &[String], asked: &str| {
            let parse = |word: &String| word.parse().map_err(|e: ConsentError| refused(&e, asked));
            words.iter().map(parse).collect::<Result<Vec<DeviceName>, Failure>>()
        };
        Ok(Consent {
            write: names(&self.write, WRITE)?,
            destroy: names(&self.destroy, DESTROY)?,
            overwrite_files: self.overwrite.clone(),
        })
    }
}

const WRITE: &str = "--write";
const DESTROY: &str = "--destroy";

/// The refusal of a word of the option that was asked, with the one to type instead where the device is there.
fn refused(error: &ConsentError, asked: &str) -> Failure {
    let failure = Failure::new(Exit::Refused, error);
    let ConsentError::KernelName { word } = error else { return failure.hint(error.hint()) };
    let path = device_path(word);
    let Some(device) = slow_look().at(&path, || device_at(&path)) else { return failure.hint(error.hint()) };
    match device.writing.option {
        Some(option) => {
            // Who asked to destroy is not told to type less.
            let option = if asked == DESTROY { option.replacen(WRITE, DESTROY, 1) } else { option };
            failure.hint(format!("this names the same device, also after a reboot: {option}"))
        }
        None => failure
            .hint(format!("no option allows writing to it; to see why: fathom devices {}", quoted(&path))),
    }
}

/// The path that a kernel name, with or without a size, means at the moment.
fn device_path(word: &str) -> PathBuf {
    let name = word.trim();
    let name = name.split_once(':').map_or(name, |(name, _)| name);
    // An absolute path takes the place of /dev.
    Path::new("/dev").join(name)
}
