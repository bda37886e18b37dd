//! CPUs, memory nodes and priorities of the workers.

use crate::option::{Kind, OptionDef, OptionRelation};
use crate::table;
use crate::value::MemPolicy;

const BASE: OptionDef = OptionDef::BASE;

table! {
    /// CPUs the job may use.
    CPUS_ALLOWED: Option<Vec<usize>> = OptionDef {
        name: "cpus_allowed", kind: Kind::Cpus, help: "CPUs that the job may run on: `0,2,8-15`", ..BASE
    };
    /// The same as a mask.
    CPUMASK: Option<Vec<usize>> = OptionDef {
        name: "cpumask", kind: Kind::CpuMask, relation: OptionRelation::Becomes("cpus_allowed"),
        help: "CPUs 0 to 31 that the job may run on, as a bit mask", ..BASE
    };
    /// How clones share the CPUs.
    CPUS_ALLOWED_POLICY: &'static str = OptionDef {
        name: "cpus_allowed_policy", kind: Kind::Word(&[("shared", "shared"), ("split", "split")]),
        default: "shared",
        help: "shared: every clone may use all of cpus_allowed; split: each clone gets one of those CPUs",
        ..BASE
    };
    /// NUMA nodes the job may use.
    NUMA_CPU_NODES: Option<Vec<usize>> = OptionDef {
        name: "numa_cpu_nodes", kind: Kind::Cpus, help: "NUMA nodes on whose CPUs the job runs: `0,2-3`",
        ..BASE
    };
    /// NUMA policy of the buffers.
    NUMA_MEM_POLICY: Option<MemPolicy> = OptionDef {
        name: "numa_mem_policy", kind: Kind::MemPolicy,
        help: "NUMA nodes of the buffers: default, local, prefer:N, bind:LIST, interleave:LIST", ..BASE
    };
    /// CPU priority.
    NICE: i64 = OptionDef {
        name: "nice", kind: Kind::Int { min: -20, max: 19 }, default: "0",
        help: "CPU priority, -20 (first) to 19 (last)", ..BASE
    };
    /// I/O priority level.
    PRIO: Option<u32> = OptionDef {
        name: "prio", kind: Kind::Int { min: 0, max: 7 },
        help: "I/O priority within the class, 0 (first) to 7", ..BASE
    };
    /// I/O priority class.
    PRIOCLASS: Option<u32> = OptionDef {
        name: "prioclass", kind: Kind::Int { min: 0, max: 3 },
        help: "I/O priority class: 1 real-time, 2 best effort, 3 idle", ..BASE
    };
}
