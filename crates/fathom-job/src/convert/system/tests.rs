//! The tables of the systems are right.

use super::{SOLARIS, System, WINDOWS};
use crate::options;

fn systems() -> [&'static System; 2] {
    [&WINDOWS, &SOLARIS]
}

#[test]
fn every_option_of_the_tables_exists() {
    for system in systems() {
        let dropped = system.dropped().map(|drop| drop.option);
        let forced = system.forced.iter().map(|(option, ..)| *option);
        let required = system.required.map(|(option, ..)| option);
        for option in dropped.chain(forced).chain(required) {
            assert_eq!(options::find(option).map(|def| def.name), Some(option), "{}", system.name);
        }
    }
}

#[test]
fn a_placeholder_is_a_device_of_its_system() {
    for system in systems() {
        let names: Vec<String> = (0..5).map(system.device).collect();
        assert!(names.iter().all(|name| (system.is_device)(name)), "{names:?}");
        assert!((1..5).all(|at| names[at] != names[at - 1]), "{names:?}");
    }
}
