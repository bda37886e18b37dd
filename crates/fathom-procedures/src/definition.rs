//! One kind of procedure, and how it is made from its saved parameters.

use super::Procedure;

/// One kind of procedure.
#[derive(Clone, Copy, Debug)]
pub struct ProcedureDef {
    /// Its name, in `procedure.json`.
    pub name: &'static str,
    /// Makes it from its parameters. The error is one sentence.
    pub open: fn(&Parameters<'_>) -> Result<Box<dyn Procedure>, String>,
}

/// The parameters of a procedure, by name.
pub struct Parameters<'a>(pub(super) &'a [(String, String)]);

impl Parameters<'_> {
    /// All of them, name and value.
    pub fn all(&self) -> &[(String, String)] {
        self.0
    }

    /// The value of a parameter.
    ///
    /// # Errors
    /// There is none, or it does not have this type.
    pub fn get<T: std::str::FromStr>(&self, name: &str) -> Result<T, String> {
        let found = self.0.iter().find(|(known, _)| known == name);
        let (_, value) = found.ok_or_else(|| format!("the parameter {name} is missing"))?;
        value.parse().map_err(|_| format!("the parameter {name} has a value that cannot be read: {value}"))
    }
}
