//! Whose result a file is.

use crate::fio::{ResultFormat, result_format, result_format_of_text};
use crate::programs::{ProgramFormat, program_format};

/// What a file of results is.
#[derive(Clone, Copy, Debug)]
pub enum ResultForm {
    /// fio's.
    Fio(&'static ResultFormat),
    /// Another program's.
    Program(&'static ProgramFormat),
}

/// The form of a file that begins so. fio is asked first where the text itself says so; any JSON may be its, so that must name it.
pub fn result_form(head: &str, file_name: &str) -> Option<ResultForm> {
    let says_fio =
        result_format_of_text(head).filter(|format| !format.is_json() || head.contains("\"fio version\""));
    if let Some(format) = says_fio {
        return Some(ResultForm::Fio(format));
    }
    let program = program_format(head).map(ResultForm::Program);
    program.or_else(|| result_format(head, file_name).map(ResultForm::Fio))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_that_does_not_name_fio_may_be_of_another_program() {
        let of = |head: &str| match result_form(head, "r.json") {
            Some(ResultForm::Fio(format)) => format.name,
            Some(ResultForm::Program(format)) => format.program.name(),
            None => "none",
        };
        assert_eq!(of("{\"sysstat\": {\"hosts\": [{\"statistics\": [{\"avg-cpu\": {"), "iostat");
        assert_eq!(of("{\"fio version\": \"fio-3.33\", \"sysstat\": 1"), "JSON");
        assert_eq!(of("{\"x\": 1"), "JSON");
    }
}
