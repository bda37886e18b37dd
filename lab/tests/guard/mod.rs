//! The guard on real drives: both commands refuse what is in use, whatever the consent is, and no byte
//! of it changes.

pub mod admission;
mod consent;
mod moved;
mod namespaces;
mod used;
mod volumes;
