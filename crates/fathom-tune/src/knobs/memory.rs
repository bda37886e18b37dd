//! Write-back, swap and huge pages; the platform's profile, clock source and slots of libaio.

use crate::codec::Codec;
use crate::key::OwnerKey;
use crate::knob::{Action, KnobInput, value};
use crate::setting::{Coupling, Setting};
use fathom_device::counters::AioSlots;

const THP: &str = "sys/kernel/mm/transparent_hugepage";

/// Dirty memory at which writers are made to wait, and at which writing back
/// begins. A second or so of a fast drive's writing, for any amount of RAM; the
/// default of 20 % of RAM is minutes.
const DIRTY_BYTES: u64 = 2 << 30;
const DIRTY_BACKGROUND_BYTES: u64 = 512 << 20;

pub(super) const KNOBS: &[Action] = &[
    (
        "vm.dirty",
        |_| {
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
        dirty,
    ),
    (
        "vm.swappiness",
        |_| vec![Setting::file(OwnerKey::Host, "proc/sys/vm/swappiness", Codec::Number)],
        |look| {
            let at_most = value(look)?;
            (look.number()? > at_most.parse().ok()?).then_some(at_most)
        },
    ),
    (
        "vm.thp",
        |_| {
            let setting =
                |file: &str| Setting::file(OwnerKey::Host, &format!("{THP}/{file}"), Codec::Selected);
            vec![setting("enabled"), setting("defrag")]
        },
        |look| look.offered(&value(look)?).filter(|_| look.now.typed == "always"),
    ),
    (
        "cpu.platform_profile",
        |_| vec![Setting::file(OwnerKey::Host, "sys/firmware/acpi/platform_profile", Codec::Word)],
        |look| look.offered_beside("sys/firmware/acpi/platform_profile_choices"),
    ),
    (
        "sys.clocksource",
        |_| vec![Setting::file(OwnerKey::Host, &format!("{CLOCK}/current_clocksource"), Codec::Word)],
        clock,
    ),
    ("sys.aio", |_| vec![Setting::file(OwnerKey::Host, "proc/sys/fs/aio-max-nr", Codec::Number)], aio),
];

fn dirty(look: &KnobInput<'_>) -> Option<String> {
    let is_background = look.now.place.file()?.ends_with("dirty_background_bytes");
    let bytes = if is_background { DIRTY_BACKGROUND_BYTES } else { DIRTY_BYTES };
    Some(bytes.to_string())
}

const CLOCK: &str = "sys/devices/system/clocksource/clocksource0";

/// Free slots of libaio where too few were left: 16 times what the kernel has by default.
const AIO_REQUESTS: u64 = 1_048_576;

/// Makes room where the audit says that little is left.
fn aio(look: &KnobInput<'_>) -> Option<String> {
    let used = look.number_beside("proc/sys/fs/aio-nr")?.try_into().ok()?;
    let slots = AioSlots { used, max: look.number()?.try_into().ok()? };
    slots.are_few().then(|| (slots.used + AIO_REQUESTS).to_string())
}

/// Changes only a slow clock source: kvm-clock and others are in use for a reason.
fn clock(look: &KnobInput<'_>) -> Option<String> {
    let is_slow = ["hpet", "acpi_pm", "jiffies", "refined-jiffies"].contains(&look.now.typed.as_str());
    look.offered_beside(&format!("{CLOCK}/available_clocksource")).filter(|_| is_slow)
}
