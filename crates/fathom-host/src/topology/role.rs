//! What a PCI function is for, by its class code (PCI Code and ID Assignment
//! Specification 1.15), and its position in the tree.

use schemars::JsonSchema;
use serde::Serialize;

/// The purpose of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Drives and their controllers, including Fibre Channel.
    Storage,
    /// Network, InfiniBand.
    Network,
    /// Graphics.
    Display,
    /// Other processors: accelerators, co-processors.
    Processing,
    /// Bridges to other functions.
    Bridge,
    /// Intel's VMD, which makes a PCI domain of its own behind itself.
    Nest,
    /// Anything else.
    Other,
}

impl Role {
    /// The role from class code (24 bits) and driver. The class of VMD is RAID
    /// controller, but it moves no data of its own.
    pub fn of(class: u32, driver: Option<&str>) -> Self {
        if driver == Some("vmd") {
            return Self::Nest;
        }
        match (class >> 16, class >> 8 & 0xff) {
            (0x01, _) | (0x0c, 0x04) => Self::Storage,
            (0x02, _) | (0x0c, 0x06) => Self::Network,
            (0x03, _) => Self::Display,
            (0x0b | 0x12 | 0x40, _) => Self::Processing,
            (0x06, _) => Self::Bridge,
            _ => Self::Other,
        }
    }

    /// A word for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Storage => "storage",
            Self::Network => "network",
            Self::Display => "graphics",
            Self::Processing => "accelerator",
            Self::Bridge => "bridge",
            Self::Nest => "VMD",
            Self::Other => "other",
        }
    }
}

/// The position of a function in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FunctionKind {
    /// Port of the CPU or chipset.
    RootPort,
    /// Port of a switch towards the CPU.
    SwitchUp,
    /// Port of a switch away from the CPU.
    SwitchDown,
    /// Another bridge.
    Bridge,
    /// A function with a link above it.
    Endpoint,
    /// A function of the CPU or chipset itself, without a link.
    Integrated,
}

impl FunctionKind {
    /// The kind from the type in the configuration space (PCI Express Base 5.0,
    /// §7.5.3.2).
    pub fn of_port_type(port_type: u8) -> Option<Self> {
        match port_type {
            0 | 1 => Some(Self::Endpoint),
            4 => Some(Self::RootPort),
            5 => Some(Self::SwitchUp),
            6 => Some(Self::SwitchDown),
            7 | 8 => Some(Self::Bridge),
            9 | 10 => Some(Self::Integrated),
            _ => None,
        }
    }

    /// The kind from the function's position in the tree, which works without
    /// root. Bridges below each other alternate: root port, switch up, switch
    /// down, switch up.
    pub fn of_place(is_bridge: bool, above: Option<Self>) -> Self {
        match (is_bridge, above) {
            (true, None) => Self::RootPort,
            (true, Some(Self::RootPort | Self::SwitchDown)) => Self::SwitchUp,
            (true, Some(Self::SwitchUp)) => Self::SwitchDown,
            (true, Some(_)) => Self::Bridge,
            (false, None) => Self::Integrated,
            (false, Some(_)) => Self::Endpoint,
        }
    }

    /// A word for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::RootPort => "root port",
            Self::SwitchUp => "switch up",
            Self::SwitchDown => "switch down",
            Self::Bridge => "bridge",
            Self::Endpoint => "endpoint",
            Self::Integrated => "integrated",
        }
    }

    /// Whether its port is the lower end of the link above it.
    pub fn faces_up(self) -> bool {
        matches!(self, Self::SwitchUp | Self::Endpoint | Self::Bridge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_by_class() {
        let table = [
            (0x01_08_02, None, Role::Storage),
            (0x01_80_00, None, Role::Storage),
            (0x0c_04_00, None, Role::Storage),
            (0x01_04_00, Some("vmd"), Role::Nest),
            (0x02_00_00, None, Role::Network),
            (0x03_02_00, None, Role::Display),
            (0x06_04_00, Some("pcieport"), Role::Bridge),
            (0x0c_03_30, None, Role::Other),
        ];
        for (class, driver, role) in table {
            assert_eq!(Role::of(class, driver), role, "{class:06x}");
        }
    }

    #[test]
    fn places_take_turns() {
        let root = FunctionKind::of_place(true, None);
        let up = FunctionKind::of_place(true, Some(root));
        let down = FunctionKind::of_place(true, Some(up));
        assert_eq!(
            [root, up, down],
            [FunctionKind::RootPort, FunctionKind::SwitchUp, FunctionKind::SwitchDown]
        );
        assert_eq!(FunctionKind::of_place(true, Some(down)), FunctionKind::SwitchUp);
        assert_eq!(FunctionKind::of_place(false, Some(down)), FunctionKind::Endpoint);
        assert_eq!(FunctionKind::of_place(false, None), FunctionKind::Integrated);
        assert_eq!(FunctionKind::of_port_type(5), Some(up));
        assert_eq!(FunctionKind::of_port_type(15), None);
    }
}
