//! The charts of one row.

mod depth;
mod percentiles;
mod timeline;

pub(super) use depth::depth;
pub(super) use percentiles::percentiles;
pub(super) use timeline::{bandwidth, iops};
