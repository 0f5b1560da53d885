"""Build the notebooks: solutions/NN_name.py -> autograder/source/ -> notebooks/.

    python -m autograder.build [NOTEBOOK ...]          build; refuses to overwrite a learner's work
    python -m autograder.build --check [NOTEBOOK ...]  build elsewhere, compare with notebooks/
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from autograder import verify
from autograder.course import BuildError, Course, this_course
from autograder.release import refuse_edited, released, replace_released


def say(line: str) -> None:
    print(line, flush=True)


def build(course: Course, names: Sequence[str], force: bool = False) -> list[str]:
    """Build and release `names`; returns those whose learners' notebook changed."""
    if not force:
        refuse_edited(course, names)
    scratch = course.root / "autograder"
    scratch.mkdir(exist_ok=True)
    with released(course, names, beside=scratch) as built:
        return replace_released(course, built, names)


def check(course: Course, names: Sequence[str], all_topics: bool = False) -> list[str]:
    """Problems of what is committed, one line each; writes nothing into the course."""
    whole = set(names) == set(course.notebooks)
    problems = verify.check_strays(course) if whole else []
    with released(course, names) as built:
        for name in names:
            found = verify.check_student(course, built, name)
            found += verify.check_executed(course, built, name)
            say(f"{name}: {'differs' if found else 'as built from the text'}")
            problems += found
        if whole:
            line, left = verify.coverage(built, names)
            say(line)
            if left and all_topics:
                problems.append(f"no notebook teaches topics {verify.ranges(left)}")
    return problems


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="autograder.build", description="Build the notebooks.")
    parser.add_argument("notebook", nargs="*", help="names or paths; all when none is given")
    parser.add_argument("--check", action="store_true", help="compare with what is committed")
    parser.add_argument("--all-topics", action="store_true", help="--check fails on open topics")
    parser.add_argument("--force", action="store_true", help="overwrite edited notebooks too")
    options = parser.parse_args(arguments)
    try:
        course = this_course()
        names = course.choose(options.notebook)
        if options.check:
            problems = check(course, names, options.all_topics)
            say("\n".join(problems) if problems else "committed notebooks are up to date")
            return 1 if problems else 0
        changed = build(course, names, options.force)
        for name in names:
            state = "built" if name in changed else "unchanged"
            say(f"notebooks/{name}/{name}.ipynb: {state}")
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
