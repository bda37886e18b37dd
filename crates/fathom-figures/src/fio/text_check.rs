//! Whether what is read piece by piece can be the lines of a log at all. A sparse file of a terabyte is one line of NUL bytes, and
//! nothing behind the first of them can be a log.

use super::log_line::LineFault;

/// Bytes without an end of a line from which on nothing more is read: fio's longest line, of a log of histograms, has 40 KB.
const LINE_BYTES_MAX: usize = 1 << 20;

/// Checks the pieces of a file in their order.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextCheck {
    /// Lines that have ended.
    lines: u64,
    /// Bytes of the line that has not ended.
    open_bytes: usize,
}

impl TextCheck {
    /// Checks the next piece.
    ///
    /// # Errors
    /// The line that no log has, counted from 1, and why: it holds a NUL byte, or it is longer than a MiB.
    pub fn check(&mut self, piece: &[u8]) -> Result<(), (u64, LineFault)> {
        let nul = memchr::memchr(0, piece);
        let text = &piece[..nul.unwrap_or(piece.len())];
        self.lines += memchr::memchr_iter(b'\n', text).count() as u64;
        self.open_bytes = match memchr::memrchr(b'\n', text) {
            Some(end) => text.len() - end - 1,
            None => self.open_bytes + text.len(),
        };
        match nul {
            Some(_) => Err((self.lines + 1, LineFault::Nul)),
            None if self.open_bytes > LINE_BYTES_MAX => Err((self.lines + 1, LineFault::TooLong)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_read_behind_a_nul_byte_or_in_a_line_without_end() {
        let long = "7".repeat(LINE_BYTES_MAX / 2);
        for (pieces, expected) in [
            (&["1, 2, 0\n", "3, 4, 0\n"][..], Ok(())),
            (&["1, 2, 0\n3, ", "4\0"], Err((2, LineFault::Nul))),
            (&["1, 2, 0\n", &long, &long], Ok(())),
            (&["1, 2, 0\n", &long, &long, "7"], Err((2, LineFault::TooLong))),
            (&[&long, "\n", &long, &long], Ok(())),
        ] {
            let mut check = TextCheck::default();
            let checked = pieces.iter().try_for_each(|piece| check.check(piece.as_bytes()));
            assert_eq!(checked, expected);
        }
    }
}
