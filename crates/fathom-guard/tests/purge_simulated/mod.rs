//! Purges of drives that do not exist: what real ones rarely do on request.

mod ata;
mod drive;
mod health;
mod ledger;
mod machine;
mod nvme;
mod sanitize;
mod scsi;
#[path = "../../../fathom-device/tests/unpacked/unpack.rs"]
mod unpack;
