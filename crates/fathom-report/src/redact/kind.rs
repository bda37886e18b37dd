//! Kinds of private names.

/// What a name belongs to; the first part of its stand-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Host,
    User,
    File,
    Directory,
    /// The value of an option that is a text of the user.
    Text,
    Device,
    Serial,
    Address,
    Pci,
    Id,
    Program,
    /// The domain of a host.
    Domain,
    /// The name that a user gave a run.
    Run,
    /// The name of a group in a suite that a user wrote.
    Group,
}

impl Kind {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Kind::Host => "host",
            Kind::User => "user",
            Kind::File => "file",
            Kind::Directory => "dir",
            Kind::Text => "text",
            Kind::Device => "device",
            Kind::Serial => "serial",
            Kind::Address => "address",
            Kind::Pci => "pci",
            Kind::Id => "id",
            Kind::Program => "program",
            Kind::Domain => "domain",
            Kind::Run => "run",
            Kind::Group => "group",
        }
    }
}
