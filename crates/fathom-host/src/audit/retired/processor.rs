//! Advice about processors, their power and their placement.

use super::{Advice, AdviceStanding};

pub(super) const ADVICE: &[Advice] = &[
    Advice {
        id: "idle-poll",
        advice: "Boot with intel_idle.max_cstate=0 processor.max_cstate=0 idle=poll, so that no core ever sleeps.",
        sources: &["V-5", "V-6", "H-3"],
        standing: AdviceStanding::Harmful,
        instead: "Hold /dev/cpu_dma_latency open with a limit during the run (fathom run --tune does it). This has the \
                  same effect on wake-up times, which are 2 µs for C1 and 100 µs and more for C6, without a reboot, \
                  and the kernel removes the limit when the program ends, even after a crash. idle=poll lets every \
                  core spin at full power: the heat lowers the turbo clock, which needs idle cores, and a spinning \
                  thread takes time from its sibling on the same core. max_cstate=0 does not stop the core from \
                  sleeping either: it switches the intel_idle driver off, and acpi_idle is used instead.",
        checks: &["cpu.cstates", "cpu.idle_cmdline"],
        words: &[
            "idle=poll",
            "idle poll",
            "max_cstate",
            "max_cstate=0",
            "intel_idle.max_cstate=0",
            "processor.max_cstate=0",
            "c-states",
            "cstates",
            "c states",
        ],
    },
    Advice {
        id: "smt-turbo",
        advice: "Switch Hyper-Threading and turbo off in the BIOS (one guide); leave both on (another).",
        sources: &["V-9", "V-17", "I-6", "I-7"],
        standing: AdviceStanding::Qualified,
        instead: "Both guides are right about their own goal. Turbo raises IOPS and bandwidth where the processor is \
                  the limit, and makes two runs differ, because it depends on heat and on the load of the other cores. \
                  Switch it off for repeatability and on for the other goals, and always record it. The second thread \
                  of a core does harm only if two workers share the core; with one worker on each core (cpus_allowed, \
                  which fathom suggests) no change and no reboot is needed. If in doubt, measure both ways, \
                  interleaved, and compare the confidence intervals.",
        checks: &["cpu.smt", "cpu.turbo"],
        words: &[
            "hyper-threading",
            "hyperthreading",
            "hyper threading",
            "ht off",
            "smt",
            "smt off",
            "turbo",
            "turbo off",
            "disable turbo",
            "no_turbo",
        ],
    },
    Advice {
        id: "governor-by-init-script",
        advice: "Edit the ondemand init script, or install cpupowerutils, to get the performance governor at boot.",
        sources: &["V-3", "V-18", "H-4"],
        standing: AdviceStanding::Superseded,
        instead: "The aim is right: a clock that falls between two I/Os adds latency to each I/O at low depth. The \
                  scripts no longer exist. Write performance into \
                  /sys/devices/system/cpu/cpufreq/policy*/scaling_governor for the run and the old word afterwards \
                  (fathom run --tune does it); with intel_pstate or amd-pstate in active mode the energy preference \
                  decides.",
        checks: &["cpu.governor", "cpu.epp"],
        words: &["ondemand", "cpupower", "cpupowerutils", "cpufreq", "governor", "performance governor"],
    },
    Advice {
        id: "energy-perf-policy",
        advice: "Run x86_energy_perf_policy performance, and perhaps reboot.",
        sources: &["H-4"],
        standing: AdviceStanding::Superseded,
        instead: "The same register is a file now: energy_performance_preference of each cpufreq policy (or \
                  power/energy_perf_bias of each CPU). It takes effect at once, needs no tool and no reboot, and \
                  fathom restores the old value. Restore the governor first: under performance, intel_pstate refuses \
                  every other preference.",
        checks: &["cpu.epp"],
        words: &["x86_energy_perf_policy", "energy_perf_bias", "epb", "epp", "energy policy"],
    },
    Advice {
        id: "cpuinfo-mhz",
        advice: "Compare \"cpu MHz\" in /proc/cpuinfo with the model's name to see whether a CPU is throttled.",
        sources: &["H-33", "H-34"],
        standing: AdviceStanding::Obsolete,
        instead: "The value of an idle core is low because it is idle, not because it is hot, so the comparison is \
                  useful only under load (a 2.66 GHz processor that then runs at 1.0 GHz has a ratio of 0.38). The \
                  counters under thermal_throttle show it directly: they grow when the processor slows itself down, \
                  and fathom reads them before and after each run.",
        checks: &["cpu.throttle"],
        words: &["cpu mhz", "cpuinfo", "mhz", "throttling", "throttled cpu", "/proc/cpuinfo"],
    },
    Advice {
        id: "numactl-pinning",
        advice: "Put the drives on one processor and pin the test there with numactl --cpunodebind and cpus_allowed.",
        sources: &["V-12", "V-13", "M-20", "H-12", "I-4", "I-33"],
        standing: AdviceStanding::Valid,
        instead: "It is right: a remote socket adds a hop to every I/O and shares the link between the sockets. fathom \
                  finds the node of each drive and places workers and their memory itself, so numactl is not needed; \
                  where the firmware does not report the node (-1), set it in the job. fathom also reports arrays \
                  whose members are on two sockets.",
        checks: &["numa.device_node", "numa.job_local", "numa.array_span"],
        words: &["numactl", "numa pinning", "numa", "cpunodebind", "same cpu", "same socket", "taskset"],
    },
    Advice {
        id: "numa-node-by-pci-bus",
        advice: "Read the node of a card from /sys/class/pci_bus/BUS:DEVICE/device/numa_node.",
        sources: &["H-11"],
        standing: AdviceStanding::Wrong,
        instead: "That class has an entry for each bus, named domain:bus, not for each device, so the path of the \
                  guide does not exist, and the bus's node is not always the card's. Read \
                  /sys/bus/pci/devices/DDDD:BB:DD.F/numa_node, the file of the function itself; fathom topology shows \
                  the node with each drive.",
        checks: &["numa.device_node"],
        words: &["pci_bus", "/sys/class/pci_bus", "numa_node", "which numa node"],
    },
    Advice {
        id: "cpus-are-cores",
        advice: "Count the processors of a host by the number that the system reports (\"88 CPUs\").",
        sources: &["H-17"],
        standing: AdviceStanding::Wrong,
        instead: "That is the number of threads: two processors of 22 cores with two threads each give 88. A job with \
                  88 workers then has two workers on each core. fathom reports sockets, cores and threads separately.",
        checks: &["cpu.smt", "cpu.online"],
        words: &["88 cpus", "number of cpus", "logical cpus", "cores or threads", "lscpu"],
    },
];
