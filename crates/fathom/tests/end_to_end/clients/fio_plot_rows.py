"""What fio-plot reads of a directory of bench-fio, by its own modules: fio_plot_rows.py DIRECTORY PATTERN"""

import json
import sys

from fio_plot.fiolib import jsonimport, jsonparsing

settings = {
    "input_directory": [sys.argv[1]],
    "rw": sys.argv[2],
    "iodepth": [1, 4],
    "numjobs": [1, 2],
    "filter": ["read"],
    "compare_graph": False,
}
dataset = jsonimport.import_json_dataset(settings, jsonimport.list_json_files(settings))
rows = jsonparsing.parse_json_data(settings, dataset)[0]["data"]
keys = ["iodepth", "numjobs", "rw", "bs", "iops", "bw", "lat", "iops_stddev", "lat_stddev", "cpu_sys", "cpu_usr"]
print(json.dumps([{key: row[key] for key in keys} for row in rows]))
