//! Questions that may never be answered, asked by a separate process.
//!
//! A call on a file system whose server is gone, or on a queue that somebody
//! has frozen, waits where no signal reaches it, and a process with such a
//! thread cannot end. So a child asks. If it is silent for longer than the
//! limit, it is left behind: it holds no file of ours, and it ends when the
//! kernel lets it.

use super::{INFO_WORDS, LOOP_GET_STATUS64, check};
use std::ffi::CString;
use std::io::{self, ErrorKind, Read};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// A question of one call.
#[derive(Debug, Clone)]
pub enum Ask {
    /// What is behind the loop device with this node: `st_dev`, `st_ino` and
    /// `st_rdev` of the file, and `st_rdev` of the node itself.
    Loop(CString),
    /// Whether this path can be looked up.
    Path(CString),
    /// Whether this file can be read.
    Read(CString),
    /// Whether the first block of the device with this node can be read from the device itself and
    /// not from the page cache.
    Block(CString),
}

/// Memory for a read that bypasses the page cache: as large, and at such a place, as the largest
/// logical block needs (4 KiB; Linux 6.15 allows more, and then the read is an ordinary one).
#[repr(C, align(4096))]
struct Block([u8; 4096]);

/// What was answered: an error number or 0, and the numbers asked for.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChildAnswer {
    /// `errno`, or 0.
    pub error: i64,
    /// The numbers.
    pub words: [u64; 4],
}

const ANSWER_BYTES: usize = size_of::<ChildAnswer>();

/// Asks one after the other. `None` means that the question was not answered within `limit`.
pub fn ask(questions: &[Ask], limit: Duration) -> io::Result<Vec<Option<ChildAnswer>>> {
    let mut answers = Vec::with_capacity(questions.len());
    while answers.len() < questions.len() {
        let before = answers.len();
        ask_until_silence(&questions[before..], limit, &mut answers)?;
        if answers.len() < questions.len() {
            answers.push(None);
        }
    }
    Ok(answers)
}

fn ask_until_silence(
    questions: &[Ask],
    limit: Duration,
    answers: &mut Vec<Option<ChildAnswer>>,
) -> io::Result<()> {
    let (mut ours, theirs) = UnixStream::pair()?;
    // SAFETY: the child calls nothing but `answer_all`, which neither takes
    // memory nor a lock, and does not return.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: this is the child of a fork, and nothing else runs in it.
        unsafe { answer_all(questions, theirs.as_raw_fd()) }
    }
    check(child)?;
    drop(theirs);
    let mut is_silent = false;
    for _ in questions {
        match read_answer(&mut ours, limit) {
            Ok(answer) => answers.push(Some(answer)),
            Err(_) => {
                is_silent = true;
                break;
            }
        }
    }
    // SAFETY: the child is ours and nobody has waited for it.
    unsafe {
        libc::kill(child, libc::SIGKILL);
        let flags = if is_silent { libc::WNOHANG } else { 0 };
        libc::waitpid(child, std::ptr::null_mut(), flags);
    }
    Ok(())
}

fn read_answer(from: &mut UnixStream, limit: Duration) -> io::Result<ChildAnswer> {
    let mut bytes = [0; ANSWER_BYTES];
    let (mut have, ends) = (0, Instant::now() + limit);
    while have < ANSWER_BYTES {
        let left = ends.saturating_duration_since(Instant::now());
        from.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
        match from.read(&mut bytes[have..]) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(read) => have += read,
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(_) if left.is_zero() => return Err(ErrorKind::TimedOut.into()),
            Err(e) if e.kind() == ErrorKind::WouldBlock => {}
            Err(e) => return Err(e),
        }
    }
    let word = |at: usize| {
        let part = bytes[at * 8..][..8].try_into();
        u64::from_ne_bytes(part.expect("an answer is five words"))
    };
    Ok(ChildAnswer { error: word(0).cast_signed(), words: [word(1), word(2), word(3), word(4)] })
}

