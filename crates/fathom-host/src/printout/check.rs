//! The two checks that only printouts have.

use crate::audit::{Check, Needs, Observation, Scene};

/// What a printout says that no rule judges.
pub(super) const FACTS: &str = "printout.facts";
/// Whether printouts agree with themselves and with each other.
pub(super) const AGREEMENT: &str = "printout.agreement";

/// Both, in the order in which they are shown.
pub(super) const CHECKS: [Check; 2] = [
    Check {
        id: FACTS,
        title: "What a saved printout says",
        reads: "the files that are given to fathom doctor --read",
        why: "A customer sends what lspci, dmidecode or a vendor's program printed, and the machine itself is far \
              away. What such a text says of drives, slots, capacities and firmware belongs beside every figure of \
              that machine.",
        judged: "Always a remark. What a rule of fathom doctor judges stands under the check of that rule.",
        remedy: "Nothing is to be done. fathom doctor capture on the machine itself records far more than these \
                 programs print, and fathom doctor --root judges it.",
        needs: Needs::Nothing,
        kernels: "all",
        sources: &["V-74", "V-76", "M-10", "M-12", "M-13"],
        counters: &[],
        observe: only_in_printouts,
    },
    Check {
        id: AGREEMENT,
        title: "Printouts that contradict themselves or each other",
        reads: "the files that are given to fathom doctor --read",
        why: "Printouts are copied, cut and retyped, and programs err: firmware calls a slot free in which the bus has \
              a card, a figure does not follow from the lanes and the speed beside it, one drive is listed twice. \
              Whoever plans a test by such a line plans it wrongly.",
        judged: "What cannot be true, or is said differently elsewhere, warns for every goal.",
        remedy: "Where firmware and bus disagree, believe the bus; elsewhere rely on none of the lines that disagree. \
                 Have the programs run again, and their printouts sent as files.",
        needs: Needs::Nothing,
        kernels: "all",
        sources: &["V-74", "V-76", "M-10", "M-13"],
        counters: &[],
        observe: only_in_printouts,
    },
];

fn only_in_printouts(_: &Scene<'_>) -> Vec<Observation> {
    vec![Observation::on("host").not_applicable("only saved printouts tell: fathom doctor --read")]
}
