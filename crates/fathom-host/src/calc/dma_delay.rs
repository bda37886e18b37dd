//! The ioMemory driver's `iodrive_dma_delay`: how long a write waits so that
//! a failing power supply is noticed first (V-55).

/// 16 steps are 5 µs.
pub const NANOS_PER_STEP: f64 = 5000.0 / 16.0;

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
