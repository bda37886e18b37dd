//! The table: complete, without contradictions, and found by the words that
//! people type.

use std::collections::BTreeSet;

use super::{Advice, all, find};

/// Every check that the catalogue has or will have.
const CHECKS: &str = "
    cpu.governor cpu.epp cpu.freq_cap cpu.turbo cpu.cstates cpu.idle_cmdline cpu.smt cpu.online
    cpu.throttle cpu.powercap cpu.temp cpu.platform_profile cpu.mitigations cpu.kernel_debug
    numa.device_node numa.job_local numa.array_span numa.balancing numa.sub_node numa.dimms mem.headroom
    irq.managed irq.unmanaged_place irq.daemon irq.queue_map irq.coalescing irq.threaded
    irq.softirq_load pcie.width pcie.speed pcie.path_bw pcie.oversub pcie.chipset pcie.aspm
    pcie.runtime_pm pcie.aer pcie.mps pcie.mrrs pcie.vmd pcie.iommu pcie.slot_name nvme.apst nvme.ps
    nvme.temp nvme.health nvme.firmware nvme.lbaf nvme.cache nvme.utilisation nvme.ns_share
    nvme.poll_queues nvme.qdepth nvme.background nvme.multipath nvme.wear_budget nvme.mdts scsi.qdepth
    blk.scheduler blk.nr_requests blk.max_sectors blk.rq_affinity blk.nomerges blk.add_random
    blk.iostats blk.wbt blk.rotational blk.read_ahead blk.align blk.discard blk.integrity blk.cgroup
    blk.loop md.state md.sync md.sync_speed md.threads md.stripe_cache md.bitmap md.geometry md.members
    md.external dm.stack fs.type fs.atime fs.discard fs.barrier fs.geometry fs.mode fs.lazyinit fs.fill
    fs.dio fs.lie vm.dirty vm.swappiness vm.thp vm.hugepages vm.cache_cold sys.aio sys.memlock
    sys.nofile sys.io_uring sys.virt sys.steal sys.clocksource sys.selinux sys.daemons sys.tracing
    sys.psi net.mtu noise.device noise.siblings noise.load noise.timers noise.kthreads noise.cv
    safe.mounted safe.holders safe.swap safe.signature safe.partition_table safe.raid_member safe.lvm_pv
    safe.zfs_member safe.root_disk safe.open_by_others safe.identity safe.readonly safe.mount_guard
";

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
    let known: BTreeSet<&str> = CHECKS.split_whitespace().collect();
    for advice in all() {
        for check in advice.checks {
            assert!(known.contains(check), "{}: {check}", advice.id);
        }
    }
    for check in crate::audit::checks::catalogue() {
        assert!(known.contains(check.id), "{} is missing in this list", check.id);
    }
}

#[test]
fn words_belong_to_one_entry() {
    let mut seen = BTreeSet::new();
    for word in all().flat_map(|advice| advice.words) {
        assert!(seen.insert(word), "{word} is there twice");
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
