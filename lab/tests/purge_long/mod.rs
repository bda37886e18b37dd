//! Purges that break off, preconditioning of whole drives, and tests of SNIA PTS: they take minutes, so `cargo xtask test` leaves
//! them out, and `cargo xtask lab` runs them.

mod broken;
mod precondition;
mod pts;
