//! A plan becomes its saved form.

use super::{
    BlockRecord, DepthRecord, EndRecord, FileRecord, FindingRecord, FlowRecord, ForecastRecord, GoalRecord,
    JobRecord, PaceRecord, PassesRecord, PlanRecord, RateRecord, ThinkRecord,
};
use fathom_job::diagnostic::Diagnostic;
use fathom_job::direction::PerDirection;
use fathom_job::plan::{
    BlockSizes, Depth, EndRule, Expected, FileList, Flow, LatencyGoal, Pace, Passes, Plan, PlannedFile,
    PlannedJob, Rate, Think,
};

impl From<&Plan> for PlanRecord {
    fn from(from: &Plan) -> Self {
        PlanRecord {
            jobs: from.jobs.iter().map(JobRecord::from).collect(),
            findings: from.findings.iter().map(FindingRecord::from).collect(),
        }
    }
}

impl From<&PlannedJob> for JobRecord {
    fn from(from: &PlannedJob) -> Self {
        JobRecord {
            id: from.id,
            name: from.name.clone(),
            subjob: from.subjob,
            group: from.group,
            stage: from.stage,
            wait_for: from.wait_for.clone(),
            engine: from.engine.clone(),
            cpus: from.cpus.clone(),
            direct: from.direct,
            rw: from.rw,
            read_percent: from.read_percent,
            block: PerDirection::from_fn(|d| (&from.block[d]).into()),
            align: from.align,
            depth: (&from.depth).into(),
            compat_fio: from.compat_fio,
            pace: (&from.pace).into(),
            files: files(&from.files),
            end: (&from.end).into(),
            ramp: from.ramp,
            start_delay: from.start_delay,
            idle_before: from.idle_before,
            expected: (&from.expected).into(),
            memory: from.memory,
            job: from.job.clone(),
        }
    }
}

/// Files in a row are one entry.
fn files(from: &FileList) -> Vec<FileRecord> {
    let mut all: Vec<FileRecord> = Vec::new();
    for file in from.iter().map(FileRecord::from) {
        match all.last_mut() {
            Some(last) if last.is_followed_by(&file) => last.count += 1,
            _ => all.push(file),
        }
    }
    all
}

impl From<&PlannedFile> for FileRecord {
    fn from(from: &PlannedFile) -> Self {
        FileRecord {
            path: from.path.clone(),
            kind: from.kind,
            length: from.length,
            lba: from.lba,
            offset: from.offset,
            size: from.size,
            needs: from.needs,
            layout: from.layout,
            never_written: from.never_written,
            is_written: from.is_written,
            count: 1,
        }
    }
}

impl From<&Depth> for DepthRecord {
    fn from(from: &Depth) -> Self {
        DepthRecord {
            asked: from.asked,
            reachable: from.reachable,
            low: from.low,
            submit_batch: from.submit_batch,
            complete_min: from.complete_min,
            complete_max: from.complete_max,
        }
    }
}

impl From<&EndRule> for EndRecord {
    fn from(from: &EndRule) -> Self {
        EndRecord {
            bytes: from.bytes,
            ios: from.ios,
            time: from.time,
            loops: from.loops,
            time_based: from.time_based,
            passes: from.passes.as_ref().map(Into::into),
            when_full: from.when_full,
        }
    }
}

impl From<&Passes> for PassesRecord {
    fn from(from: &Passes) -> Self {
        PassesRecord { pass: from.pass, job: from.job, wanted: from.wanted }
    }
}

impl From<&Expected> for ForecastRecord {
    fn from(from: &Expected) -> Self {
        ForecastRecord { bytes: from.bytes, time: from.time }
    }
}

impl From<&Pace> for PaceRecord {
    fn from(from: &Pace) -> Self {
        PaceRecord {
            rate: PerDirection::from_fn(|d| from.rate[d].map(Into::into)),
            arrivals: from.arrivals,
            think: from.think.as_ref().map(Into::into),
            ignores_think: from.ignores_think,
            floor: PerDirection::from_fn(|d| from.floor[d].map(Into::into)),
            floor_cycle: from.floor_cycle,
            latency_max: from.latency_max,
            goal: from.goal.as_ref().map(Into::into),
            flow: from.flow.as_ref().map(Into::into),
        }
    }
}

impl From<&Think> for ThinkRecord {
    fn from(from: &Think) -> Self {
        ThinkRecord {
            pause: from.pause,
            spin: from.spin,
            every: from.every,
            counts: from.counts,
            io_time: from.io_time,
        }
    }
}

impl From<&LatencyGoal> for GoalRecord {
    fn from(from: &LatencyGoal) -> Self {
        GoalRecord {
            target: from.target,
            window: from.window,
            percentile: from.percentile,
            keeps_adapting: from.keeps_adapting,
        }
    }
}

impl From<&Flow> for FlowRecord {
    fn from(from: &Flow) -> Self {
        FlowRecord { id: from.id, weight: from.weight, sleep: from.sleep }
    }
}

impl From<Rate> for RateRecord {
    fn from(from: Rate) -> Self {
        match from {
            Rate::Bytes(bytes) => RateRecord::Bytes(bytes),
            Rate::Ios(ios) => RateRecord::Ios(ios),
        }
    }
}

impl From<&BlockSizes> for BlockRecord {
    fn from(from: &BlockSizes) -> Self {
        match from {
            BlockSizes::Fixed(bytes) => BlockRecord::Fixed(*bytes),
            BlockSizes::Range { low, high } => BlockRecord::Range { low: *low, high: *high },
            BlockSizes::Split(parts) => BlockRecord::Split(parts.clone()),
        }
    }
}

impl From<&Diagnostic> for FindingRecord {
    fn from(from: &Diagnostic) -> Self {
        FindingRecord {
            severity: from.severity,
            code: from.code.clone(),
            message: from.message.clone(),
            span: from.span.clone(),
            hints: from.hints.clone(),
        }
    }
}
