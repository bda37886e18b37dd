//! What keeps a file from being read without saying anything of the file: so what was saved is not damaged.

use std::io;
use std::path::PathBuf;

/// The cause, which lies with the process or the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadObstacle {
    /// The process or the machine may open no more files (`EMFILE`, `ENFILE`).
    OpenFiles,
    /// The kernel has no memory left (`ENOMEM`).
    Memory,
    /// The user lacks the right (`EACCES`, `EPERM`).
    Right,
}

/// A file that an obstacle keeps from being read.
#[derive(Debug)]
pub(crate) struct UnreadFile {
    pub path: PathBuf,
    pub source: io::Error,
}

impl ReadObstacle {
    /// The obstacle that this error shows; `None` where the fault is the file's own.
    pub fn of(e: &io::Error) -> Option<ReadObstacle> {
        use rustix::io::Errno;
        match Errno::from_io_error(e)? {
            Errno::MFILE | Errno::NFILE => Some(ReadObstacle::OpenFiles),
            Errno::NOMEM => Some(ReadObstacle::Memory),
            Errno::ACCESS | Errno::PERM => Some(ReadObstacle::Right),
            _ => None,
        }
    }

    /// What a person can do about it.
    pub const fn hint(self) -> &'static str {
        match self {
            ReadObstacle::OpenFiles => "ulimit -n is the limit of open files",
            ReadObstacle::Memory => "the machine has no memory left: end other programs first",
            ReadObstacle::Right => "run fathom as a user who may read it",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::io::Errno;

    #[test]
    fn damage_is_no_obstacle() {
        let of = |errno: Errno| ReadObstacle::of(&errno.into());
        assert_eq!([Errno::MFILE, Errno::NFILE].map(of), [Some(ReadObstacle::OpenFiles); 2]);
        assert_eq!(of(Errno::NOMEM), Some(ReadObstacle::Memory));
        assert_eq!([Errno::ACCESS, Errno::PERM].map(of), [Some(ReadObstacle::Right); 2]);
        assert_eq!([Errno::IO, Errno::NOENT, Errno::NOTDIR].map(of), [None; 3]);
        assert_eq!(ReadObstacle::of(&io::Error::other("it is a FIFO")), None);
    }
}
