//! One latency in one interval, and how it is encoded.

use crate::wire::{self, moments, steps};
use fathom_stats::{Moments, SparseHistogram};
use minicbor::decode::{self, Decoder};
use minicbor::encode::{self, Encoder, Write};
use minicbor::{Decode, Encode};

/// One latency in one interval, nanoseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LatencyWindow {
    /// Count, sums, minimum and maximum.
    pub moments: Moments,
    /// The distribution, when the job asks for its percentiles.
    pub histogram: Option<SparseHistogram>,
}

/// An array: the moments, and, where a distribution was kept, its buckets. The totals of a
/// distribution follow only if they differ from the moments.
impl<C> Encode<C> for LatencyWindow {
    fn encode<W: Write>(&self, to: &mut Encoder<W>, context: &mut C) -> Result<(), encode::Error<W::Error>> {
        let kept = self.histogram.as_ref();
        let differs = kept.is_some_and(|kept| *kept.totals() != self.moments);
        to.array(1 + u64::from(kept.is_some()) + u64::from(differs))?;
        moments::encode(&self.moments, to, context)?;
        let Some(kept) = kept else { return Ok(()) };
        steps::encode(kept.steps(), to)?;
        if differs { moments::encode(kept.totals(), to, context) } else { Ok(()) }
    }
}

impl<'b, C> Decode<'b, C> for LatencyWindow {
    fn decode(from: &mut Decoder<'b>, context: &mut C) -> Result<Self, decode::Error> {
        let len = from.array()?;
        let all = moments::decode(from, context)?;
        let mut window = LatencyWindow { moments: all, histogram: None };
        if len == Some(1) {
            return Ok(window);
        }
        let steps = steps::decode(from)?;
        let totals = if len == Some(2) { all } else { moments::decode(from, context)? };
        wire::end_of_array(from, len, len.unwrap_or(0).min(3))?;
        window.histogram = Some(SparseHistogram::new(totals, steps).map_err(decode::Error::message)?);
        Ok(window)
    }
}
