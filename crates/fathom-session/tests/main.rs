//! Procedures as they run and as they are saved. One program has these tests, so that it is linked once.

mod procedure_damage;
mod steps;
