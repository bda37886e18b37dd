//! The guard's rules on machines that exist only as recorded trees: every
//! hazard without hardware, and none of them near a real disk.

mod consent;
mod inspect;
mod machine;
