//! Sizes in the picture, in pixels.

/// Width of a box.
pub const WIDTH: f64 = 296.0;

/// Height of a line of text.
pub const LINE: f64 = 15.0;

/// Distance between a box's border and its content.
pub const PAD: f64 = 8.0;

/// Height of a bar.
pub const BAR: f64 = 10.0;

/// Characters of 11 pixels of a monospaced font (0.6 em each) that fit.
pub const CHARACTERS: usize = ((WIDTH - 2.0 * PAD) / (11.0 * 0.61)) as usize;

/// The same of 12 pixels, for a title.
pub const TITLE_CHARACTERS: usize = ((WIDTH - 2.0 * PAD) / (12.0 * 0.61)) as usize;

/// A line shortened to so many characters; the whole text is in the box's title.
pub fn cut(line: &str, characters: usize) -> String {
    match line.chars().count() {
        short if short <= characters => line.to_owned(),
        _ => line.chars().take(characters - 1).chain(['…']).collect(),
    }
}
