//! `sys.selinux`: which security modules check each access?

use crate::audit::{Check, Needs, Observation, Observe, Observed, Raw, Scene};
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "sys.selinux",
    title: "Security modules (SELinux, AppArmor)",
    reads: "/sys/kernel/security/lsm, /sys/fs/selinux/enforce",
    why: "Security modules may check every open, read and write. Their decisions are cached, and the cost is small \
          compared with an I/O; it belongs to the host as it will be used. Some guides tell you to disable SELinux, \
          which has a high price: files that are made meanwhile have no label, so to enable it again you must relabel \
          the whole file system and reboot, and until then the host is not protected.",
    judged: "Always a remark: two runs are comparable only if this is equal.",
    remedy: "Leave it as it is. To know what it costs on your host, measure once with setenforce 0 and once with \
             setenforce 1, interleaved: this switch takes effect at once and keeps the labels, unlike \
             SELINUX=disabled.",
    needs: Needs::Nothing,
    kernels: "4.11 and later (the list of modules)",
    sources: &["H-8"],
    observe: Observe::Once(|scene| vec![Observation::or_unknown("host", judge(scene))]),
};

fn judge(scene: &Scene<'_>) -> Observed {
    let modules = modules(scene);
    let enforce = scene.read("/sys/fs/selinux/enforce");
    match (enforce, modules) {
        (Ok(enforce), modules) => {
            let mode = match enforce.text.as_str() {
                "0" => "permissive",
                "1" => "enforcing",
                _ => return Err(enforce.garbled()),
            };
            let seen = Observation::on("host").show(&enforce);
            let others = modules.map(|raw| format!(" (modules: {})", raw.text)).unwrap_or_default();
            Ok(seen.info(format!("SELinux is {mode}{others}")))
        }
        (Err(_), modules) => {
            let raw = modules?;
            let says = format!("security modules: {}", raw.text.replace(',', ", "));
            Ok(Observation::on("host").show(&raw).info(says))
        }
    }
}

fn modules(scene: &Scene<'_>) -> Result<Raw, Unknown> {
    let raw = scene.read("/sys/kernel/security/lsm")?;
    let is_name = |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    match raw.text.split(',').all(is_name) {
        true => Ok(raw),
        false => Err(raw.garbled()),
    }
}
