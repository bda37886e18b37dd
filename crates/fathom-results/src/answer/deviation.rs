//! In what a procedure deviated from what it prescribes, or what of it could not be confirmed.

use super::{Prescribed, RoundsPart};
use crate::finding::Finding;
use serde::{Deserialize, Serialize};

saved! {
    /// A deviation.
    #[serde(tag = "deviation")]
    pub enum Deviation {
        /// The drive is simulated.
        Simulated {
            /// It is this part of a whole drive; 1 is the whole.
            scale: u64,
        },
        /// All times were divided.
        TimesDivided {
            /// By so much.
            divisor: u64,
            /// What prescribes the times.
            of: Prescribed,
        },
        /// The device was not purged before the tests of a standard.
        NotPurged,
        /// The purge wrote zeroes, because the device offers nothing better.
        PurgedWithZeroes,
        /// The write cache is not as the standard asks.
        WriteCache {
            /// How it is.
            is: CacheState,
            /// The standard asks for it on.
            wants_on: bool,
            /// The device does not allow that it is set.
            #[serde(default, skip_serializing_if = "std::ops::Not::not")]
            is_fixed: bool,
        },
        /// The active range is not that of the standard.
        ActiveRange {
            /// The range, percent of the device.
            percent: u64,
            /// That of the standard.
            standard_percent: u64,
        },
        /// Workers and depth are not those that the standard recommends.
        Demand {
            /// The tests that have them.
            tests: Vec<String>,
            /// Workers and depth.
            demand: (u64, u64),
            /// Those of the standard.
            standard: (u64, u64),
        },
        /// A test was not run.
        TestNotRun {
            /// Its title.
            test: String,
            /// Why not.
            because: CannotRun,
        },
        /// Cells of a test were left out.
        CellsLeftOut {
            /// The title of the test.
            test: String,
            /// Their block sizes, bytes.
            block_bytes: Vec<u64>,
            /// The target.
            target: String,
            /// Its smallest I/O, bytes.
            smallest_bytes: u64,
        },
        /// The tests were interrupted.
        Interrupted {
            /// So often.
            times: u64,
        },
        /// What could not be confirmed in the text of the standard.
        Unverified {
            /// Each of it.
            points: Vec<UnverifiedPoint>,
        },
        /// The tests are TKperf's variant of the standard's.
        Tkperf,
        /// What TKperf does wrong, and what is done here.
        TkperfDefect {
            /// Which defect.
            defect: TkperfDefect,
        },
        /// The drive is worn or failing.
        Unsound {
            /// The drive.
            drive: String,
            /// What the check of the host says.
            says: String,
        },
        /// The tests went on under other conditions.
        OtherConditions {
            /// After which interruption.
            interruption: u64,
            /// What differs.
            differences: Vec<String>,
        },
        /// Groups of a suite that the user left out.
        GroupsLeftOut {
            /// Their names.
            groups: Vec<String>,
        },
        /// Groups of a suite that were left out because the targets have too many subsets.
        TooManySubsets {
            /// How many targets there are.
            targets: u64,
            /// At most so many can be taken.
            most: u64,
            /// The names of the groups.
            groups: Vec<String>,
        },
        /// The targets were not emptied before the cells for which the suite empties them.
        NotEmptied,
        /// The same of files, which cannot be emptied as a drive can.
        FileNotEmptied,
        /// A directory cannot be filled.
        DirectoryNotFilled,
        /// A simulated drive is not formatted to other blocks.
        NotFormatted,
        /// An option is set in every job.
        OptionSet {
            /// The option.
            option: String,
            /// Its value.
            value: String,
        },
        /// A run of a suite has not all steps.
        Unfinished {
            /// It ended early.
            #[serde(default, skip_serializing_if = "std::ops::Not::not")]
            ended_early: bool,
            /// Steps that were not measured.
            missing: u64,
            /// Of so many.
            of: u64,
        },
        /// Runs side by side differ.
        RunsDiffer {
            /// The label of the run.
            run: String,
            /// In what.
            what: String,
            /// The value in this run; absent where it is not known or not given.
            #[serialize_always]
            now: Option<String>,
            /// The value in the first run.
            #[serialize_always]
            before: Option<String>,
            /// The label of the first run.
            first: String,
            /// A value that is absent was not given; else it is not known.
            is_given: bool,
        },
        /// Rounds of runs side by side are doubted.
        RunsDoubted {
            /// In how many rounds of which runs.
            runs: Vec<DoubtedRuns>,
            /// What was found, of one rule: once for each of the runs that have other numbers in it.
            findings: Vec<Finding>,
        },
    }

    /// A deviation in a report, and the runs that it is about.
    pub struct ReportDeviation {
        /// The deviation.
        #[serde(flatten)]
        pub what: Deviation,
        /// The labels of the runs, of several side by side; empty where it is about all.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub of_runs: Vec<String>,
    }

    /// Runs side by side in which something was found.
    #[derive(Eq)]
    pub struct DoubtedRuns {
        /// In so many of the rounds of each; absent where it is so in every round.
        pub rounds: Option<RoundsPart>,
        /// The labels of the runs; empty where it is so in all.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub runs: Vec<String>,
    }

    /// How a write cache is.
    #[derive(Copy, Eq)]
    pub enum CacheState {
        /// On.
        On,
        /// Off, or the device has none.
        Off,
        /// That could not be read.
        Unread,
    }

    /// Why a target cannot have a test.
    #[derive(Eq)]
    #[serde(tag = "cannot")]
    pub enum CannotRun {
        /// The smallest I/O of the target is too large.
        SmallIos {
            /// The test has I/Os of so many bytes.
            needs_bytes: u64,
            /// The target.
            target: String,
            /// Its smallest I/O, bytes.
            smallest_bytes: u64,
        },
        /// The active range is too small.
        SmallRange {
            /// The test needs so many bytes.
            needs_bytes: u64,
            /// The range has so many.
            has_bytes: u64,
        },
    }

    /// What could not be confirmed in the text of the standard.
    #[derive(Copy, Eq)]
    pub enum UnverifiedPoint {
        /// The fill and the tracked directions of the throughput test.
        ThroughputFill,
        /// The maximum latency of a window.
        WindowMaximum,
        /// The end of write saturation.
        SaturationEnd,
        /// The active range of the recovery tests of a client drive.
        RecoveryRange,
        /// The most IOPS are those with a mean latency below 5 ms.
        MostIops,
    }

    /// What TKperf does wrong.
    #[derive(Copy, Eq)]
    pub enum TkperfDefect {
        /// The drive rests between two cells.
        RestsBetweenCells,
        /// Each round has the same addresses.
        SameAddresses,
        /// An error ends it without a result.
        LosesResults,
        /// The name of the device is searched in the list of mounts.
        MountByName,
        /// An erase that did nothing is not noticed.
        UnprovenErase,
        /// Several jobs fill the device once each.
        FillsOnceEach,
        /// The latency of a mix is weighted.
        WeightedLatency,
        /// The device is not filled before each block size.
        UnfilledBlocks,
        /// Only one block size is judged.
        JudgesOneBlock,
        /// Several streams begin at the same block.
        SameStart,
        /// All rounds begin at the start of the device.
        StartsAtZero,
        /// Sizes in the log are eight times too large.
        SizeTooLarge,
        /// Zones end before the end of the disk.
        ZonesTooShort,
    }
}

impl From<Deviation> for ReportDeviation {
    fn from(what: Deviation) -> Self {
        ReportDeviation { what, of_runs: Vec::new() }
    }
}
