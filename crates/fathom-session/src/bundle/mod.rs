//! A bundle: a run or a procedure in one file, which can be sent and is verified when it is read.
//!
//! ```text
//! gzip member: header with a mark, tar archive           DIR/manifest.json, then DIR/FILE of each file
//! gzip member: header with a SHA-256, and nothing in it   the digest of all bytes before this member
//! ```
//! `tar xzf` unpacks it. The manifest has the size and the SHA-256 of each file; the digest at the end covers
//! every byte before it, so a bundle that was changed anywhere is refused before anything is unpacked.
//! The digests find damage; they are no signature.
//!
//! A bundle may come from anybody. What is unpacked is exactly what the manifest lists, in its order:
//! regular files below one directory, each name once, within limits, in a new directory that only
//! this user can read.

mod contents;
mod envelope;
mod manifest;
mod pack;
mod room;
#[cfg(test)]
mod tests;
mod unpack;

pub use envelope::{HEADER as BUNDLE_BEGINNING, is_bundle};
pub(crate) use manifest::SAVED_MAX_BYTES;
pub use manifest::{BundleManifest, BundledFile};
pub use pack::{BundleRequest, PackedBundle, pack};
pub use unpack::{OpenedBundle, open, place, private_directory};

use crate::exit::Exit;
use crate::failure::Failure;
use std::fmt::Display;
use std::path::Path;

/// A bundle that is not as it was made.
fn changed(bundle: &Path, why: impl Display) -> Failure {
    refused(bundle, why).hint("let it be sent again; it was changed or damaged after it was made")
}

/// A bundle that is as it was made, and holds what fathom does not read.
fn foreign(bundle: &Path, why: impl Display) -> Failure {
    refused(bundle, why).hint("it was not changed since: a newer fathom or another program made it")
}

fn refused(bundle: &Path, why: impl Display) -> Failure {
    Failure::new(Exit::Incomplete, format!("the bundle {} is refused: {why}", bundle.display()))
}
