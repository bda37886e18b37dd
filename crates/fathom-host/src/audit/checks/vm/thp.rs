//! `vm.thp`: does the kernel stop to build huge pages?

use crate::audit::{Check, Needs, Observation, Scene, Verdict, Verdicts};
use fathom_device::Goal::Repeatability;
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "vm.thp",
    title: "Transparent huge pages",
    reads: "/sys/kernel/mm/transparent_hugepage/{enabled,defrag}",
    why: "A huge page (2 MiB on x86) spares address translations, which helps large buffers. With always, any process \
          may get one at any page fault, and with defrag at always too, a fault that finds no free one compacts \
          memory first: the process stands still for as long as that takes. Which run meets it is chance.",
    judged: "enabled and defrag both at always warn for repeatability; always with a gentler defrag is a remark; \
             madvise and never are ok.",
    remedy: "For a run: fathom run --tune. By hand: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled, and \
             the word that stood in brackets afterwards. fathom's own buffers ask for huge pages by themselves \
             where that helps, so madvise loses nothing.",
    needs: Needs::Knob("vm.thp"),
    kernels: "2.6.38 and later; the defer forms of defrag since 4.6",
    sources: &["Documentation/admin-guide/mm/transhuge.rst"],
    counters: &[],
    look,
};

fn look(scene: &Scene<'_>) -> Vec<Observation> {
    vec![judge(scene).unwrap_or_else(|unknown| Observation::unknown("host", unknown))]
}

fn judge(scene: &Scene<'_>) -> Result<Observation, Unknown> {
    let dir = "/sys/kernel/mm/transparent_hugepage";
    let (enabled, raw) = scene.selected(format!("{dir}/enabled"))?;
    let (defrag, defrag_raw) = scene.selected(format!("{dir}/defrag"))?;
    let seen = Observation::on("host").with(&raw.path, &raw.text).with(&defrag_raw.path, &defrag_raw.text);
    Ok(match (enabled.as_str(), defrag.as_str()) {
        ("never", _) => seen.ok("there are no transparent huge pages"),
        ("madvise", _) => seen.ok("only who asks for huge pages gets them"),
        ("always", "always") => seen.judge(
            Verdicts::on(&[Repeatability], Verdict::Warn),
            "any page fault may stop to compact memory for a huge page",
        ),
        ("always", "defer" | "defer+madvise" | "madvise" | "never") => {
            seen.info(format!("huge pages for everybody, compacted in the background (defrag is {defrag})"))
        }
        ("always", _) => return Err(Unknown::garbled(&defrag_raw.path, &defrag_raw.text)),
        _ => return Err(Unknown::garbled(&raw.path, &raw.text)),
    })
}
