//! All that fathom can say, side by side, in the files of `snapshots`. One program has these tests, so that it is linked once.

mod every_check;
mod every_headline;
mod every_part_of_an_answer;
mod every_power_cut;
mod every_report_part;
mod every_sentence;
mod every_sentence_of_comparisons;
mod every_wrong_block;
