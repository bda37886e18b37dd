//! The job itself: its name, its clones, its place in the run.

use crate::option::{Kind, OptionDef, OptionStatus};
use crate::table;

const BASE: OptionDef = OptionDef::BASE;
const FLAG: OptionDef = OptionDef::FLAG;

table! {
    /// Job name, instead of the section's.
    NAME: Option<String> = OptionDef {
        name: "name", help: "name of the job; on the command line it starts a new one", ..BASE
    };
    /// What the job is for.
    DESCRIPTION: Option<String> = OptionDef {
        name: "description", help: "what the job is for; repeated in the result", ..BASE
    };
    /// Clones of this job.
    NUMJOBS: u32 = OptionDef {
        name: "numjobs", kind: Kind::Int { min: 1, max: 4096 }, default: "1",
        help: "number of workers that run this job, each independently of the others", ..BASE
    };
    /// Threads rather than processes.
    THREAD: bool = OptionDef {
        name: "thread", help: "run each clone as a thread",
        status: OptionStatus::Differently("workers are always threads, with and without this option"), ..FLAG
    };
    /// One result row for the whole group.
    GROUP_REPORTING: bool = OptionDef {
        name: "group_reporting", help: "report the jobs of a group as one",
        ..FLAG
    };
    /// Barrier before this job.
    STONEWALL: bool = OptionDef {
        name: "stonewall", aliases: &["wait_for_previous"],
        help: "start only when every job above has ended; begins a new reporting group", ..FLAG
    };
    /// Start after another job.
    WAIT_FOR: Option<String> = OptionDef {
        name: "wait_for",
        help: "start when all clones of the named job have ended; it must be defined above this one", ..BASE
    };
    /// A reporting group without a barrier.
    NEW_GROUP: bool = OptionDef {
        name: "new_group", help: "begin a new reporting group, without waiting", ..FLAG
    };
    /// Stop the others when this one ends.
    EXITALL: bool = OptionDef {
        name: "exitall", help: "when this job ends, also end the jobs that exit_what selects", ..FLAG
    };
    /// Which jobs `exitall` ends.
    EXIT_WHAT: &'static str = OptionDef {
        name: "exit_what",
        kind: Kind::Word(&[("group", "group"), ("stonewall", "stonewall"), ("all", "all")]),
        default: "group",
        help: "which jobs exitall ends: those of the group, all that run before the next stonewall, or all \
            jobs", ..BASE
    };
    /// Stop the others when this one fails.
    EXITALL_ON_ERROR: bool = OptionDef {
        name: "exitall_on_error", help: "when this job ends with an error, end the others too", ..FLAG
    };
}
