//! Chips with sensors (Documentation/hwmon/sysfs-interface.rst).

/// Drivers whose sensors are in the processor.
pub const PROCESSOR_CHIPS: [&str; 5] = ["coretemp", "k10temp", "zenpower", "cpu_thermal", "soc_thermal"];
