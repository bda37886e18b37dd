//! The facts about the host.

use super::Row;
use super::parse::{
    cores, cpu_model, flag, hypervisor_flag, memory_total, number, pretty_name, selected, sockets, text,
    threads,
};

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    Row { name: "hostname", paths: &["proc/sys/kernel/hostname"], parse: text },
    Row { name: "kernel", paths: &["proc/sys/kernel/osrelease"], parse: text },
    Row { name: "os", paths: &["etc/os-release", "usr/lib/os-release"], parse: pretty_name },
    Row { name: "cmdline", paths: &["proc/cmdline"], parse: text },
    Row { name: "cpu_model", paths: &["proc/cpuinfo"], parse: cpu_model },
    Row { name: "cpu_sockets", paths: &["proc/cpuinfo"], parse: sockets },
    Row { name: "cpu_cores", paths: &["proc/cpuinfo"], parse: cores },
    Row { name: "cpu_threads", paths: &["proc/cpuinfo"], parse: threads },
    Row { name: "cpus_online", paths: &["sys/devices/system/cpu/online"], parse: text },
    Row { name: "cpus_isolated", paths: &["sys/devices/system/cpu/isolated"], parse: text },
    Row { name: "smt", paths: &["sys/devices/system/cpu/smt/active"], parse: flag },
    Row { name: "governor", paths: &["sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"], parse: text },
    Row { name: "cpufreq_driver", paths: &["sys/devices/system/cpu/cpu0/cpufreq/scaling_driver"], parse: text },
    Row { name: "cpuidle_driver", paths: &["sys/devices/system/cpu/cpuidle/current_driver"], parse: text },
    Row { name: "numa_nodes", paths: &["sys/devices/system/node/online"], parse: text },
    Row { name: "numa_balancing", paths: &["proc/sys/kernel/numa_balancing"], parse: number },
    Row { name: "memory_bytes", paths: &["proc/meminfo"], parse: memory_total },
    Row { name: "transparent_hugepages", paths: &["sys/kernel/mm/transparent_hugepage/enabled"], parse: selected },
    Row { name: "clocksource", paths: &["sys/devices/system/clocksource/clocksource0/current_clocksource"], parse: text },
    Row { name: "hypervisor_flag", paths: &["proc/cpuinfo"], parse: hypervisor_flag },
    Row { name: "hypervisor", paths: &["sys/hypervisor/type"], parse: text },
    Row { name: "system_vendor", paths: &["sys/class/dmi/id/sys_vendor"], parse: text },
    Row { name: "system_product", paths: &["sys/class/dmi/id/product_name"], parse: text },
    Row { name: "aio_max_nr", paths: &["proc/sys/fs/aio-max-nr"], parse: number },
    Row { name: "io_uring_disabled", paths: &["proc/sys/kernel/io_uring_disabled"], parse: number },
];
