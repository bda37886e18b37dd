//! The two checks that only printouts have.

use std::sync::LazyLock;

use crate::audit::checks::checks;
use crate::audit::{Check, Observation, Observe, Scene};

/// Facts in a printout for which no check has a rule.
pub(super) const FACTS: &str = "printout.facts";
/// Whether the figures of a printout agree with each other and with other printouts.
pub(super) const AGREEMENT: &str = "printout.agreement";

/// Both, in the order in which they are shown.
pub(super) static CHECKS: LazyLock<Vec<Check>> = LazyLock::new(|| {
    let made = Observe::Several(only_in_printouts);
    checks(include_str!("checks.toml"), &[(FACTS, made), (AGREEMENT, made)])
});

fn only_in_printouts(_: &Scene<'_>) -> Vec<Observation> {
    vec![Observation::on("host").not_applicable("only saved printouts show this: fathom doctor --read")]
}
