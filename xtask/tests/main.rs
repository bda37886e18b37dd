//! Documents, examples and words of the whole repository are as its rules say. One program has these tests, so that it is linked once.

mod differences;
mod examples;
mod glossary;
mod guide_index;
mod guides;
mod plain_english;
