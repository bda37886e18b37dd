"""Reads the forms of one result with the programs they are for, and compares each figure with the document.

    read_exports.py NAME      in a directory with the files document, openmetrics, influx, junit, markdown
"""

import json
import re
import sys
from xml.etree import ElementTree

import markdown
from junitparser import JUnitXml
from prometheus_client.openmetrics.parser import text_string_to_metric_families

BASE = {"ns": 1e9, "%": 100}


def near(one, other):
    return abs(one - other) <= 1e-9 * max(abs(one), abs(other))


def read_openmetrics(document):
    found = {}
    seconds = 0
    for family in text_string_to_metric_families(open("openmetrics").read()):
        for sample in family.samples:
            labels = sample.labels
            if family.name.startswith("fathom_second_"):
                assert sample.timestamp is not None
                seconds += family.name == "fathom_second_iops"
            elif "job" in labels:
                assert sample.timestamp is None
                found.setdefault((labels["job"], labels["direction"]), {})[family.name] = sample.value
    assert seconds == len(document["series"])
    for figure in document["figures"]:
        of_job = found[(figure["job"], figure["direction"])]
        begin = "fathom_" + re.sub("[^a-z0-9]", "_", figure["metric"])
        names = [n for n in of_job if n in [begin + end for end in ["", "_seconds", "_bytes", "_bytes_per_second", "_ratio"]]]
        wanted = figure["value"] / BASE.get(figure["unit"], 1)
        assert any(near(of_job[name], wanted) for name in names), (figure, names)


def read_influx(document):
    field = re.compile(r"(?:[^,\\ ]|\\.)+")
    points = {}
    seconds = 0
    for line in open("influx").read().splitlines():
        tags, fields, at = re.split(r"(?<!\\) ", line)
        assert int(at) > 1e18
        tags = dict(tag.split("=", 1) for tag in field.findall(tags)[1:])
        fields = dict(one.split("=", 1) for one in field.findall(fields))
        if line.startswith("fathom_second"):
            seconds += 1
        else:
            points[(tags["job"], tags["direction"])] = fields
    assert seconds == len(document["series"])
    plain = {(re.sub(r"\\(.)", r"\1", job), direction): fields for (job, direction), fields in points.items()}
    for figure in document["figures"]:
        if figure["metric"] == "iops":
            job = figure["job"][:-1] + "/" if figure["job"].endswith("\\") else figure["job"]
            assert near(float(plain[(job, figure["direction"])]["iops"]), figure["value"])


def read_junit(document, name):
    suites = JUnitXml.fromfile("junit")
    cases = [case for suite in suites for case in suite]
    assert [case.name for case in cases] == [name, "mix", "trust"], cases
    # A simulated drive is no disk.
    assert [len(case.result) for case in cases] == [0, 0, 1]
    assert (suites.tests, suites.failures, suites.errors) == (3, 1, 0)
    lines = ElementTree.parse("junit").find(".//testcase/system-out").text.splitlines()
    assert len(lines) == sum(figure["job"] == name for figure in document["figures"])


def read_markdown(document, name):
    page = markdown.markdown(open("markdown").read(), extensions=["tables"])
    rows = re.findall("<tr>(.*?)</tr>", page, re.S)
    cells = [[re.sub("<[^>]*>", "", cell) for cell in re.findall("<t[hd].*?>(.*?)</t[hd]>", row, re.S)] for row in rows]
    assert len(cells) == 4, cells
    assert all(len(row) == len(cells[0]) for row in cells)
    iops = [figure["value"] for figure in document["figures"] if figure["metric"] == "iops"]
    shown = [float(row[1].replace(",", "")) for row in cells[1:]]
    assert all(abs(one - other) <= 0.005 * other for one, other in zip(shown, iops)), (shown, iops)


def main():
    document = json.load(open("document"))
    name = sys.argv[1]
    read_openmetrics(document)
    read_influx(document)
    read_junit(document, name)
    read_markdown(document, name)


main()
