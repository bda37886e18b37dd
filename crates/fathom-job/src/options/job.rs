//! The job itself: its name, its clones, its place in the run.

use crate::option::{Kind, OptionDef, OptionStatus};
use crate::table;

const BASE: OptionDef = OptionDef::BASE;
const FLAG: OptionDef = OptionDef::FLAG;

table! {
    NAME: Option<String> = BASE.row("name",
        "name of the job in results and logs; its files keep the name of the section. On the command line it starts a new job");
    DESCRIPTION: Option<String> = BASE.row("description", "what the job is for; repeated in the result");
    NUMJOBS: u32 = BASE.of("numjobs", Kind::Int { min: 1, max: 4096 }, "1",
        "number of workers that run this job, each independently of the others");
    THREAD: bool = OptionDef {
        name: "thread", help: "run each clone as a thread",
        status: OptionStatus::Differently("workers are always threads, with and without this option"), ..FLAG
    };
    GROUP_REPORTING: bool = FLAG.row("group_reporting", "report the jobs of a group as one");
    STONEWALL: bool = OptionDef {
        name: "stonewall", aliases: &["wait_for_previous"],
        help: "start only when every job above has ended; begins a new reporting group", ..FLAG
    };
    WAIT_FOR: Option<String> = BASE.row("wait_for",
        "start when all clones of the named job have ended; it must be defined above this one");
    NEW_GROUP: bool = FLAG.row("new_group", "begin a new reporting group, without waiting");
    EXITALL: bool = FLAG.row("exitall", "when this job ends, also end the jobs that exit_what selects");
    EXIT_WHAT: &'static str = OptionDef {
        name: "exit_what",
        kind: Kind::Word(&[("group", "group"), ("stonewall", "stonewall"), ("all", "all")]),
        default: "group",
        help: "which jobs exitall ends: those of the group, all that run before the next stonewall, or all \
            jobs", ..BASE
    };
    EXITALL_ON_ERROR: bool = FLAG.row("exitall_on_error",
        "when this job ends with an error, end the others too");
}
