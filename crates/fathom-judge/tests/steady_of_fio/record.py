#!/usr/bin/env python3
"""Has fio judge many series at once, and prints them with its verdicts, one JSON object in each line.

    python3 record.py > of_fio_3.33.jsonl      (about a minute)

Each job has its own rate, its own noise (poisson) and its own rule. A job of several clones begins them one after
the other, so that the rate of the group rises. fio --debug=steadystate prints what it judges in each second, and the
criterion that follows from it once its window is full; the JSON has the verdict.
"""

import itertools
import json
import re
import subprocess
import sys
import tempfile

SECONDS = 24
CHECK = re.compile(r"steadystate_check\(\) thread: (\d+), groupid: (\d+), .*iops: (\d+), bw: (\d+)")
CRITERION = re.compile(r"criterion: (-?[\d.]+|-?nan|-?inf), limit")
MEAN_DIFF = re.compile(r"objective: (-?[\d.]+|-?nan|-?inf), limit")


def jobs():
    """The sections: rate, clones, criterion, limit and window of each."""
    of_noise = {"iops": [0.35, 0.7, 1.5], "iops_slope": [0.001, 0.02, 0.2], "bw": [0.4, 0.6, 2], "bw_slope": [0.002, 0.03, 0.1]}
    for number, (rate, (rule, shares)) in enumerate(itertools.product([40, 400, 4000], of_noise.items())):
        noise_percent = 100 / rate**0.5
        for at, share in enumerate(shares):
            yield rate, 1, f"{rule}:{share * noise_percent:.4f}%", 4 + (number + 2 * at) % 6
    for rate in [50, 500]:
        for rule, limit in [("iops", rate // 8), ("iops_slope", rate / 200), ("bw", rate * 500), ("bw_slope", rate * 20)]:
            for window in [5, 9]:
                yield rate, 1, f"{rule}:{limit}", window
    for rule in ["iops:9%", "iops_slope:2%", "bw:9%", "bw_slope:2%"]:
        for rate in [100, 1000]:
            yield rate, 5, rule, 6


def job_file():
    lines = ["[global]", "ioengine=null", "rw=randread", "bs=4k", "size=1t", "norandommap", "time_based",
             f"runtime={SECONDS}", "rate_process=poisson", "thread", "group_reporting"]
    for number, (rate, clones, rule, window) in enumerate(jobs()):
        for clone in range(clones):
            lines += [f"[{number}]", f"rate_iops={rate}", f"randseed={1000 * number + clone + 1}",
                      f"steadystate={rule}", f"ss_dur={window}"]
            lines += ["new_group"] if clone == 0 else [f"startdelay={2 * clone}"]
    return "\n".join(lines) + "\n"


def main():
    with tempfile.NamedTemporaryFile("w", suffix=".fio") as file, tempfile.NamedTemporaryFile() as out:
        file.write(job_file())
        file.flush()
        command = ["fio", "--debug=steadystate", "--output-format=json", f"--output={out.name}", file.name]
        said = subprocess.run(command, capture_output=True, text=True, check=True)
        told = open(out.name).read()
    result = json.loads(told[told.index("{\n"):])
    series, group = {}, None
    lines = (said.stdout + said.stderr + told[:told.index("{\n")]).splitlines()
    for line in lines:
        if check := CHECK.search(line):
            group = series.setdefault(int(check[2]), {"iops": [], "bw": [], "criteria": []})
            group["iops"].append(int(check[3]))
            group["bw"].append(int(check[4]))
        elif found := CRITERION.search(line) or MEAN_DIFF.search(line):
            group["criteria"].append(found[1])
    for job in result["jobs"]:
        steady, one = job["steadystate"], series[job["groupid"]]
        print(json.dumps({"ss": steady["ss"], "window": steady["duration"], "attained": steady["attained"] == 1,
                          "printed": steady["criterion"], "data": steady["data"], **one}))
    print(f"{len(result['jobs'])} series", file=sys.stderr)


main()
