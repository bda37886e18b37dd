//! What happened to the machine and to fathom while it measured.

use serde::{Deserialize, Serialize};

evidence! {
    /// What a check of the host found during the measurement.
    pub struct Disturbance {
        /// Id of the check: `cpu.throttle`.
        pub check: String,
        /// The part of the host: `cpu1`.
        pub subject: String,
        /// How serious it is.
        pub weight: crate::FindingWeight,
        /// One sentence of the check, without its full stop.
        pub says: String,
    }

    /// A CPU below its nominal clock.
    pub struct LowClock {
        /// The CPU: `3`.
        pub cpu: String,
        /// Its mean clock, MHz.
        pub mhz: f64,
        /// Its nominal clock, MHz.
        pub nominal_mhz: f64,
    }

    /// What was hot.
    pub enum Heat {
        /// A simulated drive slowed itself down for so many seconds.
        Throttled(f64),
        /// Sensors at their limit.
        Sensors(Vec<HotSensor>),
    }

    /// A sensor at its limit.
    pub struct HotSensor {
        /// Its name.
        pub name: String,
        /// The highest temperature, °C.
        pub celsius: f64,
        /// The limit from which it warns, °C.
        pub limit_celsius: f64,
    }

    /// A setting that was changed meanwhile.
    pub struct Drift {
        /// Id of the setting: `blk.scheduler@sda`.
        pub id: String,
        /// The file that was read.
        pub path: String,
        /// What fathom had set.
        pub made: String,
        /// What was found.
        pub found: String,
        /// When it was found.
        pub when: DriftMoment,
    }

    /// When a setting was found changed.
    #[derive(Eq)]
    pub enum DriftMoment {
        /// At the end of the run.
        AtEnd,
        /// Before some of the jobs began.
        BeforePhase {
            /// Which of the phases of the run it was, from 1.
            phase: u64,
            /// The first of their names.
            jobs: Vec<String>,
            /// How many more there are.
            more: u64,
        },
    }
}
