//! Plans of small job files. Counts and ranges marked "fio" were taken from
//! fio 3.33 on a 10 MiB loop device or a file of the same size.

mod clock;
mod clones;
mod data;
mod depth;
mod direct;
mod distribution;
mod ends;
mod files;
mod fill;
mod forecast;
mod layout;
mod limits;
mod many;
mod overlap;
mod pace;
mod passthrough;
mod print;
mod property;
mod region;
mod replays;
mod sectors;
mod shared_disks;
mod space;
mod steady;
mod strides;
mod vendor;
mod verify;
mod zones;

use super::fixture::{codes, error_of, one, planned, planned_on, try_plan, try_plan_of_name};
use super::*;
