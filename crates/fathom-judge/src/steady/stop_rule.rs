//! A rule that ends jobs before their time.

use super::seconds::Second;
use fathom_results::StopRecord;

/// Says when jobs may end.
pub trait StopRule: Send {
    /// The rule as it was given, for the record: `iops:2%`.
    fn text(&self) -> String;

    /// Takes the next second of the jobs. Is the rule met now? It is not asked again then.
    fn take(&mut self, second: &Second) -> bool;

    /// Jobs of earlier stages wrote so many bytes to the targets of these.
    fn written_before(&mut self, _bytes: u64) {}

    /// Adds what it found to the record of these jobs.
    fn found(&self, record: &mut StopRecord);
}
