//! The errors that a function has marked, in `lspci -vv`: Device Status, and
//! Advanced Error Reporting (PCI Express Base 5.0, §7.5.3.5 and §7.8.4).
//!
//! A mark stays until somebody clears it. It says that there was such an
//! error, but not how many, and not when.

use super::function::PrintedFunction;

/// Registers, and the severity of a mark in each, unless its name says otherwise.
const REGISTERS: [(&str, Gravity); 4] = [
    ("DevSta:", Gravity::Lost),
    ("UESta:", Gravity::Lost),
    ("CESta:", Gravity::Repaired),
    ("RootSta:", Gravity::Lost),
];

/// Marks of these registers that are not errors.
const NO_ERRORS: [&str; 6] = ["AuxPwr", "TransPend", "UERcvd", "MultUERcvd", "MultCERcvd", "FirstFatal"];

/// Most marks of one register, which has 32 bits.
const MARKS_MAX: usize = 32;

/// The severity of an error, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gravity {
    /// A request or the link was lost.
    Lost,
    /// The link repaired it by sending again.
    Repaired,
    /// A request that no device supports: firmware and drivers make them while
    /// they search for devices.
    Unsupported,
}

/// The errors that a function has marked.
#[derive(Debug, Clone, Default)]
pub struct Errors {
    /// Each as lspci calls it, the worst first.
    pub marks: Vec<(Gravity, String)>,
    /// The lines of their registers.
    pub lines: Vec<String>,
}

impl Errors {
    /// The marks of a function.
    pub fn of(function: &PrintedFunction) -> Self {
        let mut errors = Self::default();
        for line in &function.lines {
            let Some((register, usual)) = REGISTERS.iter().find(|(word, _)| line.starts_with(word)) else {
                continue;
            };
            errors.lines.push(line.clone());
            let marked = line[register.len()..].split_whitespace().filter_map(|word| word.strip_suffix('+'));
            for mark in marked.filter(|mark| !NO_ERRORS.contains(mark)).take(MARKS_MAX) {
                let mark = (gravity(mark).unwrap_or(*usual), mark.to_owned());
                if !errors.marks.contains(&mark) {
                    errors.marks.push(mark);
                }
            }
        }
        errors.marks.sort_by_key(|(gravity, _)| *gravity);
        errors
    }
}

/// The severity, if the name of the mark alone decides it. Older versions of lspci
/// write some names differently.
fn gravity(mark: &str) -> Option<Gravity> {
    match mark {
        "CorrErr" | "CERcvd" => Some(Gravity::Repaired),
        "UnsupReq" | "UnsuppReq" => Some(Gravity::Unsupported),
        _ => None,
    }
}
