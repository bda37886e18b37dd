//! fathom-text: names that come from outside, as text.
//!
//! A file name is any sequence of bytes, a job name is any text that a user typed, and a drive's
//! model is any text that its firmware returns. Four questions follow, and each has one module:
//!
//! * [`carried`]: how such a name travels in a `String` without loss;
//! * [`shown`]: how it is put on a terminal without harm;
//! * [`markup`]: how it is written in HTML and in a drawing;
//! * [`shell`]: how it is written in a command that a user may paste.
//!
//! [`identifying`] finds what names a machine or a person in a text. [`style`] says what the place can show where a text is read, and
//! [`painted`] is a finished page with its colours; [`cell`] makes the cells of tables and [`table`] lays them out. [`quantity`] is the
//! one writer of values with their unit, [`number`] of digits; [`words`] and [`calendar`] write the rest in a readable form.
//!
//! Pure: no I/O, and no dependency, so that every crate may use it.
#![forbid(unsafe_code)]

pub mod calendar;
pub mod carried;
pub mod cell;
pub mod identifying;
pub mod markup;
pub mod number;
pub mod painted;
pub mod quantity;
pub mod shell;
pub mod shown;
pub mod style;
pub mod table;
pub mod words;
