//! `irq.coalescing`: does the drive delay its interrupts?

use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene, each};
use fathom_device::Goal::Latency;
use fathom_device::ask::Question;
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "irq.coalescing",
    title: "Interrupt coalescing of the drive",
    reads: "NVMe Get Features 08h (Interrupt Coalescing), current value, of each controller of the targets",
    why: "A drive may wait for more completions, or for some time, before it interrupts. At high depth this saves \
          interrupts. At depth one there are no further completions, so each I/O waits for the whole time: the unit is \
          100 µs, more than the read itself takes.",
    judged: "A time other than 0 warns for latency, and is a remark for the other goals; 0 is ok, whatever the \
             threshold, because without a time nothing is held back. Drives other than NVMe: n-a. Only root may read \
             it.",
    remedy: "For a run: fathom run --tune --tune-knob irq.coalescing. By hand: nvme set-feature /dev/nvme0 \
             -f 8 --value=0, without saving it; a reset of the controller brings the drive's own value \
             back.",
    needs: Needs::NamedKnob("irq.coalescing"),
    kernels: "all with NVMe",
    sources: &["NVM Express 1.4, 5.21.1.8", "V-14"],
    observe: Observe::Once(observe),
};

/// The feature, and the unit of its time.
const FEATURE: u8 = 8;
const TIME_UNIT_US: u32 = 100;

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
    let controllers: Vec<&String> = scene.disks.iter().flat_map(|disk: &Disk| &disk.controllers).collect();
    let none = || Observation::on("host").not_applicable("no target is an NVMe drive");
    each(controllers, none, |controller| controller.to_string(), |controller| one(scene, controller))
}

fn one(scene: &Scene<'_>, controller: &str) -> Observed {
    let question = Question::NvmeFeature { controller: controller.to_owned(), feature: FEATURE };
    let bytes = scene.root.ask(&question)?;
    let garbled = || Unknown::garbled(&question.path(), &String::from_utf8_lossy(&bytes));
    let word = u32::from_le_bytes(bytes.as_slice().try_into().map_err(|_| garbled())?);
    // Threshold in bits 7:0, one less than the number of entries; time in 15:8.
    let (threshold, time_us) = ((word & 0xff) + 1, (word >> 8 & 0xff) * TIME_UNIT_US);
    let seen = Observation::on(controller).with(question.path(), format!("0x{word:08x}"));
    if time_us == 0 {
        return Ok(seen.ok("no completion is held back"));
    }
    let says = format!("a completion may be held back for {time_us} µs, until there are {threshold}");
    Ok(seen.warn_for(&[Latency], says))
}
