//! `cpu.kernel_debug`: was this kernel built to find bugs?

use crate::audit::{Check, Needs, Observation, Observe, Observed, Raw, Scene};
use fathom_device::Goal::{Iops, Latency, Repeatability};
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "cpu.kernel_debug",
    title: "Debugging built into the kernel",
    reads: "/boot/config-RELEASE, else /lib/modules/RELEASE/config; /proc/cmdline: slub_debug, slab_debug, \
            debug_pagealloc, page_poison, kmemleak",
    why: "A kernel for finding bugs checks every memory access (KASAN, KCSAN, KMSAN), every lock (lockdep) or every \
          allocation. It works correctly, but is two to ten times slower, most of all in the short paths of small I/O. \
          Distributions offer such kernels in addition to the normal one (kernel-debug), and somebody may start them \
          by mistake.",
    judged: "A sanitizer, lock checking, or allocation checking that is on is bad for latency, IOPS and repeatability, \
             and a remark for bandwidth. An option that is merely built in and off (DEBUG_PAGEALLOC without its \
             switch) does not count. It is ok if none of them is on.",
    remedy: "Start the normal kernel, or remove the parameter from the kernel command line. The configuration is in \
             /proc/config.gz too, where the kernel keeps it: zgrep KASAN /proc/config.gz.",
    needs: Needs::Reboot,
    kernels: "all",
    sources: &["V-16", "Documentation/dev-tools/index.rst", "Documentation/mm/slab.rst"],
    observe: Observe::Once(|scene| {
        let said = |name: &str, seen: Observed| Observation::or_unknown(name, seen);
        vec![said("config", config(scene)), said("boot", boot(scene))]
    }),
};

/// Options that cost as soon as they are built in.
const COSTLY: [&str; 8] = [
    "CONFIG_KASAN",
    "CONFIG_KCSAN",
    "CONFIG_KMSAN",
    "CONFIG_LOCKDEP",
    "CONFIG_PROVE_LOCKING",
    "CONFIG_DEBUG_PAGEALLOC_ENABLE_DEFAULT",
    "CONFIG_SLUB_DEBUG_ON",
    KMEMLEAK,
];

/// This option costs time, unless it is built in but off at boot.
const KMEMLEAK: &str = "CONFIG_DEBUG_KMEMLEAK";
const KMEMLEAK_OFF: &str = "CONFIG_DEBUG_KMEMLEAK_DEFAULT_OFF";

/// Boot parameters that switch checking on, unless their value means off.
const SWITCHES: [&str; 5] = ["slub_debug", "slab_debug", "debug_pagealloc", "page_poison", "kmemleak"];

fn config(scene: &Scene<'_>) -> Observed {
    let raw = config_text(scene)?;
    if !raw.text.lines().any(|line| line.starts_with("CONFIG_")) {
        return Err(Unknown::garbled(&raw.path, raw.text.lines().next().unwrap_or_default()));
    }
    let is_set = |option: &str| raw.text.lines().any(|line| line.strip_prefix(option) == Some("=y"));
    let scans = |option: &&&str| **option != KMEMLEAK || !is_set(KMEMLEAK_OFF);
    let on: Vec<&str> = COSTLY.iter().filter(|option| is_set(option)).filter(scans).copied().collect();
    let seen = Observation::on("config");
    if on.is_empty() {
        return Ok(seen.with(&raw.path, "").ok("no costly debugging is built in"));
    }
    let seen = seen.with(&raw.path, on.iter().map(|option| format!("{option}=y\n")).collect::<String>());
    Ok(bad(seen, format!("built for finding bugs: {}", on.join(", "))))
}

fn bad(seen: Observation, says: String) -> Observation {
    seen.bad_for(&[Latency, Iops, Repeatability], says)
}

/// Reads the configuration from the two paths where distributions put it.
fn config_text(scene: &Scene<'_>) -> Result<Raw, Unknown> {
    let release = scene.read("/proc/sys/kernel/osrelease")?.text;
    let first = scene.read(format!("/boot/config-{release}"));
    let second = || scene.read(format!("/lib/modules/{release}/config"));
    first.or_else(|unknown| second().map_err(|_| unknown))
}

fn boot(scene: &Scene<'_>) -> Observed {
    let words = scene.boot_words()?;
    let seen = Observation::on("boot").show(&words.raw);
    if words.raw.text.contains(char::REPLACEMENT_CHARACTER) {
        return Err(words.raw.garbled());
    }
    let is_on = |word: &&str| {
        let (name, value) = word.split_once('=').unwrap_or((word, "on"));
        SWITCHES.contains(&name) && !matches!(value, "off" | "0" | "-" | "")
    };
    let on: Vec<&str> = words.iter().filter(is_on).collect();
    Ok(match on.as_slice() {
        [] => seen.ok("no debugging was switched on at boot"),
        _ => bad(seen, format!("switched on at boot: {}", on.join(" "))),
    })
}
