//! `vm.hugepages`: is memory reserved as huge pages?

use super::meminfo;
use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene};

pub(super) const CHECK: Check = Check {
    id: "vm.hugepages",
    title: "Reserved huge pages",
    reads: "/proc/meminfo (HugePages_Total, HugePages_Free, Hugepagesize)",
    why: "Huge pages that are reserved at boot or by sysctl can only be used by programs that request them (buffer \
          pools of databases, storage and network stacks outside the kernel such as SPDK and DPDK, virtual machines, \
          jobs with iomem=mmaphuge). These programs need fewer address translations; all others cannot use that \
          memory. The page cache cannot use it either, so a buffered test on such a host has less cache than its \
          memory size suggests.",
    judged: "A remark where pages are reserved, with the number of free ones; ok where there are none. Reserved pages \
             alone are not a fault.",
    remedy: "For a job that needs them: sysctl vm.nr_hugepages=N before the job, while memory is not yet fragmented, \
             and 0 afterwards. If pages are not used, find out who reserved them before you release them.",
    needs: Needs::Administrator,
    kernels: "all with hugetlbfs",
    sources: &["Documentation/admin-guide/mm/hugetlbpage.rst"],
    observe: Observe::Once(|scene| vec![Observation::or_unknown("host", judge(scene))]),
};

fn judge(scene: &Scene<'_>) -> Observed {
    let table = meminfo::read(scene)?;
    let total = meminfo::number(&table, "HugePages_Total")?;
    let free = meminfo::number(&table, "HugePages_Free")?;
    let page_mib = meminfo::bytes(&table, "Hugepagesize")? >> 20;
    let seen = Observation::on("host")
        .with(&table.path, format!("HugePages_Total: {total}, HugePages_Free: {free}"));
    Ok(match (total, free) {
        (0, _) => seen.ok("no huge pages are reserved"),
        (_, 0) => seen.info(format!("all {total} huge pages of {page_mib} MiB are in use")),
        _ => seen.info(format!(
            "{total} huge pages of {page_mib} MiB are reserved, {free} of them free: the page cache cannot use these \
             {} MiB",
            free * page_mib
        )),
    })
}
