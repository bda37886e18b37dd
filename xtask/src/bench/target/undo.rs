//! What must be undone when a case has ended, also if it ended early.

/// Acts that remove things; the last one added runs first.
#[derive(Default)]
pub struct Undo {
    acts: Vec<Act>,
}

type Act = Box<dyn FnOnce() -> Result<(), String>>;

impl Undo {
    /// Adds an act.
    pub fn push(&mut self, act: impl FnOnce() -> Result<(), String> + 'static) {
        self.acts.push(Box::new(act));
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        while let Some(act) = self.acts.pop() {
            if let Err(error) = act() {
                eprintln!("left behind: {error}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::rc::Rc;

    #[test]
    fn the_last_made_goes_first_and_a_failure_stops_nothing() {
        let seen = Rc::new(RefCell::new(Vec::new()));
        let mut undo = Undo::default();
        for n in 1..=3 {
            let seen = Rc::clone(&seen);
            undo.push(move || {
                seen.borrow_mut().push(n);
                if n == 2 { Err("stuck".to_owned()) } else { Ok(()) }
            });
        }
        drop(undo);
        assert_eq!(*seen.borrow(), [3, 2, 1]);
    }
}
