//! What the tests of a run have in common: the edition, the target, and how times are cut.

use super::write_cache::{CacheSetting, WriteCache};
use crate::definition::Parameters;
use fathom_job::units::Bytes;

/// Whose requirements apply: SNIA PTS has two, and TKperf has a variant of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edition {
    /// PTS-E: the whole device, its volatile write cache off.
    Enterprise,
    /// PTS-C: three quarters of the device, its write cache on.
    Client,
    /// The cells and rules of TKperf 2.2, without its known defects.
    Tkperf,
}

impl Edition {
    const ALL: [Edition; 3] = [Edition::Enterprise, Edition::Client, Edition::Tkperf];

    /// As it is saved, and as it is given on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Edition::Enterprise => "enterprise",
            Edition::Client => "client",
            Edition::Tkperf => "tkperf",
        }
    }

    /// The standard and the version whose text the constants come from.
    pub const fn standard(self) -> &'static str {
        match self {
            Edition::Enterprise => "SNIA PTS 2.0.2 (Enterprise)",
            Edition::Client => "SNIA PTS 2.0.2 (Client)",
            Edition::Tkperf => "TKperf 2.2's variant of SNIA PTS (Enterprise)",
        }
    }

    /// The share of the device that may be touched, per cent (PTS 2.0.x: E 100, C 75).
    pub const fn active_percent(self) -> u32 {
        match self {
            Edition::Enterprise | Edition::Tkperf => 100,
            Edition::Client => 75,
        }
    }

    /// Is the volatile write cache on in the tests (PTS 2.0.x: E off, C on)? TKperf's variant is that of the enterprise edition.
    pub const fn wants_write_cache(self) -> bool {
        matches!(self, Edition::Client)
    }

    /// The knob that sets the volatile write cache of an NVMe drive as the standard asks: off, or on.
    pub const fn cache_knob(self) -> &'static str {
        if self.wants_write_cache() { "nvme.cache=1" } else { "nvme.cache=0" }
    }

    /// Threads and outstanding I/Os of each that the standard recommends for the IOPS test; TKperf has one of each unless
    /// `-nj` and `-iod` say otherwise.
    pub const fn demand(self) -> Demand {
        match self {
            Edition::Enterprise => Demand { threads: 4, depth: 32 },
            Edition::Client => Demand { threads: 2, depth: 16 },
            Edition::Tkperf => Demand::ONE,
        }
    }
}

/// Threads, and the I/Os that each has outstanding: TC and QD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// TC.
    pub threads: u32,
    /// QD.
    pub depth: u32,
}

impl Demand {
    /// One I/O at a time.
    pub const ONE: Demand = Demand { threads: 1, depth: 1 };

    /// `TC 4 / QD 32`.
    pub fn text(self) -> String {
        format!("TC {} / QD {}", self.threads, self.depth)
    }
}

/// Block of the preconditioning in order.
pub const FILL_BLOCK: Bytes = Bytes::kib(128);

/// What all tests of a run have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PtsTerms {
    /// Whose requirements apply.
    pub edition: Edition,
    /// The device, file or simulated drive.
    pub target: String,
    /// Its size.
    pub capacity: Bytes,
    /// Its smallest I/O.
    pub sector: Bytes,
    /// Engine of the jobs.
    pub engine: String,
    /// Direct I/O.
    pub direct: bool,
    /// It is emptied before each test.
    pub purges: bool,
    /// It lives in memory.
    pub is_simulated: bool,
    /// Share of the device that is touched, per cent.
    pub active_percent: u32,
    /// Threads and depth of the tests that take them (`PtsTest::takes_demand`).
    pub demand: Demand,
    /// All times of the standard are divided by it; 1 is the standard.
    pub time_divisor: u32,
    /// Rounds after which a test ends without steady state (the standard: 25).
    pub rounds_max: u32,
    /// What is done about the write cache of the drive.
    pub cache_setting: CacheSetting,
    /// How the write cache of the target was.
    pub write_cache: WriteCache,
    /// Who runs the tests; empty where nobody said so.
    pub operator: String,
}

/// No segment is shorter, however times are cut: in less, a queue of 1,024 I/Os is hardly filled.
const SEGMENT_MS_MIN: u64 = 100;

impl PtsTerms {
    /// A time of the standard, in ms, as it is run.
    pub fn ms(&self, seconds: u64) -> u64 {
        (seconds * 1000 / u64::from(self.time_divisor)).max(SEGMENT_MS_MIN.min(seconds * 1000))
    }

    /// The active range.
    pub fn active(&self) -> Bytes {
        let active = u128::from(self.capacity.0) * u128::from(self.active_percent) / 100;
        let active = u64::try_from(active).unwrap_or(self.capacity.0);
        Bytes(active - active % self.sector.0.max(1))
    }

    /// The same terms from saved parameters.
    pub(super) fn open(parameters: &Parameters<'_>) -> Result<PtsTerms, String> {
        let edition: String = parameters.get("edition")?;
        let edition = Edition::ALL.into_iter().find(|it| it.name() == edition);
        let terms = PtsTerms {
            edition: edition.ok_or("the parameter edition is none of enterprise, client and tkperf")?,
            target: parameters.get("target")?,
            capacity: Bytes(parameters.get("capacity")?),
            sector: Bytes(parameters.get("sector")?),
            engine: parameters.get("engine")?,
            direct: parameters.get("direct")?,
            purges: parameters.get("purges")?,
            is_simulated: parameters.get("is_simulated")?,
            active_percent: parameters.get("active_percent")?,
            demand: Demand { threads: parameters.get("threads")?, depth: parameters.get("depth")? },
            time_divisor: parameters.get("time_divisor")?,
            rounds_max: parameters.get("rounds_max")?,
            cache_setting: parameters.get("sets_cache")?,
            write_cache: parameters.get("write_cache")?,
            operator: parameters.get("operator")?,
        };
        let positive = [
            u64::from(terms.time_divisor),
            u64::from(terms.active_percent),
            terms.sector.0,
            terms.capacity.0,
            u64::from(terms.demand.threads),
            u64::from(terms.demand.depth),
            u64::from(terms.rounds_max),
        ];
        match positive.contains(&0) {
            true => Err("a parameter of the tests is 0".to_owned()),
            false => Ok(terms),
        }
    }

    /// As they are saved.
    pub(super) fn parameters(&self) -> Vec<(String, String)> {
        let parameters = [
            ("edition", self.edition.name().to_owned()),
            ("target", self.target.clone()),
            ("capacity", self.capacity.0.to_string()),
            ("sector", self.sector.0.to_string()),
            ("engine", self.engine.clone()),
            ("direct", self.direct.to_string()),
            ("purges", self.purges.to_string()),
            ("is_simulated", self.is_simulated.to_string()),
            ("active_percent", self.active_percent.to_string()),
            ("threads", self.demand.threads.to_string()),
            ("depth", self.demand.depth.to_string()),
            ("time_divisor", self.time_divisor.to_string()),
            ("rounds_max", self.rounds_max.to_string()),
            ("sets_cache", self.cache_setting.name().to_owned()),
            ("write_cache", self.write_cache.text().to_owned()),
            ("operator", self.operator.clone()),
        ];
        parameters.map(|(name, value)| (name.to_owned(), value)).to_vec()
    }
}
