//! What is saved: whole, readable by later versions, and data instead of sentences. One program has these tests, so that it is linked
//! once.

mod damage;
#[path = "../../fathom-figures/src/fixture/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the tests of other crates use the rest of it")]
mod fixture;
mod formats;
mod plan;
mod sentences;
