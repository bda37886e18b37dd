//! Mount namespaces other than that of the test.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread;

use super::check;

/// Lets `command` end when the thread that started it ends.
pub fn end_with_us(command: &mut Command) -> &mut Command {
    // SAFETY: between fork and exec the function makes system calls on constants only; it takes no
    // lock and allocates nothing.
    unsafe { command.pre_exec(ask_for_end) }
}

fn ask_for_end() -> io::Result<()> {
    // SAFETY: PR_SET_PDEATHSIG takes a number.
    check(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) }.into()).map(drop)
}

fn unshare_mounts() -> io::Result<()> {
    // SAFETY: unshare takes no pointer.
    check(unsafe { libc::unshare(libc::CLONE_NEWNS) }.into())?;
    let (none, root, flags) = (c"none".as_ptr(), c"/".as_ptr(), libc::MS_REC | libc::MS_PRIVATE);
    // SAFETY: the strings are constants; a change of propagation reads no options.
    check(unsafe { libc::mount(none, root, none, flags, std::ptr::null()) }.into()).map(drop)
}

/// A mount namespace that a waiting process keeps, and a descriptor by which the test reaches it.
pub struct Namespace {
    keeper: Option<Child>,
    handle: File,
}

impl Namespace {
    /// Copies the mounts that the test sees now.
    pub fn copy() -> io::Result<Self> {
        let mut command = Command::new("sleep");
        command.arg("infinity").current_dir("/").stdin(Stdio::null());
        // SAFETY: as in `end_with_us`.
        unsafe { command.pre_exec(unshare_mounts) };
        let keeper = end_with_us(&mut command).spawn()?;
        let handle = File::open(format!("/proc/{}/ns/mnt", keeper.id()))?;
        Ok(Self { keeper: Some(keeper), handle })
    }

    /// The process that lives in the namespace.
    pub fn pid(&self) -> Option<u32> {
        self.keeper.as_ref().map(Child::id)
    }

    /// Ends the process. The namespace lives on as long as the descriptor is open.
    pub fn leave_without_process(&mut self) {
        if let Some(mut keeper) = self.keeper.take() {
            let _ = keeper.kill();
            let _ = keeper.wait();
        }
    }

    /// Runs `act` as if it were a process of the namespace.
    pub fn within<T: Send>(&self, act: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        let enter_and_act = || {
            // SAFETY: unshare takes no pointer. The thread stops sharing root and working directory
            // with the others, without which it may not change its namespace.
            check(unsafe { libc::unshare(libc::CLONE_FS) }.into())?;
            // SAFETY: setns takes a descriptor, which is open as long as `self` lives.
            check(unsafe { libc::setns(self.handle.as_raw_fd(), libc::CLONE_NEWNS) }.into())?;
            act()
        };
        let ended = thread::scope(|scope| scope.spawn(enter_and_act).join());
        ended.expect("the thread does not panic")
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        self.leave_without_process();
    }
}
