//! Lists of errors to ignore: `EIO:ENOSPC,28`, for read, write and verify.

use super::{BadValue, Piece};
use crate::value::IgnoredErrors;

/// Error numbers of Linux that I/O can meet (asm-generic/errno.h), by name.
#[rustfmt::skip]
const NAMES: &[(&str, i32)] = &[
    ("EPERM", 1), ("ENOENT", 2), ("EINTR", 4), ("EIO", 5), ("ENXIO", 6), ("EBADF", 9), ("EAGAIN", 11),
    ("EWOULDBLOCK", 11), ("ENOMEM", 12), ("EACCES", 13), ("EFAULT", 14), ("ENOTBLK", 15), ("EBUSY", 16),
    ("EEXIST", 17), ("EXDEV", 18), ("ENODEV", 19), ("EINVAL", 22), ("ENFILE", 23), ("EMFILE", 24), ("ETXTBSY", 26),
    ("EFBIG", 27), ("ENOSPC", 28), ("ESPIPE", 29), ("EROFS", 30), ("ENOSYS", 38), ("ENODATA", 61), ("ETIME", 62),
    ("ENOLINK", 67), ("EBADMSG", 74), ("EOVERFLOW", 75), ("EILSEQ", 84), ("EOPNOTSUPP", 95), ("ENOTCONN", 107),
    ("ETIMEDOUT", 110), ("ECONNREFUSED", 111), ("ESTALE", 116), ("EREMOTEIO", 121), ("EDQUOT", 122),
    ("ENOMEDIUM", 123), ("EMEDIUMTYPE", 124), ("ECANCELED", 125), ("EUCLEAN", 117),
];

/// Reads up to three lists, for read, write and verify.
pub(super) fn lists(piece: Piece) -> Result<IgnoredErrors, BadValue> {
    let mut errors = IgnoredErrors::default();
    for (i, part) in piece.split(',').enumerate() {
        let list = match i {
            0 => &mut errors.read,
            1 => &mut errors.write,
            2 => &mut errors.verify,
            _ => return Err(BadValue::new("too-many-values", "more than read, write and verify").at(part)),
        };
        for name in part.split(':').map(Piece::trim).filter(|name| !name.text.is_empty()) {
            list.push(number(name)?);
        }
    }
    Ok(errors)
}

fn number(piece: Piece) -> Result<i32, BadValue> {
    let named = NAMES.iter().find(|(name, _)| *name == piece.text).map(|(_, n)| *n);
    // Linux returns errors up to MAX_ERRNO, 4095.
    let number = || piece.text.parse().ok().filter(|n| (1..=4095).contains(n));
    named.or_else(number).ok_or_else(|| {
        BadValue::new("bad-number", format!("`{}` is not an error name or number", piece.text)).at(piece)
    })
}
