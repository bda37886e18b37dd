//! Firmware profile, clock source, and the room for asynchronous I/O.

use super::Knob;
use crate::codec::Codec;
use crate::key::OwnerKey;
use crate::knob::{KnobInput, Requirement, Risk};
use crate::setting::Setting;
use fathom_device::Goal::{Iops, Latency, Repeatability};
use fathom_device::aio::AioSlots;

const CLOCK: &str = "sys/devices/system/clocksource/clocksource0";

/// Free slots of libaio where too few were left: 16 times what the kernel has by default.
const AIO_REQUESTS: u64 = 1_048_576;

pub(super) const KNOBS: &[Knob] = &[
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
