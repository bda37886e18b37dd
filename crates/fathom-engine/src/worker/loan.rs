//! What a worker has measured is lent while the worker is inside a call.
//!
//! A worker hands its counts over once a second and owns them alone in between.
//! A worker whose target does not answer is inside a system call and cannot hand
//! them over. For the time of each call that may not return, it therefore lends
//! them, and a run that goes on without the worker borrows them.
//!
//! One atomic byte decides who may use what is lent: the side that changes it from
//! [`LENT`] to something else. A worker that finds it changed after its call waits
//! until the borrower has finished, and then has everything back. The atomic
//! change costs a worker some 20 cycles for each call, while a system call costs
//! hundreds.

use std::fmt::{self, Debug};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, Ordering};

/// The worker is inside a call, and nobody has borrowed yet. Taking it back
/// subtracts this, which x86 does and judges in two instructions.
const LENT: u8 = 1;
/// Borrowed, or never lent. Any other value but [`LENT`] means the same.
const TAKEN: u8 = 0;

/// The place where one worker puts what it lends. The fields are in C's order, so
/// that `state`, which is used twice per call, needs no address of its own.
#[repr(C)]
pub struct Loan<T> {
    /// [`LENT`] or not.
    state: AtomicU8,
    /// What is lent, while `state` says so.
    what: AtomicPtr<T>,
    /// A borrower uses what was lent.
    is_borrowed: AtomicBool,
    has_lender: AtomicBool,
}

/// The only lender of its [`Loan`].
#[derive(Debug)]
pub struct Lender<'l, T>(&'l Loan<T>);

impl<T> Default for Loan<T> {
    fn default() -> Self {
        let [is_borrowed, has_lender] = [AtomicBool::new(false), AtomicBool::new(false)];
        let (state, what) = (AtomicU8::new(TAKEN), AtomicPtr::new(null_mut()));
        Loan { state, what, is_borrowed, has_lender }
    }
}

impl<T> Debug for Loan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loan").field("state", &self.state).finish_non_exhaustive()
    }
}

impl<T: Send> Loan<T> {
    /// The lender of this loan.
    ///
    /// # Panics
    /// At the second call: two lenders would overwrite each other's pointer.
    pub fn lender(&self) -> Lender<'_, T> {
        assert!(!self.has_lender.swap(true, Ordering::Relaxed), "a loan has one lender");
        Lender(self)
    }

    /// Passes what is lent at this moment to `look`, which may change it; `None` if
    /// nothing is lent. If the lender's call returns in that time, the lender waits, so
    /// `look` must be short.
    pub fn borrow<R>(&self, look: impl FnOnce(&mut T) -> R) -> Option<R> {
        // Acquire: what a borrower before this one did comes first.
        if self.is_borrowed.swap(true, Ordering::Acquire) {
            return None;
        }
        let _borrowing = Borrowing(&self.is_borrowed);
        // Acquire: `what`, and all that the lender did before it lent, come
        // first. Release: a lender that finds TAKEN also finds `is_borrowed`.
        self.state.compare_exchange(LENT, TAKEN, Ordering::AcqRel, Ordering::Relaxed).ok()?;
        let what = self.what.load(Ordering::Relaxed);
        // SAFETY: the state was LENT, so the pointer is that of the exclusive
        // reference in `Lender::during`, and that function has not taken it back.
        // It cannot end, return or unwind, before it has tried; since it finds
        // TAKEN from now on, it then waits until `_borrowing` is dropped, which
        // is after the last use here. So the reference is alive, and nobody else
        // uses it: not the lender's thread, which is inside the call or waits;
        // and no other borrower, because the state is not LENT any more and
        // `is_borrowed` is set. `T` is `Send`, so this thread may use it.
        unsafe { what.as_mut() }.map(look)
    }
}

