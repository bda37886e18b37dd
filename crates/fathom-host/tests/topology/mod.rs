//! The map of a machine, tested on captures.
#![allow(missing_docs, reason = "a test has nobody to document itself to")]

mod dl980;
mod fixture;
mod flags;
mod harm;
mod maps;
mod readers;
mod targets;
