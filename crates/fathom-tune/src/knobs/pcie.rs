//! Power saving of the links and functions between CPU and drive.

use super::Knob;
use crate::codec::Codec;
use crate::key::OwnerKey;
use crate::knob::{KnobInput, Requirement, Risk};
use crate::setting::Setting;
use fathom_device::Goal::{Latency, Repeatability};

/// Substates before L1: switching L1 off switches them off too, and switching a substate on
/// switches L1 on too, so they are restored backwards.
const LINK_STATES: [&str; 7] = [
    "link/l1_2_pcipm",
    "link/l1_1_pcipm",
    "link/l1_2_aspm",
    "link/l1_1_aspm",
    "link/l1_aspm",
    "link/l0s_aspm",
    "link/clkpm",
];

pub(super) const KNOBS: &[Knob] = &[
    Knob {
        id: "pcie.aspm",
        title: "no sleep states on the links to the targets",
        why: "a link in a power-saving state needs up to tens of microseconds before it carries the next command",
        risk: Risk::Speed,
        needs: Requirement::SettingsFile,
        docs: "Documentation/ABI/testing/sysfs-bus-pci, link/",
        find: |scope| {
            let files =
                |key: OwnerKey| LINK_STATES.map(|file| Setting::file(key.clone(), file, Codec::Number));
            scope.functions().into_iter().flat_map(files).collect()
        },
        want: |look| off(look, "0"),
    },
    Knob {
        id: "pcie.aspm_policy",
        title: "ASPM policy of the whole machine to performance",
        why: "for links that have no files of their own; every device of the machine draws more power",
        risk: Risk::Others,
        needs: Requirement::SettingsFile,
        docs: "Documentation/admin-guide/kernel-parameters.txt, pcie_aspm; writable unless firmware keeps control",
        find: |_| {
            vec![Setting::file(OwnerKey::Host, "sys/module/pcie_aspm/parameters/policy", Codec::Selected)]
        },
        want: |look| look.offered("performance").and_then(|word| off(look, &word)),
    },
    Knob {
        id: "pcie.runtime_pm",
        title: "no runtime power saving from root port to drive",
        why: "a function or bridge that suspended itself must wake before the first I/O",
        risk: Risk::Speed,
        needs: Requirement::SettingsFile,
        docs: "Documentation/power/runtime_pm.rst, power/control",
        find: |scope| {
            let functions = scope.functions().into_iter();
            functions.map(|key| Setting::file(key, "power/control", Codec::Word)).collect()
        },
        want: |look| off(look, "on"),
    },
];

fn off(look: &KnobInput<'_>, value: &str) -> Option<String> {
    look.is_for(&[Latency, Repeatability]).then(|| value.to_owned())
}
