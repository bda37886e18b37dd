//! What the view needs of a window: a copy that is small enough to be made in the thread that delivers
//! frames.

use fathom_job::direction::PerDirection;
use fathom_results::{DirectionWindow, LatencyWindow, Window};
use fathom_stats::SparseHistogram;

/// What the view needs of a window.
pub struct LastWindow {
    /// The worker.
    pub job: u32,
    length_ns: u64,
    /// I/Os completed.
    pub ios: PerDirection<u64>,
    /// Bytes moved.
    pub bytes: PerDirection<u64>,
    /// The latency of its I/Os, for each direction that has a distribution.
    pub latency: Vec<SparseHistogram>,
}

/// A shorter window says no rate: the rest at the end of a job can be some microseconds long, in which nothing ended.
const REST_NS: u64 = 500_000_000;

impl LastWindow {
    /// Copies it from a frame.
    pub fn of(window: &Window) -> Self {
        let (mut ios, mut bytes) = (PerDirection::default(), PerDirection::default());
        for (direction, done) in &window.directions {
            ios[*direction] = done.ios;
            bytes[*direction] = done.bytes;
        }
        let latency = window.directions.iter().filter_map(|(_, done)| distribution(done).cloned()).collect();
        let length_ns = (window.end_ns - window.start_ns).max(1);
        LastWindow { job: window.job, length_ns, ios, bytes, latency }
    }

    /// Is it what was left at the end of a phase? It takes the place of no whole second.
    pub fn is_rest(&self) -> bool {
        self.length_ns < REST_NS
    }

    /// A count as a rate per second.
    pub fn per_second(&self, count: u64) -> f64 {
        count as f64 * 1e9 / self.length_ns as f64
    }
}

/// The latency that the report leads with: response time of paced I/O, else completion latency,
/// else total latency.
fn distribution(done: &DirectionWindow) -> Option<&SparseHistogram> {
    let kept = |latency: &'_ LatencyWindow| latency.moments.count() > 0 && latency.histogram.is_some();
    let main = [&done.response, &done.completion, &done.total].into_iter().find(|latency| kept(latency))?;
    main.histogram.as_ref()
}
