//! Reports made from synthetic runs, checked against fio's own output and by
//! reading.

mod compared;
mod comparison;
mod extremes;
mod few_ios;
mod fio_json;
mod group;
mod host;
mod html;
mod latency_goal;
mod normal;
mod ordinary;
mod procedure_page;
mod random;
mod redact;
mod redact_names;
mod repeated;
mod response;
mod same_answer;
mod sampled;
mod self_check;
mod steady;
mod synthetic;
mod terminal;
mod terse;
mod units;
