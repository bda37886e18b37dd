//! Kinds of private names.

/// What a name belongs to; the first part of its stand-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Host,
    User,
    File,
    Device,
    Serial,
    Address,
    Id,
}

impl Kind {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Kind::Host => "host",
            Kind::User => "user",
            Kind::File => "file",
            Kind::Device => "device",
            Kind::Serial => "serial",
            Kind::Address => "address",
            Kind::Id => "id",
        }
    }
}
