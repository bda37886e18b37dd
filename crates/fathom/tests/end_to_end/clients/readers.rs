//! Programs that read results: with pandas, all versions of terse output, JSON and logs of one job.

use super::tools;

#[test]
fn every_form_of_a_result_has_the_same_figures_for_pandas() {
    let scratch = tempfile::tempdir_in("/dev/shm").unwrap();
    let reader = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/end_to_end/clients/read_results.py");
    let [theirs, ours] = tools(scratch.path()).map(|tool| {
        std::fs::write(tool.dir.join("f"), vec![7; 1 << 20]).unwrap();
        ["2", "3", "4", "5"].map(|version| {
            let job = "--name=j --filename=f --ioengine=psync --rw=randrw --bs=4k --size=1m";
            let logs = "--write_bw_log=l --write_iops_log=l --write_lat_log=l";
            let words =
                format!("fio --output-format=terse,json --terse-version={version} --output=o {job} {logs}");
            tool.must(&words.split(' ').collect::<Vec<_>>());
            tool.must(&["/usr/bin/python3", reader, "o", "l"])
        })
    });
    assert_eq!(ours, theirs, "columns of the lines");
}
