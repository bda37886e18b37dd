//! Clocks, temperatures, and counters of what should not happen.

use super::SampledSpan;
use fathom_results::sample::kind::{CLOCK, LINK_ERRORS, SampleKind, TEMPERATURE, THROTTLE};

/// The clock of one CPU.
#[derive(Clone, Debug, PartialEq)]
pub struct ClockFigures {
    /// The number of the CPU.
    pub cpu: String,
    /// Its mean clock, MHz.
    pub mhz: f64,
    /// Its clock without turbo, MHz, where the machine names it.
    pub nominal_mhz: Option<f64>,
}

/// What one sensor showed.
#[derive(Clone, Debug, PartialEq)]
pub struct TemperatureFigures {
    /// The drive or the processor.
    pub name: String,
    /// The mean, °C.
    pub celsius: f64,
    /// From where on the sensor warns, °C, where it says so.
    pub limit_celsius: Option<f64>,
}

/// A counter of what should not happen.
#[derive(Clone, Debug, PartialEq)]
pub struct CountFigures {
    /// The CPU or the PCI function.
    pub name: String,
    /// How often it happened in the span.
    pub count: u64,
}

const ZERO_CELSIUS: f64 = 273.15;

impl SampledSpan<'_> {
    /// The clock of each CPU; none on a machine that does not tell it.
    pub fn clocks(&self) -> Vec<ClockFigures> {
        let rows = self.rows(&CLOCK).into_iter();
        rows.map(|row| ClockFigures {
            cpu: row.subject.to_owned(),
            mhz: row.mean("khz") / 1e3,
            nominal_mhz: Some(row.mean("khz_nominal") / 1e3).filter(|mhz| *mhz > 0.0),
        })
        .collect()
    }

    /// Each sensor.
    pub fn temperatures(&self) -> Vec<TemperatureFigures> {
        let rows = self.rows(&TEMPERATURE).into_iter();
        rows.map(|row| TemperatureFigures {
            name: row.subject.to_owned(),
            celsius: row.mean("millikelvin") / 1e3 - ZERO_CELSIUS,
            limit_celsius: Some(row.mean("millikelvin_max"))
                .filter(|limit| *limit > 0.0)
                .map(|limit| limit / 1e3 - ZERO_CELSIUS),
        })
        .collect()
    }

    /// How often heat slowed each CPU down, those without an event left out.
    pub fn throttled(&self) -> Vec<CountFigures> {
        self.counted(&THROTTLE)
    }

    /// Errors on the links, functions without one left out.
    pub fn link_errors(&self) -> Vec<CountFigures> {
        self.counted(&LINK_ERRORS)
    }

    fn counted(&self, kind: &SampleKind) -> Vec<CountFigures> {
        let rows = self.rows(kind).into_iter();
        let counts = rows.map(|row| CountFigures {
            name: row.subject.to_owned(),
            count: row.sum.cells.iter().sum::<f64>().round() as u64,
        });
        counts.filter(|one| one.count > 0).collect()
    }
}
