//! fathom-text: names that come from outside, as text.
//!
//! A file name is any row of bytes, a job name is whatever somebody typed, and
//! a drive's model is whatever its firmware says. Three questions follow, and
//! each has one module:
//!
//! * [`carried`]: how such a name travels in a `String` without loss;
//! * [`shown`]: how it is put on a terminal without harm;
//! * [`shell`]: how it stands in a command that somebody may paste.
//!
//! Pure: no I/O, and no dependency, so that every crate may use it.
#![forbid(unsafe_code)]

pub mod calendar;
pub mod carried;
pub mod shell;
pub mod shown;
pub mod words;
