//! The two checks that only printouts have.

use crate::audit::{Check, Needs, Observation, Observe, Scene};

/// Facts in a printout for which no check has a rule.
pub(super) const FACTS: &str = "printout.facts";
/// Whether the figures of a printout agree with each other and with other printouts.
pub(super) const AGREEMENT: &str = "printout.agreement";

/// Both, in the order in which they are shown.
pub(super) const CHECKS: [Check; 2] = [
    Check {
        id: FACTS,
        title: "What a saved printout says",
        reads: "the files that are given to fathom doctor --read",
        why: "A customer sends what lspci, dmidecode or a vendor's program printed, and the machine itself is far \
              away. What such a text says about drives, slots, capacities and firmware should be read together with \
              every figure of that machine.",
        judged: "Always a remark. If a check of fathom doctor has a rule for something, it is shown under that check.",
        remedy: "No action is needed. fathom doctor capture on the machine itself records far more than these programs \
                 print, and fathom doctor --root judges it.",
        needs: Needs::Nothing,
        kernels: "all",
        sources: &["V-74", "V-76", "M-10", "M-12", "M-13"],
        observe: Observe::Once(only_in_printouts),
    },
    Check {
        id: AGREEMENT,
        title: "Printouts that contradict themselves or each other",
        reads: "the files that are given to fathom doctor --read",
        why: "Printouts are copied, cut and retyped, and programs make errors: firmware calls a slot free although it \
              holds a card, a figure does not follow from the lanes and the speed printed with it, one drive is listed \
              twice. A test that is planned by such a line is planned wrongly.",
        judged: "What cannot be true, or what another line contradicts, warns for every goal.",
        remedy: "Where firmware and bus disagree, believe the bus; elsewhere rely on none of the lines that disagree. \
                 Run the programs again, and have their printouts sent as files.",
        needs: Needs::Nothing,
        kernels: "all",
        sources: &["V-74", "V-76", "M-10", "M-13"],
        observe: Observe::Once(only_in_printouts),
    },
];

fn only_in_printouts(_: &Scene<'_>) -> Vec<Observation> {
    vec![Observation::on("host").not_applicable("only saved printouts show this: fathom doctor --read")]
}
