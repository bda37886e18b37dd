//! The guard on real drives: what is in use is refused at both doors whatever is said, and keeps
//! every byte.

mod admission;
mod consent;
mod moved;
mod namespaces;
mod used;
mod volumes;
