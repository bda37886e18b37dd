//! Numbers that look random and are the same for the same seed (splitmix64).

/// A source of choices.
#[derive(Clone)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.roll() % end as u64).expect("less than a usize")
    }

    /// True once in `times`.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of them; `None` if there is none.
    pub fn pick<T: Clone>(&mut self, among: &[T]) -> Option<T> {
        (!among.is_empty()).then(|| among[self.below(among.len())].clone())
    }

    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        let words = std::iter::repeat_with(|| self.roll().to_le_bytes());
        words.take(len.div_ceil(8)).flatten().take(len).collect()
    }
}
