//! `md.state`: is the array complete?

use super::array::{Array, each_array};
use crate::audit::{Check, Needs, Observe, Observed, Scene};
use fathom_text::words::counted;

pub(super) const CHECK: Check = Check {
    id: "md.state",
    title: "State of the array",
    reads: "/sys/block/mdX/md/array_state, degraded",
    why: "An array that has lost a member continues without it. Each read of the lost data is computed from all other \
          members, and each write updates fewer drives: its figures are not those of the complete array. Some states \
          refuse writes, or all I/O.",
    judged: "A missing member (degraded above 0) is bad for every goal, and so are states that let no I/O through. \
             Read-only states are a remark. Levels without redundancy are judged by the state alone.",
    remedy: "Replace the member and let it rebuild (mdadm MD --add DEVICE, then md.sync), or measure the degraded \
             array and report that it is degraded. mdadm --detail MD shows which one is missing.",
    needs: Needs::Hardware,
    kernels: "2.6.17 and later",
    sources: &["I-20", "Documentation/admin-guide/md.rst"],
    observe: Observe::Once(|scene| each_array(scene, |array| one(scene, array))),
};

fn one(scene: &Scene<'_>, array: &Array<'_>) -> Observed {
    let state = scene.read(array.file("array_state"))?;
    let seen = array.seen().show(&state);
    let missing = match array.has_redundancy() {
        true => {
            let (missing, raw) = scene.value::<u64>(array.file("degraded"))?;
            (missing > 0).then_some((missing, raw))
        }
        false => None,
    };
    Ok(match (state.text.as_str(), missing) {
        ("clear" | "inactive" | "suspended" | "broken", _) => {
            seen.bad(format!("the array is {}: no I/O goes through", state.text))
        }
        (_, Some((missing, raw))) => seen.show(&raw).bad(format!("{} missing", counted(missing, "member"))),
        ("readonly", None) => seen.info("complete, and takes no writes"),
        ("read-auto", None) => seen.info("complete; becomes writable at the first write"),
        ("clean" | "active" | "active-idle" | "write-pending", None) => {
            seen.ok(format!("{}, complete", array.level))
        }
        _ => return Err(state.garbled()),
    })
}
