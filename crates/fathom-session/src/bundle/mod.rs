//! A bundle: a run or a procedure in one file, which can be sent and is verified when it is read.
//!
//! ```text
//! gzip, its header with a mark: tar archive      DIR/manifest.json, then DIR/FILE of each file, then DIR/SHA256SUMS
//! ```
//! `tar xzf` unpacks it, and `sha256sum -c SHA256SUMS` in the directory verifies it. The manifest has the size and the SHA-256
//! of each file. All of it is read before anything is unpacked: the checksum of gzip finds what was damaged on the way. The
//! digests find damage; they are no signature.
//!
//! A bundle may come from anybody. What is unpacked is exactly what the manifest lists, in its order:
//! regular files below one directory, each name once, within limits, in a new directory that only
//! this user can read.

mod contents;
mod envelope;
mod manifest;
mod pack;
#[cfg(test)]
mod tests;
mod unpack;

pub use envelope::{HEADER as BUNDLE_BEGINNING, is_bundle};
pub(crate) use manifest::SAVED_MAX_BYTES;
pub use manifest::{BundleManifest, BundledFile};
pub use pack::{BundleRequest, PackedBundle, pack};
pub use unpack::{OpenedBundle, TemporaryDirectory, open, place, remove};

use crate::exit::{Exit, Failure};
use fathom_results::ReadObstacle;
use std::fmt::Display;
use std::io;
use std::path::Path;

/// A bundle that is not as it was made.
fn changed(bundle: &Path, why: impl Display) -> Failure {
    refused(bundle, why).hint("let it be sent again; it was changed or damaged after it was made")
}

/// A bundle that is as it was made, and holds what fathom does not read.
fn foreign(bundle: &Path, why: impl Display) -> Failure {
    refused(bundle, why).hint("it was not changed since: a newer fathom or another program made it")
}

/// What cannot be read or written. A limit or a missing right is not a wrong command line.
fn hindered(message: String, e: &io::Error, otherwise: Exit) -> Failure {
    match ReadObstacle::of(e) {
        Some(obstacle) => Failure::new(Exit::Failed, message).hint(obstacle.hint()),
        None => Failure::new(otherwise, message),
    }
}

fn refused(bundle: &Path, why: impl Display) -> Failure {
    Failure::new(Exit::Incomplete, format!("the bundle {} is refused: {why}", bundle.display()))
}
