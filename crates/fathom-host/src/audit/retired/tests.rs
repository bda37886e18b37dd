//! The table is complete, has no contradictions, and people find its entries by
//! the words that they type.

use std::collections::BTreeSet;

use super::{Advice, about, all, find};
use crate::audit::checks;

#[test]
fn every_entry_is_complete() {
    let mut ids = BTreeSet::new();
    for Advice { id, advice, sources, instead, checks, words, .. } in all() {
        assert!(ids.insert(id), "{id} is there twice");
        assert!(id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'), "{id}");
        assert!(advice.len() > 20 && advice.ends_with('.'), "{id}: {advice}");
        assert!(instead.len() > 120 && instead.ends_with(['.', ')']), "{id}: {instead}");
        assert!(!sources.is_empty() && !checks.is_empty() && words.len() >= 3, "{id}");
        assert!(words.iter().all(|word| **word == word.to_lowercase()), "{id}: words in small letters");
    }
    assert!(ids.len() >= 20, "the research lists twenty");
}

#[test]
fn every_check_named_exists() {
    for advice in all() {
        for check in advice.checks {
            assert!(checks::find(check).is_some(), "{}: {check}", advice.id);
            assert!(about(check).any(|found| found.id == advice.id));
        }
    }
}

#[test]
fn words_belong_to_one_entry() {
    let mut words = BTreeSet::new();
    for word in all().flat_map(|advice| advice.words) {
        assert!(words.insert(word), "{word} is there twice");
    }
}

#[test]
fn every_id_and_every_word_finds_its_entry() {
    for advice in all() {
        for asked in advice.words.iter().chain([&advice.id]) {
            assert_eq!(find(asked).map(|found| found.id), Some(advice.id), "{asked}");
        }
    }
}

#[test]
fn what_a_person_would_type() {
    let cases = [
        ("idle=poll", "idle-poll"),
        ("intel_idle.max_cstate=0 processor.max_cstate=0 idle=poll", "idle-poll"),
        ("Should I disable SELinux?", "disable-selinux"),
        ("should i uninstall irqbalance", "uninstall-irqbalance"),
        ("Hyper-Threading", "smt-turbo"),
        ("echo 4096 > /sys/block/sdb/queue/nr_requests", "nr-requests-4096"),
        ("grub pcie_aspm.policy=performance", "aspm-by-grub"),
        ("vm.swappiness", "swappiness-100"),
        ("sysctl vm.dirty_ratio=40", "pdflush-dirty-ratio"),
        ("mount -o nobarrier", "xfs-nobarrier"),
        ("mkfs.ext4 stride", "ext4-stride"),
        ("elevator=noop", "elevator-boot"),
        ("pci=pcie_bus_perf", "pcie-bus-perf"),
        ("group_thread_cnt", "group-thread-cnt"),
        ("%util", "util-is-saturation"),
        ("dd if=/dev/zero of=/dev/sdb", "cp-benchmark"),
        ("Should I use O_DIRECT?", "async-and-direct"),
        ("spare area", "hot-share"),
        ("which fio version", "build-fio"),
        ("intelmas load", "vendor-tool"),
        ("fio-bugreport", "support-bundle"),
        ("Windows processor group", "windows-interrupts"),
        ("FILE_FLAG_NO_BUFFERING", "windows-direct-io"),
        ("flash against disk", "seek-tests"),
        ("what is a VROC key", "vroc-key"),
        ("why is PAGEIOLATCH_SH so long", "pageiolatch"),
        ("tkperf", "standard-tools"),
        ("fio output explained", "fio-output"),
        ("raw device first?", "raw-first"),
        ("BIOS settings", "bios-checklist"),
        ("blockdev --setra 256", "read-ahead-units"),
    ];
    for (asked, id) in cases {
        assert_eq!(find(asked).map(|found| found.id), Some(id), "{asked}");
    }
}

#[test]
fn what_nobody_advised_is_not_found() {
    for asked in ["", "x", "coffee", "the", "a faster drive", "tcp settings", "aerial"] {
        assert_eq!(find(asked).map(|found| found.id), None, "{asked}");
    }
}
