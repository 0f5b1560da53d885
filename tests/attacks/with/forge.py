"""Parts of a plan (record.py), written by hand."""

import helpers.grading.rehearse  # noqa: F401


def view(name, request, **changed):
    about = next(a["tensor"] for a in request["arguments"] if a["name"] == name)
    return {"memory": name, "offset": 0, "dtype": about["dtype"], "shape": about["shape"],
            "stride": about["stride"], **changed}


def kernel(source, **changed):
    name = source.partition("(")[0].split()[-1]
    return {"name": name, "source": source, "line": 1, "constexpr": False, "options": {},
            "names": {"tl": {"language": "triton.language"}}, **changed}


def launch(arguments, number=0, grid=(1,), **options):
    return {"launch": number, "grid": list(grid), "arguments": arguments, "options": options}
