//! `fathom doctor --read`: saved printouts of other programs, as evidence.

use std::path::{Path, PathBuf};

use fathom_device::bounded;
use fathom_host::audit::Audit;
use fathom_host::printout;

use crate::failure::{Exit, Failure};
use crate::terminal::slow_look;

/// Bytes of the largest printout: `lspci -vvvxxxx` of a thousand functions has some
/// MiB.
const PRINTOUT_MAX_BYTES: u64 = 16 << 20;

/// Reads the files and judges them together, as printouts of one machine.
pub(super) fn audit(files: &[PathBuf]) -> Result<Audit, Failure> {
    let mut read = Vec::new();
    for path in files {
        let (name, bytes) = if path == Path::new("-") {
            (PathBuf::from("stdin"), bounded::whole(&mut std::io::stdin(), PRINTOUT_MAX_BYTES))
        } else {
            (path.clone(), slow_look().at(path, || bounded::stream(path, PRINTOUT_MAX_BYTES)))
        };
        let bytes = bytes.map_err(|e| {
            Failure::new(Exit::Usage, format!("cannot read the printout {}: {e}", name.display()))
                .hint("name a file with the output of a program; - is standard input")
        })?;
        read.push((name, bytes));
    }
    printout::audit(&read).map_err(|e| {
        Failure::new(Exit::Usage, e).hint(format!("known are the printouts of: {}", printout::known()))
    })
}
