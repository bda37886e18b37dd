//! What the tests of the lab share: drives found by serial number, programs that must succeed, and
//! acts that are undone.
//!
//! The tests in `tests/` format, mount and destroy. They run where nothing can be lost: in the
//! virtual machine of `cargo xtask lab`, whose drives are made for each boot. Everything here
//! refuses to work anywhere else.

mod drive;
mod ends;
mod holder;
mod place;
mod program;
mod scope;
mod slot;

pub use drive::{Drive, wait_until, wait_within};
pub use ends::Ends;
pub use holder::Holder;
pub use place::assert_lab;
pub use program::{MEASURED, Run, fathom, sh, try_sh};
pub use scope::Scope;
pub use slot::Slot;
