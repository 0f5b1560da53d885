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

# nbgrader keeps the books; it runs nobody's code.  A report in autograder/reports is booked if it
# is on the very file that was handed in, else the examiner is called first.  Nothing of this can
# be left out: nbgrader's own lists end a batch over one copied cell (DeduplicateIds) and believe
# what a learner's process prints (Execute).
c.Autograde.exporter_class = "autograder.preprocessors.Reader"
c.Autograde.pre_convert_hook = "autograder.preprocessors.right_name"
c.Autograde.sanitize_preprocessors = [
    "nbgrader.preprocessors.OverwriteCells",        # the gradebook has the last word on points
    "nbgrader.preprocessors.CheckCellMetadata",
]
c.Autograde.autograde_preprocessors = [
    "autograder.preprocessors.Verdict",
    "nbgrader.preprocessors.SaveAutoGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]
# For `nbgrader validate`, which runs a notebook: the first compile of a kernel is slow.
c.Execute.timeout = 600             # seconds a cell
# Examine strangers only in a sandbox: without one, grading then stops and says so.
# c.Verdict.require_sandbox = True

# Learners' HTML and JavaScript would run in the grader's browser session.
c.HTMLExporter.sanitize_html = True
c.HTMLExporter.filters = {
    "clean_html": "autograder.sanitize.clean_html",
    "strip_files_prefix": "autograder.sanitize.clean_markdown",
}

# `nbgrader zip_collect`: autograder/downloaded/<assignment>/archive/<student>__<time>__<name>.ipynb
c.ZipCollectApp.downloaded_directory = "autograder/downloaded"
c.FileNameCollectorPlugin.named_regexp = (
    r".*/(?P<student_id>[^/\[\]*?]+?)__(?P<timestamp>[0-9T:-]+)__(?P<file_id>[^/]+)"
)
