//! Advice about processors, their power and their placement.

use super::{Advice, Standing};

pub(super) const ADVICE: &[Advice] = &[
    Advice {
        id: "idle-poll",
        advice: "Boot with intel_idle.max_cstate=0 processor.max_cstate=0 idle=poll, so that no core ever sleeps.",
        sources: &["V-5", "V-6", "H-3"],
        standing: Standing::Harmful,
        instead: "Hold /dev/cpu_dma_latency open with a limit for the length of the run (fathom run --tune does it): the \
                  same effect on wake-up times, which are 2 µs for C1 and 100 µs and more for C6, without a reboot, and \
                  the kernel takes it back when the program ends, even by a crash. idle=poll lets every core spin at \
                  full power: the heat costs the turbo clock, which depends on other cores resting, and a spinning \
                  thread takes time from its sibling on the same core. max_cstate=0 does not stop the core from \
                  sleeping either: it switches the intel_idle driver off, and acpi_idle takes over.",
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
        standing: Standing::Qualified,
        instead: "Both guides are right about their own goal. Turbo raises IOPS and bandwidth where the processor is the \
                  limit, and makes two runs differ, because it depends on heat and on the neighbours: off for \
                  repeatability, on for the rest, and always recorded. The second thread of a core harms only if two \
                  workers share the core; one worker a core (cpus_allowed, which fathom suggests) ends the dispute \
                  without a reboot. If in doubt, measure both ways, interleaved, and look at the interval.",
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
        standing: Standing::Superseded,
        instead: "The aim is right: a clock that falls between two I/Os adds to each at low depth. The scripts are gone. \
                  Write performance into /sys/devices/system/cpu/cpufreq/policy*/scaling_governor for the run and the \
                  old word afterwards (fathom run --tune); with intel_pstate or amd-pstate in active mode it is the \
                  energy preference that decides.",
        checks: &["cpu.governor", "cpu.epp"],
        words: &["ondemand", "cpupower", "cpupowerutils", "cpufreq", "governor", "performance governor"],
    },
    Advice {
        id: "energy-perf-policy",
        advice: "Run x86_energy_perf_policy performance, and perhaps reboot.",
        sources: &["H-4"],
        standing: Standing::Superseded,
        instead: "The same register is a file now: energy_performance_preference of each cpufreq policy (or \
                  power/energy_perf_bias of each CPU). It takes effect at once, needs no tool and no reboot, and \
                  fathom puts the old value back. Restore the governor first: under performance, intel_pstate refuses \
                  every other preference.",
        checks: &["cpu.epp"],
        words: &["x86_energy_perf_policy", "energy_perf_bias", "epb", "epp", "energy policy"],
    },
    Advice {
        id: "cpuinfo-mhz",
        advice: "Compare \"cpu MHz\" in /proc/cpuinfo with the model's name to see whether a CPU is throttled.",
        sources: &["H-33", "H-34"],
        standing: Standing::Obsolete,
        instead: "An idle core reads low because it is idle, not because it is hot, so the comparison means something \
                  only under load (a 2.66 GHz part that runs at 1.0 GHz then has a ratio of 0.38). The counters under \
                  thermal_throttle say it outright: they grow when the processor slows itself down, and fathom reads \
                  them before and after each run.",
        checks: &["cpu.throttle"],
        words: &["cpu mhz", "cpuinfo", "mhz", "throttling", "throttled cpu", "/proc/cpuinfo"],
    },
    Advice {
        id: "numactl-pinning",
        advice: "Put the drives on one processor and pin the test there with numactl --cpunodebind and cpus_allowed.",
        sources: &["V-12", "V-13", "M-20", "H-12", "I-4", "I-33"],
        standing: Standing::Valid,
        instead: "It holds: a remote socket adds a hop to every I/O and shares the link between the sockets. fathom finds \
                  the node of each drive itself and places workers and their memory from inside, so no wrapper is \
                  needed; where the firmware does not tell the node (-1), say it. Members of one array on two sockets \
                  are named.",
        checks: &["numa.device_node", "numa.job_local", "numa.array_span"],
        words: &["numactl", "numa pinning", "numa", "cpunodebind", "same cpu", "same socket", "taskset"],
    },
    Advice {
        id: "numa-node-by-pci-bus",
        advice: "Read the node of a card from /sys/class/pci_bus/BUS:DEVICE/device/numa_node.",
        sources: &["H-11"],
        standing: Standing::Wrong,
        instead: "That class has an entry for each bus, named domain:bus, not for each device, so the path of the guide is \
                  not there, and the bus's node is not always the card's. Read \
                  /sys/bus/pci/devices/DDDD:BB:DD.F/numa_node, the file of the function itself; fathom topology \
                  shows it beside each drive.",
        checks: &["numa.device_node"],
        words: &["pci_bus", "/sys/class/pci_bus", "numa_node", "which numa node"],
    },
    Advice {
        id: "cpus-are-cores",
        advice: "Count the processors of a host by the number that the system reports (\"88 CPUs\").",
        sources: &["H-17"],
        standing: Standing::Wrong,
        instead: "That number is of threads: two processors of 22 cores with two threads each report 88. A job with 88 \
                  workers then has two on each core. fathom keeps sockets, cores and threads apart in every report.",
        checks: &["cpu.smt", "cpu.online"],
        words: &["88 cpus", "number of cpus", "logical cpus", "cores or threads", "lscpu"],
    },
];
