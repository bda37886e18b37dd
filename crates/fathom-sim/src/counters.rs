//! What a simulated drive counts: what real drives report in their logs, and more.

/// Counters since the drive was made. Bytes are of whole mapping units where flash is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DriveCounters {
    /// Bytes that the host read.
    pub host_read_bytes: u64,
    /// Those of them that were never written, or trimmed: no flash was read for them. What an array reads for the parity of
    /// a write is not among them.
    pub unwritten_read_bytes: u64,
    /// Bytes that the host wrote.
    pub host_written_bytes: u64,
    /// Bytes of whole units that the host trimmed.
    pub trimmed_bytes: u64,
    /// Flushes of the host.
    pub flushes: u64,
    /// Bytes programmed to flash, for whatever reason. A disk counts what it wrote.
    pub media_written_bytes: u64,
    /// Bytes that garbage collection copied.
    pub collected_bytes: u64,
    /// Bytes that hold data of the host.
    pub mapped_bytes: u64,
    /// Blocks that were erased.
    pub erases: u64,
    /// Erases of the block that was erased most.
    pub block_erases_max: u32,
    /// Bytes in the SLC cache that are not yet folded.
    pub slc_used_bytes: u64,
    /// Bytes that the SLC cache can hold now. It shrinks as the drive fills.
    pub slc_size_bytes: u64,
    /// Temperature in °C, if the model has one.
    pub temperature_c: Option<f64>,
    /// Time for which the drive was throttled, in nanoseconds.
    pub throttled_ns: u64,
}

impl DriveCounters {
    /// Bytes written to flash over bytes written by the host; `None` before the host writes.
    pub fn write_amplification(&self) -> Option<f64> {
        (self.host_written_bytes > 0)
            .then(|| self.media_written_bytes as f64 / self.host_written_bytes as f64)
    }

    /// What was counted since `before`. Gauges (mapped, SLC cache, temperature, most erases) are those of
    /// now.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        Self {
            host_read_bytes: self.host_read_bytes - before.host_read_bytes,
            unwritten_read_bytes: self.unwritten_read_bytes - before.unwritten_read_bytes,
            host_written_bytes: self.host_written_bytes - before.host_written_bytes,
            trimmed_bytes: self.trimmed_bytes - before.trimmed_bytes,
            flushes: self.flushes - before.flushes,
            media_written_bytes: self.media_written_bytes - before.media_written_bytes,
            collected_bytes: self.collected_bytes - before.collected_bytes,
            erases: self.erases - before.erases,
            throttled_ns: self.throttled_ns - before.throttled_ns,
            ..*self
        }
    }
}
