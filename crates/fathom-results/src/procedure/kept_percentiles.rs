//! The percentiles of latency that a round keeps.
//!
//! In JSON each of them is a key beside the other figures of the round: 99.9 is `latency_ns_p999`. Which percentiles there are is
//! decided where they are made; a reader takes those that it finds, so a round of another release may have others.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::collections::HashMap;

/// What a key begins with; the digits of the percentile follow.
const PREFIX: &str = "latency_ns_p";

/// The digits before the point: percentiles are from 10 on.
const WHOLE_DIGITS: usize = 2;

/// Latencies, ns, by the per cent of the I/Os that did not exceed them; in rising order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeptPercentiles(Vec<(f64, u64)>);

impl KeptPercentiles {
    /// The latency that so many per cent of the I/Os did not exceed, ns; `None` where it was not kept.
    pub fn get(&self, percent: f64) -> Option<u64> {
        self.0.iter().find(|(kept, _)| *kept == percent).map(|(_, ns)| *ns)
    }

    /// The per cents of those that were kept, in rising order.
    pub fn percents(&self) -> Vec<f64> {
        self.0.iter().map(|(percent, _)| *percent).collect()
    }

    /// Adds those of the same latencies that are not there yet.
    pub fn add(&mut self, others: impl IntoIterator<Item = (f64, u64)>) {
        let new: Vec<(f64, u64)> = others.into_iter().filter(|(it, _)| self.get(*it).is_none()).collect();
        *self = self.0.iter().copied().chain(new).collect();
    }
}

impl FromIterator<(f64, u64)> for KeptPercentiles {
    fn from_iter<I: IntoIterator<Item = (f64, u64)>>(all: I) -> Self {
        let mut all: Vec<(f64, u64)> = all.into_iter().collect();
        all.sort_by(|one, other| one.0.total_cmp(&other.0));
        KeptPercentiles(all)
    }
}

/// `latency_ns_p999` of 99.9.
fn key(percent: f64) -> String {
    PREFIX.to_owned() + &percent.to_string().replace('.', "")
}

/// 99.9 of `latency_ns_p999`; `None` of a key of another figure.
fn percent(key: &str) -> Option<f64> {
    let digits = key.strip_prefix(PREFIX)?;
    let (whole, rest) = digits.split_at_checked(WHOLE_DIGITS)?;
    format!("{whole}.{rest}0").parse().ok().filter(|percent| (10.0..100.0).contains(percent))
}

impl Serialize for KeptPercentiles {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // One that a person chose may be below 10, whose key would be that of another percentile.
        let has_key = |it: &&(f64, u64)| percent(&key(it.0)) == Some(it.0);
        serializer.collect_map(self.0.iter().filter(has_key).map(|(percent, ns)| (key(*percent), ns)))
    }
}

impl<'de> Deserialize<'de> for KeptPercentiles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let figures = HashMap::<String, Value>::deserialize(deserializer)?;
        Ok(figures.iter().filter_map(|(key, ns)| Some((percent(key)?, ns.as_u64()?))).collect())
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for KeptPercentiles {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "KeptPercentiles".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "object",
            "patternProperties": {
                "^latency_ns_p[0-9]{2,}$": {
                    "description": "A percentile of latency, ns: `latency_ns_p999` is what 99.9 % of the I/Os did not exceed. Null, or absent, where it was not kept, and of fewer than ten I/Os.",
                    "type": ["integer", "null"],
                    "minimum": 0
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::RoundFigures;
    use super::*;

    #[test]
    fn percentiles_stand_beside_the_other_figures() {
        let kept: KeptPercentiles = [(99.0, 7), (50.0, 5), (99.99, 9)].into_iter().collect();
        let figures =
            RoundFigures { iops: 3.0, latency_percentiles: kept.clone(), ..RoundFigures::default() };
        let text = serde_json::to_string(&figures).unwrap();
        assert!(text.contains("\"latency_ns_p50\":5,\"latency_ns_p99\":7,\"latency_ns_p9999\":9"), "{text}");
        assert_eq!(serde_json::from_str::<RoundFigures>(&text).unwrap(), figures);
        assert_eq!((kept.get(99.0), kept.get(99.9)), (Some(7), None));
    }

    /// A round of another release may have a null where a percentile is missing, and keys that are not known here.
    #[test]
    fn rounds_of_other_releases_are_read() {
        let text = "{\"job\": \"j\", \"seconds\": 1.0, \"ios\": 3, \"iops\": 3.0, \"bytes_per_second\": 1.0, \
            \"latency_ns_mean\": null, \"latency_ns_p99\": null, \"latency_ns_p995\": 12, \"latency_ns_px\": \"?\", \
            \"latency_ns_max\": 40, \"is_response\": false}";
        let read: RoundFigures = serde_json::from_str(text).unwrap();
        assert_eq!(read.latency_percentiles.0, [(99.5, 12)]);
        assert_eq!(read.latency_ns_max, Some(40));
    }
}
