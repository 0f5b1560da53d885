"""nbgrader's settings.  Loaded by ../nbgrader_config.py, so `nbgrader ...` works from the root."""

import os
import warnings

# nbgrader 0.9.6 builds its rows in an order that SQLAlchemy 2 remarks upon, harmlessly.
warnings.filterwarnings("ignore", "Object of type <Submitted")

HERE = os.path.dirname(os.path.abspath(__file__))

c = get_config()

# One notebook is one assignment.  Everything that holds a name or a mark lies under autograder/
# and is git-ignored; source is built from solutions/, notebooks is what learners get.
c.CourseDirectory.course_id = "gpu-course"
c.CourseDirectory.root = os.path.dirname(HERE)
c.CourseDirectory.source_directory = "autograder/source"
c.CourseDirectory.release_directory = "notebooks"
c.CourseDirectory.submitted_directory = "autograder/submitted"
c.CourseDirectory.autograded_directory = "autograder/autograded"
c.CourseDirectory.feedback_directory = "autograder/feedback"
c.CourseDirectory.solution_directory = "autograder/solution"
c.CourseDirectory.source_with_tests_directory = "autograder/source_with_tests"
# A second process that grades waits for the database instead of failing after five seconds.
c.CourseDirectory.db_url = "sqlite:///" + os.path.join(HERE, "gradebook.db") + "?timeout=60"
# "*.py": a file beside a source notebook would be copied to learners, and a learner's own
# numpy.py would be imported while grading.
c.CourseDirectory.ignore = [".ipynb_checkpoints", "*.pyc", "__pycache__", "feedback", "*.py"]

# What the learner finds in place of a solution.  `raise` would not compile inside @triton.jit.
c.ClearSolutions.code_stub = {"python": "..."}
c.ClearSolutions.begin_solution_delimeter = "### BEGIN SOLUTION"
c.ClearSolutions.end_solution_delimeter = "### END SOLUTION"

# Grading is stock nbgrader: the learner's kernel runs check(), whose result is the points.  A
# trusted examiner outside that kernel takes its place here (c.Autograde.autograde_preprocessors);
# until then, grade only people you trust.
c.Execute.timeout = 600             # seconds a cell: the first compile of a kernel is slow
# Without this every kernel says on the terminal that it listens on localhost.
c.Execute.extra_arguments = ["--HistoryManager.hist_file=:memory:", "--log-level=ERROR"]
# check() writes nothing to stderr.  Should torch, Triton or Python warn in a graded cell all the
# same, nbgrader would give it 0 points: this is the second net.
c.IgnorePattern.enabled = True
c.IgnorePattern.pattern = r"(?i)warning|warn\(|\[W\d"

# Learners' HTML and JavaScript would run in the grader's browser session.
c.HTMLExporter.sanitize_html = True
c.HTMLExporter.filters = {
    "clean_html": "autograder.sanitize.clean_html",
    "strip_files_prefix": "autograder.sanitize.clean_markdown",
}

# `nbgrader zip_collect`: autograder/downloaded/<assignment>/archive/<student>__<time>__<name>.ipynb
c.ZipCollectApp.downloaded_directory = "autograder/downloaded"
c.FileNameCollectorPlugin.named_regexp = (
    r".*/(?P<student_id>[A-Za-z0-9.@_-]+?)__(?P<timestamp>[0-9T:-]+)__(?P<file_id>[^/]+)"
)
