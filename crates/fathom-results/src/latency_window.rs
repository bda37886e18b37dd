//! One latency in one interval, and how it is encoded.

use fathom_stats::{Moments, SparseHistogram, varint};
use minicbor::Encode;
use minicbor::decode::{self, Decoder};
use minicbor::encode::{self, Encoder, Write};

/// One latency in one interval, nanoseconds.
#[derive(Debug, Default, PartialEq)]
pub struct LatencyWindow {
    /// Count, sums, minimum and maximum.
    pub moments: Moments,
    /// The distribution, when the job asks for its percentiles.
    pub histogram: Option<SparseHistogram>,
}

/// The first byte: what follows. The moments are count, sum, sum of squares, minimum and maximum
/// as varints; a distribution is packed ([`SparseHistogram::pack`]).
mod form {
    /// The moments.
    pub const MOMENTS: u8 = 0;
    /// A distribution, whose totals are the moments.
    pub const DISTRIBUTION: u8 = 1;
    /// The moments, and a distribution with totals of its own.
    pub const BOTH: u8 = 2;
}

/// A copy into another window uses its memory.
impl Clone for LatencyWindow {
    fn clone(&self) -> Self {
        LatencyWindow { moments: self.moments, histogram: self.histogram.clone() }
    }

    fn clone_from(&mut self, other: &Self) {
        self.moments = other.moments;
        self.histogram.clone_from(&other.histogram);
    }
}

impl<C> Encode<C> for LatencyWindow {
    fn encode<W: Write>(&self, to: &mut Encoder<W>, _: &mut C) -> Result<(), encode::Error<W::Error>> {
        let form = match &self.histogram {
            None => form::MOMENTS,
            Some(histogram) if *histogram.totals() == self.moments => form::DISTRIBUTION,
            Some(_) => form::BOTH,
        };
        // Enough for most.
        let mut bytes = Vec::with_capacity(512);
        bytes.push(form);
        if form != form::DISTRIBUTION {
            let (n, sum, sum_squares, min, max) = self.moments.parts();
            for number in [n.into(), sum, sum_squares, min.into(), max.into()] {
                varint::put(number, &mut bytes);
            }
        }
        if let Some(histogram) = &self.histogram {
            histogram.pack(&mut bytes);
        }
        to.bytes(&bytes)?;
        Ok(())
    }
}

impl LatencyWindow {
    /// Reads a latency into this one, whose memory is used again.
    pub(crate) fn read(&mut self, from: &mut Decoder<'_>) -> Result<(), decode::Error> {
        let invalid = || decode::Error::message("a latency is cut, or of an unknown form");
        let (form, mut bytes) = from.bytes()?.split_first().ok_or_else(invalid)?;
        if *form > form::BOTH {
            return Err(invalid());
        }
        if *form != form::DISTRIBUTION {
            self.moments = take_moments(&mut bytes).ok_or_else(invalid)?;
        }
        if *form == form::MOMENTS {
            self.histogram = None;
            return bytes.is_empty().then_some(()).ok_or_else(invalid);
        }
        let histogram = self.histogram.get_or_insert_default();
        histogram.unpack(bytes).map_err(decode::Error::message)?;
        if *form == form::DISTRIBUTION {
            self.moments = *histogram.totals();
        }
        Ok(())
    }
}

fn take_moments(bytes: &mut &[u8]) -> Option<Moments> {
    let n = varint::take(bytes)?;
    let (sum, sum_squares) = (varint::take_wide(bytes)?, varint::take_wide(bytes)?);
    Some(Moments::from_parts((n, sum, sum_squares, varint::take(bytes)?, varint::take(bytes)?)))
}
