//! `vm.thp`: does the kernel stop programs to make huge pages?

use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::Repeatability;

pub(super) const CHECK: Check = Check {
    id: "vm.thp",
    title: "Transparent huge pages",
    reads: "/sys/kernel/mm/transparent_hugepage/{enabled,defrag}",
    why: "A huge page (2 MiB on x86) needs fewer address translations, which helps large buffers. If enabled is \
          always, any process may get one at any page fault. If defrag is always too, and no huge page is free, the \
          kernel first compacts memory, and the process waits for as long as that takes. This affects some runs and \
          not others, by chance.",
    judged: "enabled and defrag both at always warn for repeatability; always with another value of defrag is a \
             remark; madvise and never are ok.",
    remedy: "For a run: fathom run --tune. By hand: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled, and \
             afterwards the word that was in brackets. fathom requests huge pages for its own buffers where that \
             helps, so madvise costs nothing.",
    needs: Needs::Knob("vm.thp"),
    kernels: "2.6.38 and later; the defer forms of defrag since 4.6",
    sources: &["Documentation/admin-guide/mm/transhuge.rst"],
    observe: Observe::Once(|scene| vec![Observation::or_unknown("host", judge(scene))]),
};

fn judge(scene: &Scene<'_>) -> Observed {
    let dir = "/sys/kernel/mm/transparent_hugepage";
    let (enabled, raw) = scene.selected(format!("{dir}/enabled"))?;
    let (defrag, defrag_raw) = scene.selected(format!("{dir}/defrag"))?;
    let seen = Observation::on("host").show(&raw).show(&defrag_raw);
    Ok(match (enabled.as_str(), defrag.as_str()) {
        ("never", _) => seen.ok("there are no transparent huge pages"),
        ("madvise", _) => seen.ok("only programs that request huge pages get them"),
        ("always", "always") => seen.warn_for(
            &[Repeatability],
            "any page fault may have to wait until memory is compacted for a huge page",
        ),
        ("always", "defer" | "defer+madvise" | "madvise" | "never") => seen.info(format!(
            "huge pages for all programs, but no page fault compacts memory unasked (defrag is {defrag})"
        )),
        ("always", _) => return Err(defrag_raw.garbled()),
        _ => return Err(raw.garbled()),
    })
}
