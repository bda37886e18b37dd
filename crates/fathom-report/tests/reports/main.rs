//! Reports made from synthetic runs, checked against fio's own output and by
//! reading.

mod fio_json;
mod group;
mod html;
mod normal;
mod synthetic;
mod terminal;
mod terse;
