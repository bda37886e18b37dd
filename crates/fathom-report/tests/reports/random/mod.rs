//! Results that were never measured, made at random: every kind, with findings of every code, limits and reasons of every kind.
//!
//! The parts of a result that hold what was found are made by their JSON schema (`values`), so a rule or a field that is added
//! later is in them without a line here. What must fit together, such as the level of a trust and its reasons, is made to fit in
//! `answers`, `runs`, `procedures` and `comparisons`. A seed gives the same result each time.

pub mod answers;
pub mod comparisons;
pub mod procedures;
pub mod runs;
pub mod values;

/// Random cases of a test: their seeds, from 1. `FATHOM_RESULTS=10000` asks for other numbers of them, and
/// `FATHOM_RESULTS_FROM=77` for another first seed.
pub fn seeds(usual: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let from = number("FATHOM_RESULTS_FROM").unwrap_or(1);
    from..from + number("FATHOM_RESULTS").unwrap_or(usual)
}
