//! A claim in its parts, so that a place with little room leaves parts out.

/// What a sentence claims. Each part is written out, and none is cut from a longer one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// What is so.
    pub what: String,
    /// What explains it, with the sign before it: `: a latency or a count is wrong`; empty where nothing does.
    pub explained: String,
    /// What follows: `, so another run can have another mean`; empty where nothing does.
    pub so: &'static str,
}

impl Claim {
    /// All of it.
    pub fn whole(&self) -> String {
        format!("{}{}{}", self.what, self.explained, self.so)
    }

    /// Without what follows.
    pub fn without_consequence(&self) -> String {
        format!("{}{}", self.what, self.explained)
    }

    /// With an explanation.
    pub fn explained(self, explained: impl Into<String>) -> Claim {
        Claim { explained: explained.into(), ..self }
    }

    /// With what follows.
    pub fn so(self, so: &'static str) -> Claim {
        Claim { so, ..self }
    }
}

/// A claim that needs no explanation.
pub fn claim(what: impl Into<String>) -> Claim {
    Claim { what: what.into(), explained: String::new(), so: "" }
}

impl From<&str> for Claim {
    fn from(what: &str) -> Claim {
        claim(what)
    }
}

impl From<String> for Claim {
    fn from(what: String) -> Claim {
        claim(what)
    }
}
