//! What other programs print, and what fathom says of it.
#![allow(missing_docs, reason = "a test has nobody to document itself to")]

mod findings;
mod garbage;
mod parsers;
mod sample;
