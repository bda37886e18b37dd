"""Reads the results of one job as people do, with pandas, and compares what the forms say.

read_results.py FILE LOGS: FILE has lines of terse output and a JSON document, LOGS is the prefix of its logs, which have a line for
each I/O. Every number of the terse line is one of the document, and every log has the I/Os and the mean latencies of it.
"""

import json
import sys

import pandas

PERCENTILES = 20
MOMENTS = ["min", "max", "mean", "stddev"]


def columns(version):
    """The names of the columns of a terse line, as fio's manual has them."""
    names = ["terse_version"] + (["fio_version"] if version > 2 else []) + ["jobname", "groupid", "error"]
    for side in ["read", "write"] + (["trim"] if version != 3 else []):
        names += [f"{side}/{key}" for key in ["io_kbytes", "bw", "iops", "runtime"]]
        for latency in ["slat_ns", "clat_ns"]:
            names += [f"{side}/{latency}/{moment}" for moment in MOMENTS]
        names += [f"{side}/clat_ns/percentile/{n}" for n in range(PERCENTILES)]
        names += [f"{side}/lat_ns/{moment}" for moment in MOMENTS]
        names += [f"{side}/{key}" for key in ["bw_min", "bw_max", "bw_agg", "bw_mean", "bw_dev"]]
        if version == 5:
            names += [f"{side}/bw_samples"]
            names += [f"{side}/iops_{key}" for key in ["min", "max", "mean", "stddev", "samples"]]
    names += ["usr_cpu", "sys_cpu", "ctx", "majf", "minf"]
    names += [f"iodepth_level/{depth}" for depth in ["1", "2", "4", "8", "16", "32", ">=64"]]
    names += [f"latency_us/{us}" for us in [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000]]
    return names + [f"latency_ms/{ms}" for ms in ["2", "4", "10", "20", "50", "100", "250", "500", "750", "1000", "2000", ">=2000"]]


def of_document(job, name):
    for key in name.split("/"):
        job = job[key]
    return job


def check_column(job, name, text):
    if "/percentile/" in name:
        percent, value = text.split("%=")
        asked = job[name.split("/")[0]]["clat_ns"].get("percentile", {})
        wanted = asked.get(percent, 0) / 1000
        if percent == "0":
            return
    else:
        value = text.rstrip("%")
        wanted = of_document(job, name)
        if "_ns/" in name:
            wanted /= 1000
        if name == "latency_us/2":
            # Nanoseconds have no columns: what is below 2 us counts there.
            wanted += sum(share for share in job["latency_ns"].values())
    # Whole numbers are cut, shares have two digits. The largest class of latencies takes what rounding leaves
    # of the others, half a hundredth of each, so that all are 100 %.
    classes = [share for unit in ["ns", "us", "ms"] for share in job[f"latency_{unit}"].values()]
    others = 1 + sum(share > 0 for share in classes)
    allowed = 1 if "." not in value else 0.005 * others if name.startswith("latency_") else 0.011
    assert abs(float(value) - float(wanted)) <= allowed, f"{name}: {text} in the line, {wanted} in the document"


def check_line(line, job):
    cells = line.split(";")
    names = columns(int(cells[0]))
    assert len(cells) >= len(names), f"{len(cells)} cells, {len(names)} names"
    for name, text in zip(names, cells):
        if name not in ["terse_version", "fio_version"]:
            if name == "jobname":
                assert text == job["jobname"]
            else:
                check_column(job, name, text)
    return cells


def check_logs(prefix, job):
    total = sum(job[side]["total_ios"] for side in ["read", "write", "trim"])
    for kind in ["bw", "iops", "lat", "clat"]:
        log = pandas.read_csv(f"{prefix}_{kind}.1.log", header=None, skipinitialspace=True)
        log.columns = ["msec", "value", "direction", "bs", "priority"]
        assert len(log) == total, f"{kind}: {len(log)} lines, {total} I/Os"
        assert log["msec"].is_monotonic_increasing
        for number, side in enumerate(["read", "write", "trim"]):
            of_side = log[log["direction"] == number]
            assert len(of_side) == job[side]["total_ios"]
            assert of_side["bs"].sum() == job[side]["io_bytes"]
            if kind in ["lat", "clat"] and len(of_side):
                mean = job[side][f"{kind}_ns"]["mean"]
                assert abs(of_side["value"].mean() - mean) <= 1e-6 * mean + 1e-6, f"{kind}: {of_side['value'].mean()} and {mean}"
                assert of_side["value"].min() == job[side][f"{kind}_ns"]["min"]
                assert of_side["value"].max() == job[side][f"{kind}_ns"]["max"]


def main():
    text = open(sys.argv[1]).read()
    begin = text.index("{\n")
    document = json.loads(text[begin:])
    (job,) = document["jobs"]
    table = pandas.json_normalize(document["jobs"])
    for side in ["read", "write"]:
        shares = [name for name in table.columns if name.startswith(f"{side}.clat_ns.percentile.")]
        assert len(shares) == 17 and table[shares].T[0].is_monotonic_increasing, shares
    cells = check_line(text[:begin].splitlines()[0], job)
    check_logs(sys.argv[2], job)
    print(len(cells))


main()
