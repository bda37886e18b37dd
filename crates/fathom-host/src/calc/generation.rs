//! The generations of PCI Express.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// A generation of the standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(into = "u8")]
pub enum Generation {
    /// 2.5 GT/s, 8b/10b.
    Gen1,
    /// 5 GT/s, 8b/10b.
    Gen2,
    /// 8 GT/s, 128b/130b.
    Gen3,
    /// 16 GT/s, 128b/130b.
    Gen4,
    /// 32 GT/s, 128b/130b.
    Gen5,
    /// 64 GT/s, four-level signals in flits.
    Gen6,
}

impl Generation {
    /// All generations, the first one first.
    pub const ALL: [Self; 6] = [Self::Gen1, Self::Gen2, Self::Gen3, Self::Gen4, Self::Gen5, Self::Gen6];

    /// 1 to 6.
    pub fn number(self) -> u8 {
        self as u8 + 1
    }

    /// The generation with this number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|generation| generation.number() == number)
    }

    /// Transfers per second and lane, in 10⁹.
    pub fn gigatransfers(self) -> f64 {
        [2.5, 5.0, 8.0, 16.0, 32.0, 64.0][self as usize]
    }

    /// The generation whose lanes run at this rate.
    pub fn from_gigatransfers(rate: f64) -> Option<Self> {
        Self::ALL.into_iter().find(|generation| (generation.gigatransfers() - rate).abs() < 0.01)
    }

    /// The line coding of a lane.
    pub fn coding(self) -> &'static str {
        match self {
            Self::Gen1 | Self::Gen2 => "8b/10b",
            Self::Gen3 | Self::Gen4 | Self::Gen5 => "128b/130b",
            Self::Gen6 => "flit 236/256",
        }
    }

    /// The share of the bits that packets may use. A flit of 256 bytes has
    /// 236 for packets (PCI Express 6.0, §4.2.3.4).
    pub fn coding_share(self) -> f64 {
        match self {
            Self::Gen1 | Self::Gen2 => 8.0 / 10.0,
            Self::Gen3 | Self::Gen4 | Self::Gen5 => 128.0 / 130.0,
            Self::Gen6 => 236.0 / 256.0,
        }
    }

    /// What one lane carries in one direction, in 10⁶ bytes per second.
    pub fn lane_mbps(self) -> f64 {
        self.gigatransfers() * 1000.0 * self.coding_share() / 8.0
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Gen{}", self.number())
    }
}

impl From<Generation> for u8 {
    fn from(generation: Generation) -> u8 {
        generation.number()
    }
}
