//! The next step: a command, and what it is good for.

use serde::{Deserialize, Serialize};

saved! {
    /// A command, and what it is good for.
    #[derive(Default, Eq)]
    pub struct NextStep {
        /// The command, as it can be typed in the directory of the run.
        pub command: String,
        /// What it is good for.
        #[serde(flatten)]
        pub gain: Gain,
        /// It writes as before, and asks for the consent that no suggestion repeats.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub needs_consent: bool,
    }

    /// What a next step is good for.
    #[derive(Default, Eq)]
    #[serde(tag = "gain")]
    pub enum Gain {
        /// Starts again from the beginning.
        StartsAgain,
        /// Shows what the kernel reported of the device.
        KernelMessages,
        /// Lists what can be measured here, and how.
        #[default]
        ListsTargets,
        /// Lists disks that can be measured.
        ListsDisks,
        /// Lists the disks that can be measured directly.
        ListsDirectDisks,
        /// Measures each job for long enough.
        LongEnough,
        /// Shows which I/Os failed, and how.
        FailedIos,
        /// Shows whether the rates are steady.
        IsSteady,
        /// After the other programs are stopped.
        AfterOthers,
        /// Reads and writes past the page cache.
        PastPageCache,
        /// The same, which `mmap` cannot do.
        PastPageCacheWithoutMmap,
        /// Explains how to fill a target before it is read.
        ExplainsFill,
        /// Shows what slows this machine.
        SlowMachine,
        /// After the CPU quota of the control group is raised.
        AfterQuota,
        /// Names what disturbed the run.
        Disturbances,
        /// Shows what slows the CPUs.
        SlowCpus,
        /// Shows which drives and CPUs are too hot.
        HotParts,
        /// Measures the rate that lasts for most of the time.
        LastingRate,
        /// Gives each job enough I/Os for a rate.
        EnoughIos,
        /// Measures only what comes after the fall of the rate.
        AfterFall,
        /// Goes on without the least rate that ended the job, and shows when the rate falls.
        FallingRate,
        /// Goes on without the longest latency that ended the job, and shows how long I/Os take.
        LongestIos,
        /// Shows what can change these figures.
        ChangingFigures,
        /// Measures for so many minutes, and shows whether the rates last.
        Lasts {
            /// How many.
            minutes: u64,
        },
        /// Shows how much the figures vary from run to run.
        Variation,
        /// Shows what disturbs measurements.
        DisturbingParts,
        /// Makes the report of the standard.
        StandardReport,
        /// Makes a page with all tables and charts.
        Page,
        /// Shows every value that was measured.
        EveryValue,
        /// Shows how what was measured in turn differs.
        Differences,
        /// Measures the target in the state that it now has.
        PreparedTarget,
        /// Goes on after the last round.
        GoesOn {
            /// The options that give consent; nothing that is saved gives it.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            consent: Vec<String>,
        },
    }
}