impl<T: Send> Lender<'_, T> {
    /// Lends `what` for the time of a call, and of what is done right after it.
    #[inline(always)]
    pub fn during<R, S>(
        &mut self,
        what: &mut T,
        call: impl FnOnce() -> R,
        then: impl FnOnce() -> S,
    ) -> (R, S) {
        self.0.what.store(what, Ordering::Relaxed);
        // Release: the borrower sees `what`, and all that was done to it before.
        self.0.state.store(LENT, Ordering::Release);
        let _lending = Lending(self.0);
        let result = call();
        (result, then())
    }
}

/// Lasts as long as a call. When it is dropped, what was lent comes back, however
/// the call ends.
struct Lending<'l, T>(&'l Loan<T>);

impl<T> Drop for Lending<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        // Acquire: if a borrower changed the state, its `is_borrowed` is seen. What
        // this leaves in `state`, 0 or 255, is not LENT.
        if self.0.state.fetch_sub(LENT, Ordering::Acquire) != LENT {
            wait(&self.0.is_borrowed);
        }
    }
}

/// Waits for the borrower, which takes some microseconds.
#[cold]
#[inline(never)]
fn wait(is_borrowed: &AtomicBool) {
    // Acquire: all that the borrower did comes first.
    while is_borrowed.load(Ordering::Acquire) {
        std::thread::yield_now();
    }
}

/// Lasts as long as `look`, and also ends when `look` panics.
struct Borrowing<'b>(&'b AtomicBool);

impl Drop for Borrowing<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn only_what_is_lent_can_be_borrowed() {
        let (loan, mut what) = (Loan::default(), 7);
        let mut lender = loan.lender();
        assert_eq!(loan.borrow(|what: &mut i32| *what), None);
        let first = || loan.borrow(|what| std::mem::replace(what, 9));
        let borrowed = lender.during(&mut what, first, || loan.borrow(|what| *what));
        assert_eq!(borrowed, (Some(7), None), "one borrows each call");
        assert_eq!((loan.borrow(|what| *what), what), (None, 9));
        assert_eq!(
            lender.during(&mut what, || loan.borrow(|what| *what), || ()).0,
            Some(9),
            "and the next call"
        );
    }

    #[test]
    #[should_panic(expected = "one lender")]
    fn nobody_else_lends() {
        let loan = Loan::<i32>::default();
        let _lenders = (loan.lender(), loan.lender());
    }

    #[test]
    fn a_panic_on_either_side_leaves_nothing_lent_and_nobody_waiting() {
        let (loan, mut what) = (Loan::default(), 7);
        let mut lender = loan.lender();
        let call = AssertUnwindSafe(|| lender.during(&mut what, || panic!("a defect"), || ()));
        assert!(catch_unwind(call).is_err());
        assert_eq!(loan.borrow(|what| *what), None);
        let look = || catch_unwind(AssertUnwindSafe(|| loan.borrow(|_| panic!("a defect"))));
        assert!(lender.during(&mut what, look, || ()).0.is_err());
    }

    #[test]
    fn a_lender_and_a_borrower_never_meet() {
        const ROUNDS: u64 = 200_000;
        // Both numbers are equal whenever neither side is changing them.
        let (loan, is_over) = (Loan::<[u64; 2]>::default(), AtomicBool::new(false));
        let count = |both: &mut [u64; 2]| {
            assert_eq!(both[0], both[1]);
            both[0] += 1;
            black_box(&mut *both);
            both[1] += 1;
        };
        let (counted, looks) = std::thread::scope(|scope| {
            let borrower = scope.spawn(|| {
                let mut looks = 0;
                while !is_over.load(Ordering::Relaxed) {
                    looks += u64::from(loan.borrow(count).is_some());
                }
                looks
            });
            let (mut both, mut lender) = ([0, 0], loan.lender());
            for round in 0..ROUNDS {
                count(&mut both);
                lender.during(&mut both, || black_box(round), || ());
            }
            is_over.store(true, Ordering::Relaxed);
            count(&mut both);
            (both[0], borrower.join().unwrap())
        });
        assert_eq!(counted, ROUNDS + 1 + looks, "nothing that either did is lost");
    }
}
