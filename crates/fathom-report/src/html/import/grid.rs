//! Results of jobs that differ in block size and mix, as one matrix (T-14).

use crate::html::matrix::Matrix;
use fathom_figures::fio::{FioJob, Imported};
use fathom_job::units::Bytes;
use std::collections::BTreeMap;

/// A block size in bytes and a share of reads in per cent.
type Place = (u64, u64);

/// IOPS over block size and mix, of jobs that ran long enough for a rate; `None` where the jobs do not differ in both or are too few.
///
/// Jobs of one name in one file are clones, whose IOPS are added. If several other jobs have one place, a figure could not
/// be chosen, so nothing is drawn.
pub(super) fn iops(imported: &Imported) -> Option<Matrix> {
    let mut cells: BTreeMap<Place, (f64, (&str, &str))> = BTreeMap::new();
    for of in &imported.results {
        for job in &of.result.jobs {
            let Some(place) = place(job).filter(|_| job.flows.iter().all(|flow| flow.unrated().is_none()))
            else {
                continue;
            };
            let Some(iops) = job.flows.iter().map(|flow| flow.iops).sum::<Option<f64>>() else { continue };
            let name = (of.file.as_str(), job.name.as_str());
            match cells.get_mut(&place) {
                Some((sum, own)) if *own == name => *sum += iops,
                Some(_) => return None,
                None => drop(cells.insert(place, (iops, name))),
            }
        }
    }
    let sorted = |of: fn(&Place) -> u64| {
        let mut all: Vec<u64> = cells.keys().map(of).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let (blocks, mut mixes) = (sorted(|place| place.0), sorted(|place| place.1));
    mixes.reverse();
    if blocks.len() < 2 || mixes.len() < 2 {
        return None;
    }
    let row =
        |mix: &u64| blocks.iter().map(|block| cells.get(&(*block, *mix)).map(|(iops, _)| *iops)).collect();
    Some(Matrix {
        title: "IOPS by block size and mix".to_owned(),
        unit: "IOPS",
        x_title: "block size".to_owned(),
        y_title: "reads".to_owned(),
        columns: blocks.iter().map(|bytes| Bytes(*bytes).to_string()).collect(),
        rows: mixes.iter().map(|percent| format!("{percent} %")).collect(),
        values: mixes.iter().map(row).collect(),
    })
}

fn place(job: &FioJob) -> Option<Place> {
    let (bytes, percent) = (job.block_bytes?, job.read_percent?);
    Some((bytes.round() as u64, percent.round() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_figures::fio::{FioFlow, FioResult, ImportedResult};

    fn job(name: &str, block: f64, percent: f64, iops: f64) -> FioJob {
        let flow = FioFlow { direction: "read", iops: Some(iops), ..FioFlow::default() };
        FioJob {
            name: name.to_owned(),
            block_bytes: Some(block),
            read_percent: Some(percent),
            flows: vec![flow],
            ..FioJob::default()
        }
    }

    fn matrix(jobs: Vec<FioJob>) -> Option<Matrix> {
        let result = FioResult { jobs, ..FioResult::default() };
        let results = vec![ImportedResult { file: "r.json".to_owned(), run: None, result }];
        iops(&Imported { results, ..Imported::default() })
    }

    #[test]
    fn jobs_take_their_places_and_clones_are_added() {
        let jobs = vec![
            job("a", 4096.0, 100.0, 10.0),
            job("b", 8192.0, 65.2, 20.0),
            job("b", 8192.0, 65.2, 22.0),
            job("c", 4096.0, 65.0, 30.0),
        ];
        let matrix = matrix(jobs).unwrap();
        assert_eq!(
            (matrix.columns.join(" "), matrix.rows.join(" ")),
            ("4 KiB 8 KiB".into(), "100 % 65 %".into())
        );
        assert_eq!(matrix.values, [[Some(10.0), None], [Some(30.0), Some(42.0)]]);
    }

    #[test]
    fn jobs_that_do_not_differ_or_share_a_place_make_no_matrix() {
        assert_eq!(matrix(vec![job("a", 4096.0, 100.0, 1.0), job("b", 8192.0, 100.0, 1.0)]), None);
        let shared =
            vec![job("a", 4096.0, 100.0, 1.0), job("b", 8192.0, 0.0, 1.0), job("c", 8192.0, 0.0, 2.0)];
        assert_eq!(matrix(shared), None);
    }
}
