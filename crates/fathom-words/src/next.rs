//! The next step, in words.

use fathom_results::NextStep;
use fathom_results::answer::Gain;

/// A command, and what it is good for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepWords {
    /// The command, as it is typed.
    pub command: String,
    /// What it is good for, in a few words.
    pub why: String,
}

/// The words of a step.
pub fn next(step: &NextStep) -> StepWords {
    let consent = match step.needs_consent {
        true => "; it writes as before, and fathom first says which option allows it",
        false => "",
    };
    StepWords { command: step.command.clone(), why: gain(&step.gain) + consent }
}

fn gain(gain: &Gain) -> String {
    let words = match gain {
        Gain::StartsAgain => "starts again from the beginning",
        Gain::KernelMessages => "says what the kernel saw the device do",
        Gain::ListsTargets => "lists what can be measured here, and how",
        Gain::ListsDisks => "lists disks that can be measured",
        Gain::ListsDirectDisks => "lists the disks that can be measured directly",
        Gain::LongEnough => "measures each job for long enough",
        Gain::FailedIos => "says which I/Os failed, and how",
        Gain::IsSteady => "shows whether the rates are steady",
        Gain::AfterOthers => "after you have stopped the other programs (iotop shows them)",
        Gain::PastPageCache => "reads and writes past the page cache",
        Gain::PastPageCacheWithoutMmap => "reads and writes past the page cache, which mmap cannot do",
        Gain::ExplainsFill => "says how to fill a target before it is read",
        Gain::SlowMachine => "says what slows this machine",
        Gain::AfterQuota => "after the CPU quota of the control group is raised (cpu.max)",
        Gain::Disturbances => "names what disturbed the run",
        Gain::SlowCpus => "says what slows the CPUs",
        Gain::HotParts => "says which drives and CPUs are too hot",
        Gain::LastingRate => "measures the rate that lasts for most of the time",
        Gain::EnoughIos => "gives each job enough I/Os for a rate",
        Gain::AfterFall => "measures only what comes after the fall",
        Gain::FallingRate => "measures on, and says when the rate falls",
        Gain::LongestIos => "measures on, and says how long I/Os take",
        Gain::ChangingFigures => "says what can change these figures",
        Gain::Lasts { minutes } => return format!("{minutes} minutes: shows whether it lasts"),
        Gain::Variation => "shows how much the figures vary from run to run",
        Gain::DisturbingParts => "says what disturbs measurements",
        Gain::StandardReport => "makes the report of the standard",
        Gain::Page => "makes a page with all tables and charts",
        Gain::EveryValue => "shows every value that was measured",
        Gain::Differences => "says how they differ, and how sure that is",
        Gain::PreparedTarget => "measures the target as it is now",
        Gain::GoesOn { consent } => return goes_on(consent),
    };
    words.to_owned()
}

fn goes_on(consent: &[String]) -> String {
    match consent {
        [] => "goes on after the last round".to_owned(),
        options => format!(
            "with {} again: nothing that is saved gives consent; goes on after the last round",
            options.join(" and ")
        ),
    }
}
