//! Models: what a simulated drive is made of, before it is made.

mod check;
mod flash;
mod preset;
mod remark;

pub use flash::{FlashModel, HeatModel, NandModel, SlcFull, SlcModel};
pub use preset::{consumer, datacentre, qlc, thermal};
pub use remark::ModelRemark;
