//! Write-back, swap and huge pages.

use super::Knob;
use crate::codec::Codec;
use crate::key::OwnerKey;
use crate::knob::{KnobInput, Requirement, Risk};
use crate::setting::{Coupling, Setting};
use fathom_device::Goal::{Iops, Latency, Repeatability};
use fathom_device::counters::AioSlots;

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

const CLOCK: &str = "sys/devices/system/clocksource/clocksource0";

/// Free slots of libaio where too few were left: 16 times what the kernel has by default.
const AIO_REQUESTS: u64 = 1_048_576;

pub(super) const PLATFORM_KNOBS: &[Knob] = &[
    Knob {
        id: "cpu.platform_profile",
        title: "firmware's platform profile to performance",
        why: "\"balanced\" and \"low-power\" cap clocks and fans below what the kernel asks for",
        risk: Risk::Speed,
        needs: Requirement::SettingsFile,
        docs: "Documentation/ABI/testing/sysfs-platform_profile",
        find: |_| vec![Setting::file(OwnerKey::Host, "sys/firmware/acpi/platform_profile", Codec::Word)],
        want: |look| {
            let choices = look.beside("sys/firmware/acpi/platform_profile_choices")?;
            let has = choices.split_whitespace().any(|word| word == "performance");
            (has && look.is_for(&[Latency, Iops, Repeatability])).then(|| "performance".to_owned())
        },
    },
    Knob {
        id: "sys.clocksource",
        title: "clock source to tsc",
        why: "hpet and acpi_pm take a microsecond to read and one lock for all CPUs; each I/O reads the clock twice",
        risk: Risk::Others,
        needs: Requirement::SettingsFile,
        docs: "Documentation/admin-guide/kernel-parameters.txt, clocksource",
        find: |_| vec![Setting::file(OwnerKey::Host, &format!("{CLOCK}/current_clocksource"), Codec::Word)],
        want: clock,
    },
    Knob {
        id: "sys.aio",
        title: "room for asynchronous I/O of libaio",
        why: "io_setup fails with EAGAIN when all rings together ask for more than this",
        risk: Risk::None,
        needs: Requirement::SettingsFile,
        docs: "Documentation/admin-guide/sysctl/fs.rst, aio-nr and aio-max-nr",
        find: |_| vec![Setting::file(OwnerKey::Host, "proc/sys/fs/aio-max-nr", Codec::Number)],
        want: aio,
    },
];

/// Makes room where the audit says that little is left.
fn aio(look: &KnobInput<'_>) -> Option<String> {
    let used = look.number_beside("proc/sys/fs/aio-nr")?.try_into().ok()?;
    let slots = AioSlots { used, max: look.number()?.try_into().ok()? };
    slots.are_few().then(|| (slots.used + AIO_REQUESTS).to_string())
}

/// Changes only a slow clock source: kvm-clock and others are in use for a reason.
fn clock(look: &KnobInput<'_>) -> Option<String> {
    let offers = look.beside(&format!("{CLOCK}/available_clocksource"))?;
    let is_slow = ["hpet", "acpi_pm", "jiffies", "refined-jiffies"].contains(&look.now.typed.as_str());
    (is_slow && offers.split_whitespace().any(|word| word == "tsc")).then(|| "tsc".to_owned())
}
