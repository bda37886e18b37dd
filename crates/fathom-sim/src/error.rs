//! What can be wrong with a simulated drive.

/// Why a simulated drive cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SimError {
    /// The maps of the drive do not fit into the memory that they may take, or into that of the machine.
    #[error(
        "the simulated drive needs {needed_bytes} bytes of memory; a scale such as /64, or a larger mapping unit such as \
         unit=16k, needs less"
    )]
    NoMemory {
        /// Bytes that it needs.
        needed_bytes: u64,
    },
    /// Slots are numbered with 32 bits.
    #[error(
        "the simulated drive has {units} mapping units and its spare space, but at most 4,294,967,294 in all are \
         possible; a scale such as /64, or a larger mapping unit such as unit=16k, makes fewer"
    )]
    TooManyUnits {
        /// Logical units.
        units: u64,
    },
    /// What remains of the drive is smaller than one block.
    #[error(
        "the simulated drive has {units} mapping units, which is less than one block of {block_units}; a smaller \
         divisor after /, or a larger size, makes more"
    )]
    LessThanOneBlock {
        /// Logical units.
        units: u64,
        /// Units in a block.
        block_units: u32,
    },
    /// A value is outside of what is possible.
    #[error("{key}={given} is not allowed; allowed: {allowed}")]
    Value {
        /// The key.
        key: String,
        /// What was given.
        given: String,
        /// What is allowed.
        allowed: String,
    },
    /// Two parts of the model exclude each other.
    #[error("the simulated drive contradicts itself: {text}")]
    Contradiction {
        /// Which parts, and why.
        text: String,
    },
    /// A key that the model does not have.
    #[error("{key} is no key of this simulated drive; its keys are {known}")]
    UnknownKey {
        /// The key.
        key: String,
        /// All keys of this kind of drive.
        known: String,
    },
}
