//! The calculations that the guides do by hand, and the errors in them.
//!
//! Every function here is pure and reads no file. The topology uses them for
//! its output, `fathom calc` offers them as commands, and [`slips`] lists the
//! figures of guides that do not follow from their own rules. The IDs (V-63,
//! M-11, I-24) are rows of the contract with the guides: `docs/guide-index.md`.

pub mod additivity;
pub mod affinity;
pub mod capacity;
pub mod document;
pub mod pcie;
pub mod raid;
pub mod slips;
pub mod stripe;

/// The ioMemory driver's `iodrive_dma_delay`: 16 steps are 5 µs.
const NANOS_PER_STEP: f64 = 5000.0 / 16.0;

/// Highest value that the driver accepts.
pub const STEPS_MAX: u8 = 31;

/// The driver does not accept the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("iodrive_dma_delay takes 0 to {STEPS_MAX}, not {0}")]
pub struct DelayError(u8);

/// The wait in microseconds; 0 means no wait.
pub fn delay_us(steps: u8) -> Result<f64, DelayError> {
    if steps > STEPS_MAX {
        return Err(DelayError(steps));
    }
    Ok(f64::from(steps) * NANOS_PER_STEP / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn off_default_and_most() {
        assert_eq!(delay_us(0), Ok(0.0));
        assert_eq!(delay_us(1), Ok(0.3125));
        assert_eq!(delay_us(16), Ok(5.0));
        assert_eq!(delay_us(31), Ok(9.6875));
        assert!(delay_us(32).is_err());
    }
}