/// What the child does.
///
/// # Safety
/// Only for the child of a fork: it closes all files.
unsafe fn answer_all(questions: &[Ask], to: RawFd) -> ! {
    // SAFETY: these calls take numbers and memory of ours; all of them are
    // allowed between fork and exec (signal-safety(7)).
    unsafe {
        // Neither a terminal nor the reader of a pipe waits for us.
        libc::setsid();
        libc::dup2(to, 0);
        libc::syscall(libc::SYS_close_range, 1u32, u32::MAX, 0u32);
        for question in questions {
            let answer = answer(question);
            if libc::write(0, (&raw const answer).cast(), ANSWER_BYTES) < 0 {
                break;
            }
        }
        libc::_exit(0)
    }
}

/// # Safety
/// As [`answer_all`].
unsafe fn answer(question: &Ask) -> ChildAnswer {
    let mut answer = ChildAnswer::default();
    let mut note = |done: i64| {
        if done < 0 {
            // SAFETY: the address of this thread's errno.
            answer.error = i64::from(unsafe { *libc::__errno_location() });
        }
        done
    };
    // SAFETY: the names end with NUL, the buffers are ours and as long as the
    // calls are told.
    unsafe {
        let mut stat: libc::stat = std::mem::zeroed();
        match question {
            Ask::Path(path) => {
                note(libc::stat(path.as_ptr(), &raw mut stat).into());
            }
            Ask::Read(path) => {
                let file = note(libc::open(path.as_ptr(), libc::O_RDONLY).into());
                let mut byte = 0u8;
                if file >= 0 && note(libc::read(file as i32, (&raw mut byte).cast(), 1) as i64) >= 0 {
                    libc::close(file as i32);
                }
            }
            Ask::Block(node) => {
                let mut block = Block([0; 4096]);
                let flags = libc::O_RDONLY | libc::O_NONBLOCK;
                let mut file = libc::open(node.as_ptr(), flags | libc::O_DIRECT);
                if file < 0 && *libc::__errno_location() == libc::EINVAL {
                    file = libc::open(node.as_ptr(), flags);
                }
                if note(file.into()) >= 0 {
                    let mut read = libc::pread(file, (&raw mut block).cast(), 4096, 0);
                    if read < 0 && *libc::__errno_location() == libc::EINVAL {
                        libc::fcntl(file, libc::F_SETFL, flags);
                        read = libc::pread(file, (&raw mut block).cast(), 4096, 0);
                    }
                    note(read as i64);
                    libc::close(file);
                }
            }
            Ask::Loop(node) => {
                let file = note(libc::open(node.as_ptr(), libc::O_RDONLY | libc::O_NONBLOCK).into());
                let mut info = [0u64; INFO_WORDS];
                if file >= 0
                    && note(libc::fstat(file as i32, &raw mut stat).into()) >= 0
                    && note(libc::ioctl(file as i32, LOOP_GET_STATUS64, info.as_mut_ptr()).into()) >= 0
                {
                    answer.words = [info[0], info[1], info[2], stat.st_rdev];
                }
                libc::close(file as i32);
            }
        }
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(path: &str) -> CString {
        CString::new(path).unwrap()
    }

    #[test]
    fn a_block_is_read_or_the_error_is_known() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(8192).unwrap();
        let asked = ["/no/such/device", file.path().to_str().unwrap()].map(|path| Ask::Block(name(path)));
        let answers = ask(&asked, Duration::from_secs(10)).unwrap();
        let errors: Vec<_> = answers.iter().map(|answer| answer.map(|answer| answer.error)).collect();
        assert_eq!(errors, [Some(i64::from(libc::ENOENT)), Some(0)]);
    }

    /// A FIFO that nobody writes answers no read.
    #[test]
    fn what_is_silent_keeps_nothing_else_from_being_asked() {
        let dir = tempfile::tempdir().unwrap();
        let fifo = name(dir.path().join("fifo").to_str().unwrap());
        // SAFETY: a name that ends with NUL.
        assert_eq!(unsafe { libc::mkfifo(fifo.as_ptr(), 0o600) }, 0);
        let missing = Ask::Path(name("/no/such/file"));
        let questions = [Ask::Read(name("/proc/self/stat")), Ask::Read(fifo), missing, Ask::Path(name("/"))];
        let answers = ask(&questions, Duration::from_millis(200)).unwrap();
        let errors: Vec<_> = answers.iter().map(|answer| answer.map(|answer| answer.error)).collect();
        assert_eq!(errors, [Some(0), None, Some(i64::from(libc::ENOENT)), Some(0)]);
    }
}
