//! A plan becomes its saved form.

use super::{FileRecord, JobRecord, PlanRecord};
use fathom_job::plan::{FileList, Plan, PlannedFile, PlannedJob};

impl From<&Plan> for PlanRecord {
    fn from(from: &Plan) -> Self {
        PlanRecord { jobs: from.jobs.iter().map(JobRecord::from).collect(), findings: from.findings.clone() }
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
            block: from.block.clone(),
            align: from.align,
            depth: from.depth,
            compat_fio: from.compat_fio,
            pace: from.pace.clone(),
            files: files(&from.files),
            end: from.end,
            ramp: from.ramp,
            start_delay: from.start_delay,
            idle_before: from.idle_before,
            expected: from.expected,
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
