//! Warmth and throttling. The temperature is brought up to date while I/Os arrive, not more often than each
//! 10 ms.

use crate::model::HeatModel;

/// The temperature is computed when so much time has passed.
const STEP_NS: u64 = 10_000_000;

/// A drive cools by so much below a limit before it is as fast as before, K.
const HYSTERESIS_K: f64 = 3.0;

/// How much slower everything is, in halves: 2 is as fast as can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Throttle {
    None,
    Light,
    Heavy,
}

impl Throttle {
    pub const ALL: [Self; 3] = [Self::None, Self::Light, Self::Heavy];

    pub fn halves(self) -> u64 {
        match self {
            Self::None => 2,
            Self::Light => 3,
            Self::Heavy => 8,
        }
    }
}

#[derive(Debug)]
pub(super) struct Heat {
    model: HeatModel,
    /// Energy counts as much as on the whole drive.
    scale: f64,
    temperature_c: f64,
    throttle: Throttle,
    throttled_ns: u64,
    /// Energy since the temperature was computed, nJ.
    energy_nj: f64,
    computed_ns: u64,
}

impl Heat {
    /// A drive that has been at rest for long.
    pub fn new(model: HeatModel, scale: u32) -> Self {
        Self {
            temperature_c: model.ambient_c + model.resistance_k_per_w * model.idle_w,
            model,
            scale: f64::from(scale),
            throttle: Throttle::None,
            throttled_ns: 0,
            energy_nj: 0.0,
            computed_ns: 0,
        }
    }

    pub fn temperature_c(&self) -> f64 {
        self.temperature_c
    }

    pub fn throttle(&self) -> Throttle {
        self.throttle
    }

    pub fn throttled_ns(&self) -> u64 {
        self.throttled_ns
    }

    pub fn read(&mut self, bytes: u64) {
        self.energy_nj += bytes as f64 * self.model.read_nj_per_byte * self.scale;
    }

    pub fn program(&mut self, bytes: u64) {
        self.energy_nj += bytes as f64 * self.model.program_nj_per_byte * self.scale;
    }

    pub fn slc_program(&mut self, bytes: u64) {
        self.energy_nj += bytes as f64 * self.model.slc_nj_per_byte * self.scale;
    }

    /// Time has come to `now_ns`. True if the drive is throttled otherwise than before.
    pub fn advance(&mut self, now_ns: u64) -> bool {
        let passed_ns = now_ns.saturating_sub(self.computed_ns);
        if passed_ns < STEP_NS {
            return false;
        }
        self.computed_ns = now_ns;
        // nJ over ns are W.
        let watt = self.model.idle_w + std::mem::take(&mut self.energy_nj) / passed_ns as f64;
        let target = self.model.ambient_c + self.model.resistance_k_per_w * watt;
        let time_constant_ns = self.model.resistance_k_per_w * self.model.capacity_j_per_k * 1e9;
        let left = decay(passed_ns as f64 / time_constant_ns);
        self.temperature_c = target + (self.temperature_c - target) * left;
        if self.throttle > Throttle::None {
            self.throttled_ns += passed_ns;
        }
        let throttle = self.next_throttle();
        std::mem::replace(&mut self.throttle, throttle) != throttle
    }

    fn next_throttle(&self) -> Throttle {
        let limit = |limit_c: f64, from: Throttle| {
            if self.throttle >= from { limit_c - HYSTERESIS_K } else { limit_c }
        };
        if self.temperature_c > limit(self.model.heavy_throttle_c, Throttle::Heavy) {
            Throttle::Heavy
        } else if self.temperature_c > limit(self.model.light_throttle_c, Throttle::Light) {
            Throttle::Light
        } else {
            Throttle::None
        }
    }
}

/// exp(−x), by multiplications alone: they give the same bits on every machine, and `exp` need not.
fn decay(x: f64) -> f64 {
    let mut left = 1.0 / (1.0 + x / 65_536.0);
    for _ in 0..16 {
        left *= left;
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decay_is_nearly_the_exponential() {
        for x in [0.0, 1e-6, 0.01, 0.5, 1.0, 5.0, 30.0] {
            assert!((decay(x) - f64::exp(-x)).abs() < 2e-5, "{x}: {}", decay(x));
        }
    }

    #[test]
    fn a_bare_drive_at_full_power_is_throttled_after_163_seconds() {
        let mut heat = Heat::new(crate::model::thermal().heat.expect("has one"), 64);
        let mut now_ns = 0;
        while !heat.advance(now_ns) {
            now_ns += STEP_NS;
            // 1/64 of 7 GB/s.
            heat.read(7_000_000_000 / 64 / 100);
        }
        let seconds = now_ns as f64 / 1e9;
        assert!((seconds - 163.0).abs() < 1.5, "{seconds}");
        assert_eq!(heat.throttle(), Throttle::Light);
        // At rest it cools below the limit by the hysteresis, and is as fast as before.
        while !heat.advance(now_ns) {
            now_ns += STEP_NS;
        }
        assert_eq!(heat.throttle(), Throttle::None);
        assert!((heat.temperature_c() - 72.0).abs() < 0.1, "{}", heat.temperature_c());
    }
}
