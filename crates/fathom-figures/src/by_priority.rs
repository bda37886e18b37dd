//! Latencies by the priority of the I/Os.

use crate::flow::DirectionFigures;
use fathom_job::priorities;
use fathom_results::{JobResult, PriorityLatency};

impl DirectionFigures<'_> {
    /// The latency of the I/Os of each priority, in the order in which fio has them: those of single I/Os (`cmdprio_*`), and of the
    /// jobs of the row. Empty if fewer than two priorities have I/Os, or no such latency was kept.
    pub fn priorities(&self) -> Vec<PriorityLatency> {
        let members = &self.row().members;
        let own = |member: &JobResult| priorities::own(&member.planned.job).unwrap_or(0);
        let has_several =
            |member: &JobResult| self.totals_of(member).any(|totals| !totals.priorities.is_empty());
        let is_alike = members.iter().all(|member| !has_several(member) && own(member) == own(&members[0]));
        if is_alike {
            return Vec::new();
        }
        let mut all = Vec::new();
        for member in members.iter() {
            self.totals_of(member).for_each(|totals| {
                for PriorityLatency { ioprio, latency } in &totals.priorities {
                    PriorityLatency::among(&mut all, *ioprio).merge(latency);
                }
                if totals.priorities.is_empty() {
                    let is_total = priorities::are_total(&member.planned.job);
                    let latency = if is_total { &totals.total } else { &totals.completion };
                    PriorityLatency::among(&mut all, own(member)).merge(latency);
                }
            });
        }
        all.retain(|one| one.latency.moments.count() > 0);
        if all.len() < 2 { Vec::new() } else { all }
    }
}
