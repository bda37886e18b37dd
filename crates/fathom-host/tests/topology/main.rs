//! The map of a machine, on recorded machines and on what other tools print.
#![allow(missing_docs, reason = "a test has nobody to document itself to")]

mod dl980;
mod fixture;
mod flags;
mod harm;
mod maps;
mod printouts;
mod readers;
mod targets;
