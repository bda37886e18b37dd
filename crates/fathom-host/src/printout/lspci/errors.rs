//! The errors that a function has marked, in `lspci -vv`: Device Status, and
//! Advanced Error Reporting (PCI Express Base 5.0, §7.5.3.5 and §7.8.4).
//!
//! A mark stays until somebody clears it. It says that there was such an
//! error, but not how many, and not when.

use super::function::PrintedFunction;

/// The errors of a function by their severity, each as lspci calls it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Errors {
    /// A request or the link was lost.
    pub lost: Vec<String>,
    /// The link repaired them by sending again.
    pub repaired: Vec<String>,
    /// Requests that no device supports: firmware and drivers make them while they
    /// search for devices.
    pub unsupported: Vec<String>,
    /// The lines that show them.
    pub lines: Vec<String>,
}

/// Registers and what a mark in each means, unless its name says otherwise.
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

#[derive(Debug, Clone, Copy)]
enum Gravity {
    Lost,
    Repaired,
    Unsupported,
}

impl Errors {
    /// The marks of a function.
    pub fn of(function: &PrintedFunction) -> Self {
        let mut errors = Self::default();
        for line in &function.lines {
            let register = REGISTERS.iter().find(|(word, _)| line.starts_with(word));
            if let Some((word, gravity)) = register {
                errors.register(line, word, *gravity);
            }
        }
        errors
    }

    fn register(&mut self, line: &str, register: &str, usual: Gravity) {
        self.lines.push(line.to_owned());
        let marked = line[register.len()..].split_whitespace().filter_map(|word| word.strip_suffix('+'));
        for mark in marked.filter(|mark| !NO_ERRORS.contains(mark)).take(MARKS_MAX) {
            let list = match gravity(mark).unwrap_or(usual) {
                Gravity::Lost => &mut self.lost,
                Gravity::Repaired => &mut self.repaired,
                Gravity::Unsupported => &mut self.unsupported,
            };
            if !list.iter().any(|held| held == mark) {
                list.push(mark.to_owned());
            }
        }
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
