//! CPUs, memory nodes and priorities of the workers.

use crate::option::{Kind, OptionDef, OptionRelation};
use crate::table;
use crate::value::MemPolicy;

const BASE: OptionDef = OptionDef::BASE;

table! {
    CPUS_ALLOWED: Option<Vec<usize>> = BASE.of("cpus_allowed", Kind::Cpus, "",
        "CPUs that the job may run on: `0,2,8-15`");
    CPUMASK: Option<Vec<usize>> = OptionDef {
        name: "cpumask", kind: Kind::CpuMask, relation: OptionRelation::Becomes("cpus_allowed"),
        help: "CPUs 0 to 31 that the job may run on, as a bit mask", ..BASE
    };
    CPUS_ALLOWED_POLICY: &'static str = OptionDef {
        name: "cpus_allowed_policy", kind: Kind::Word(&[("shared", "shared"), ("split", "split")]),
        default: "shared",
        help: "shared: every clone may use all of cpus_allowed; split: each clone gets one of those CPUs",
        ..BASE
    };
    NUMA_CPU_NODES: Option<Vec<usize>> = BASE.of("numa_cpu_nodes", Kind::Cpus, "",
        "NUMA nodes on whose CPUs the job runs: `0,2-3`");
    NUMA_MEM_POLICY: Option<MemPolicy> = BASE.of("numa_mem_policy", Kind::MemPolicy, "",
        "NUMA nodes of the buffers: default, local, prefer:N, bind:LIST, interleave:LIST");
    NICE: i64 = BASE.of("nice", Kind::Int { min: -20, max: 19 }, "0",
        "CPU priority, -20 (first) to 19 (last)");
    PRIO: Option<u32> = BASE.of("prio", Kind::Int { min: 0, max: 7 }, "",
        "I/O priority within the class, 0 (first) to 7");
    PRIOCLASS: Option<u32> = BASE.of("prioclass", Kind::Int { min: 0, max: 3 }, "",
        "I/O priority class: 1 real-time, 2 best effort, 3 idle");
}
