//! Write-back, swap and huge pages.

use super::Knob;
use crate::codec::Codec;
use crate::key::OwnerKey;
use crate::knob::{KnobInput, Requirement, Risk};
use crate::setting::{Coupling, Setting};
use fathom_device::Goal::Repeatability;

const THP: &str = "sys/kernel/mm/transparent_hugepage";

/// Dirty memory at which writers are made to wait, and at which writing back
/// begins. A second or so of a fast drive's writing, for any amount of RAM; the
/// default of 20 % of RAM is minutes.
const DIRTY_BYTES: u64 = 2 << 30;
const DIRTY_BACKGROUND_BYTES: u64 = 512 << 20;

pub(super) const KNOBS: &[Knob] = &[
    Knob {
        id: "vm.dirty",
        title: "dirty memory as an amount, not as a share of RAM",
        why: "with 20 % of much RAM, buffered writes run at memory speed and then stall for as long as the disk needs",
        risk: Risk::Others,
        needs: Requirement::SettingsFile,
        docs: "Documentation/admin-guide/sysctl/vm.rst, dirty_bytes, dirty_background_bytes",
        find: |_| {
            // The background limit must stay below the other: upper first.
            let pair = |bytes: &str, ratio: &str| {
                let setting = Setting::file(OwnerKey::Host, bytes, Codec::Number);
                setting.with_twin(ratio, Coupling::Excludes)
            };
            vec![
                pair("proc/sys/vm/dirty_bytes", "proc/sys/vm/dirty_ratio"),
                pair("proc/sys/vm/dirty_background_bytes", "proc/sys/vm/dirty_background_ratio"),
            ]
        },
        want: dirty,
    },
    Knob {
        id: "vm.swappiness",
        title: "little swapping",
        why: "pages of the generator that are swapped out look like stalls of the device",
        risk: Risk::Speed,
        needs: Requirement::SettingsFile,
        docs: "Documentation/admin-guide/sysctl/vm.rst, swappiness (0 to 200)",
        find: |_| vec![Setting::file(OwnerKey::Host, "proc/sys/vm/swappiness", Codec::Number)],
        want: |look| {
            let is_high = look.number()? > 10;
            (look.goal == Repeatability && is_high).then(|| "10".to_owned())
        },
    },
    Knob {
        id: "vm.thp",
        title: "huge pages only where asked for",
        why: "compaction for huge pages stalls the thread that touches memory first",
        risk: Risk::Speed,
        needs: Requirement::SettingsFile,
        docs: "Documentation/admin-guide/mm/transhuge.rst",
        find: |_| {
            let setting =
                |file: &str| Setting::file(OwnerKey::Host, &format!("{THP}/{file}"), Codec::Selected);
            vec![setting("enabled"), setting("defrag")]
        },
        want: |look| {
            let is_always = look.now.typed == "always" && look.goal == Repeatability;
            look.offered("madvise").filter(|_| is_always)
        },
    },
];

fn dirty(look: &KnobInput<'_>) -> Option<String> {
    let is_background = look.now.place.file()?.ends_with("dirty_background_bytes");
    let bytes = if is_background { DIRTY_BACKGROUND_BYTES } else { DIRTY_BYTES };
    (look.goal == Repeatability).then(|| bytes.to_string())
}
