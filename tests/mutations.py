"""Change the sources in small ways, one at a time, and count how many of the changes the tests notice.

    python tests/mutations.py --changes 150 --files 30 --random-state 0 --workers 2

All of it happens in copies of a checkout, in a temporary folder. The chosen tests run once, to learn which of them run
which lines; then every change is met by those that run its line. What survives is listed at the end. Another checkout,
named by ``--root``, is measured with the Python of its own environment. pytest loads this file as a plugin, too.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any

PACKAGE, PLUGIN = "src/wassergraph", "mutations_plugin"
#: Modules that are not changed: what only passes names on, and what needs PyTorch, whose import takes seconds.
LEFT_OUT = ("__init__.py", "__main__.py", "pyg.py")
#: Tests that do not run: those of PyTorch, those with a browser, and those of texts, wherever a checkout has them.
UNUSED = "pyg explorer_page api architecture docstrings documents errors example_notebook front_door measured notebook "
UNUSED += "optional project site"
TESTS = f"-m 'not slow and not data' --hypothesis-profile=fast --ignore={PACKAGE}/formats/pyg.py"
#: Operators, how they are written, and what they become.
OPERATORS = """Lt:<:<= LtE:<=:< Gt:>:>= GtE:>=:> Eq:==:!= NotEq:!=:== In:in:not_in NotIn:not_in:in Is:is:is_not
    IsNot:is_not:is And:and:or Or:or:and Add:+:- Sub:-:+ Mult:*:/ Div:/:* FloorDiv://:* Mod:%:* Pow:**:*"""
BECOMES = {name: (old, new) for name, old, new in (each.split(":") for each in OPERATORS.split())}
#: What the kinds of changes are drawn with, relative to others.
WEIGHTS = {"return None": 0.1}
#: If fewer tests run a line, the others of their files follow, since fixtures and caches are filled by one test only.
FEW = 20
#: The finder of an editable installation would find the checkout itself.
SITECUSTOMIZE = """import re, sys
sys.meta_path[:] = [x for x in sys.meta_path if not re.search("editable.*wassergraph", type(x).__module__ or "")]
"""


@dataclass(frozen=True)
class Change:
    """A change of the bytes from ``start`` to ``end``; ``first`` is the line where the statement begins."""

    file: str
    room: str
    line: int
    first: int
    in_function: bool
    kind: str
    start: int
    end: int
    text: str
    before: str
    after: str

    def apply(self, source: bytes) -> bytes:
        """Return the changed source."""
        return source[: self.start] + self.text.encode() + source[self.end :]


Edit = tuple[str, int, int, str]
Lines = dict[str, dict[int, set[str]]]
#: An exit code, or None after the time limit, the seconds of tests that did not fail, and those that failed.
Ends = tuple[int | None, dict[str, float], list[str]]


class Source:
    """The bytes of a file, and the places where they can be changed."""

    def __init__(self, file: str, content: bytes) -> None:
        self.file, self.content, self.tree = file, content, ast.parse(content)
        self.starts = [0, *(match.end() for match in re.finditer(b"\n", content))]

    def span(self, node: Any) -> tuple[int, int]:
        """Return where a node begins and ends."""
        start = self.starts[node.lineno - 1] + node.col_offset
        return start, self.starts[node.end_lineno - 1] + node.end_col_offset

    def changes(self) -> list[Change]:
        """Return the changes of all places; the same change of a place is of the kind that was found first."""
        found: dict[tuple[int, int, str], Change] = {}
        room = self.file.removeprefix(f"{PACKAGE}/").rpartition("/")[0].split("/")[0] or "."
        for node, first, in_function in walk(self.tree):
            for kind, start, end, text in [*self.operators(node), *self.others(node)]:
                line = self.content.count(b"\n", 0, start) + 1
                low, high = max(self.starts[line - 1], start - 40), self.content.find(b"\n", end)
                after = self.content[low:start] + text.encode() + self.content[end:high]
                texts = [" ".join(part.decode(errors="ignore").split()) for part in (self.content[low:high], after)]
                change = Change(self.file, room, line, first, in_function, kind, start, end, text, *texts)
                found.setdefault((start, end, text), change)
        return list(found.values())

    def operators(self, node: Any) -> Iterator[Edit]:
        """Yield the changes of operators between operands."""
        kind, operands, operators = "sign", list[ast.AST](), list[ast.AST]()
        if isinstance(node, ast.Compare):
            kind, operands, operators = "comparison", [node.left, *node.comparators], [*node.ops]
        elif isinstance(node, ast.BoolOp):
            kind, operands, operators = "boolean operator", [*node.values], [node.op] * (len(node.values) - 1)
        elif isinstance(node, ast.BinOp | ast.AugAssign):
            operands = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.target, node.value]
            operators = [node.op] * all(not isinstance(getattr(side, "value", None), str) for side in operands)
        for number, operator in enumerate(operators):
            old, new = BECOMES.get(type(operator).__name__, ("never", ""))
            begin, end = self.span(operands[number])[1], self.span(operands[number + 1])[0]
            match = re.search(re.escape(old).replace("_", r"\s+").encode(), self.content[begin:end])
            if match and b"#" not in self.content[begin:end]:
                yield kind, begin + match.start(), begin + match.end(), new.replace("_", " ")

    def others(self, node: Any) -> Iterator[Edit]:
        """Yield the changes of signs, constants, ends of slices and ranges, conditions, and what is returned."""
        match node:
            case ast.UnaryOp(op=ast.USub()):
                yield "sign", self.span(node)[0], self.span(node)[0] + 1, ""
            case ast.Constant(value=bool() | int() | float()):
                yield self.other(node, "constant")
            case ast.Slice():
                yield from map(self.other, filter(None, (node.lower, node.upper)))
            case ast.Call(func=ast.Name(id="range")):
                yield self.other(node.args[:2][-1])
            case ast.If() | ast.While() | ast.IfExp():
                yield self.other(node.test, "negated condition")
            case ast.comprehension():
                yield from map(self.other, node.ifs, ["negated condition"] * len(node.ifs))
            case ast.Return(value=ast.AST()):
                yield "return None", *self.span(node.value), "None"

    def other(self, node: ast.AST, kind: str = "off by one") -> Edit:
        """Return the change of a constant, of the end of a slice or range, or of a condition."""
        start, end = self.span(node)
        text = self.content[start:end].decode()
        new = f"(not ({text}))" if kind == "negated condition" else f"({text}) + 1"
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            larger = 2 * node.value if isinstance(node.value, float) and node.value else node.value + 1
            new = repr(not node.value if isinstance(node.value, bool) else larger)
        return kind, start, end, new


def walk(node: Any, first: int = 1, in_function: bool = False) -> Iterator[tuple[Any, int, bool]]:
    """Yield all nodes that compute something else than a type or a message, and where their statements begin."""
    is_type = isinstance(node, ast.Subscript) and ast.unparse(node.value).split(".")[-1] == "Literal"
    is_type |= isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    if is_type or isinstance(node, ast.Assert | ast.JoinedStr):
        return
    first = node.lineno if isinstance(node, ast.stmt) else first
    yield node, first, in_function
    is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and name not in ("annotation", "returns"):
                yield from walk(child, first, in_function or (is_function and name == "body"))


def pick(random: Random, source: Source, places: list[Change]) -> Change | None:
    """Draw a place, of each kind as likely, and remove it; return None if nothing is left."""
    while places:
        numbers = Counter(place.kind for place in places)
        (place,) = random.choices(places, [WEIGHTS.get(place.kind, 1.0) / numbers[place.kind] for place in places])
        places.remove(place)
        with suppress(SyntaxError):
            if ast.dump(ast.parse(place.apply(source.content))) != ast.dump(source.tree):
                return place
    return None


def draw(tree: Path, n_changes: int, n_files: int, seed: int) -> list[Change]:
    """Draw changes of so many files, by turns; others follow where these have too few places."""
    random, pools, drawn = Random(seed), list[tuple[Source, list[Change]]](), list[Change]()
    files = sorted(path for path in (tree / PACKAGE).rglob("*.py") if path.name not in LEFT_OUT)
    random.shuffle(files)
    while len(drawn) < n_changes and (files or pools):
        while files and len(pools) < n_files:
            source = Source(files[0].relative_to(tree).as_posix(), files.pop(0).read_bytes())
            pools += [(source, places)] if (places := source.changes()) else []
        drawn += filter(None, [pick(random, *pool) for pool in pools])
        pools = [pool for pool in pools if pool[1]]
    return drawn[:n_changes]


def pytest_sessionstart() -> None:
    """Let hypothesis end at the first example that fails, without a search for a smaller one."""
    from hypothesis import Phase, settings

    settings.register_profile("unshrunk", settings(), phases=[Phase.explicit, Phase.generate, Phase.target])
    settings.load_profile("unshrunk")


def pytest_runtest_logreport(report: Any) -> None:
    """Write how a part of a test ended, and how many seconds it took; parameters are no tests of their own."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        with Path(os.environ["MUTATIONS_ENDS"]).open("a", encoding="utf-8") as file:
            print(json.dumps((report.nodeid.split("[")[0], report.outcome, report.duration)), file=file)


class Copy:
    """A copy of a checkout, in a folder with everything that its processes write."""

    def __init__(self, folder: Path, tests: str) -> None:
        self.folder, self.tree, self.ends, self.closed = folder, folder / "checkout", folder / "ends", False
        self.process: subprocess.Popen[bytes] | None = None
        self.arguments = shlex.split(tests) + [f"--ignore-glob=*/test_{name}.py" for name in UNUSED.split()]
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("COV", "PYTEST", "PYTHON"))}
        paths = {"PYTHONPATH": f"{folder}{os.pathsep}{self.tree / 'src'}", "TMPDIR": str(folder / "tmp")}
        self.environment = {**kept, **paths, "MUTATIONS_ENDS": str(self.ends)}

    def fill(self, root: Path) -> None:
        """Copy the files of a checkout that git does not ignore, and the compiled core of this environment."""
        command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        for name in subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0"):
            if (root / name).is_file():
                (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / name, self.tree / name)
        core = find_spec("wassergraph._core")
        shutil.copy2(str(core and core.origin), self.tree / PACKAGE)
        (self.folder / "tmp").mkdir()
        (self.folder / "sitecustomize.py").write_text(SITECUSTOMIZE, encoding="utf-8")
        shutil.copy2(__file__, self.folder / f"{PLUGIN}.py")

    def check(self) -> None:
        """Refuse to go on if something else than the copy is imported."""
        code = "import wassergraph as a, wassergraph._core as b, wassergraph.errors as c; print([a, b, c])"
        files = subprocess.check_output([sys.executable, "-c", code], cwd=self.folder, env=self.environment, text=True)
        if files.count(str(self.tree)) != 3:
            raise SystemExit(f"what is imported is not the copy: {files}")

    def run(self, names: list[str] | None, limit: float | None, *options: str) -> Ends:
        """Run tests in their order, or all that were asked for, and end all processes that they leave."""
        arguments = [*self.arguments]
        if names is not None:
            (self.folder / "wanted").write_text("\n".join(names), encoding="utf-8")
            arguments = [part for part in arguments if not (self.tree / part.split("::")[0]).exists()]
            arguments += ["tests/conftest.py", f"@{self.folder / 'wanted'}"]
        arguments += ["-q", "-p", "no:cacheprovider", "-p", PLUGIN, f"--basetemp={self.folder / 'tmp' / 'tests'}"]
        command, code = [sys.executable, "-m", "pytest", *arguments, *options], None
        self.ends.write_text("", encoding="utf-8")
        with (self.folder / "log").open("wb") as log, suppress(subprocess.TimeoutExpired):
            given: dict[str, Any] = {"env": self.environment, "stdout": log, "stderr": log}
            self.process = process = subprocess.Popen(command, cwd=self.tree, start_new_session=True, **given)
            try:
                code = process.wait(0 if self.closed else limit)
            finally:
                self.end()
        seconds, failed = defaultdict[str, float](float), dict[str, str]()
        for name, outcome, duration in map(json.loads, self.ends.read_text(encoding="utf-8").splitlines()):
            seconds[name] += duration
            failed |= {name: outcome} if outcome == "failed" else {}
        return code, {name: duration for name, duration in seconds.items() if name not in failed}, [*failed]

    def end(self) -> None:
        """End all processes of the tests that run."""
        process, self.process = self.process, None
        if process:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def meet(self, number: int, change: Change, names: list[str], limit: float) -> dict[str, Any]:
        """Return what becomes of a change, and the first test that notices it."""
        path, begin = self.tree / change.file, time.monotonic()
        source, state = path.read_bytes(), path.stat()
        path.write_bytes(change.apply(source))
        os.utime(path, (number, number))  # another time than that of any compiled file
        try:
            code, _, failed = self.run(names, limit, "-x") if names else (0, {}, [])
        finally:
            path.write_bytes(source)
            os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
        outcome = "hang" if code is None else "survived" if code in (0, 5) else "noticed"
        result = {"number": number, "outcome": outcome, "tests": len(names), **asdict(change)}
        return {**result, "seconds": round(time.monotonic() - begin, 1), "test": next(iter(failed), None)}


def choose(change: Change, lines: dict[int, set[str]], seconds: dict[str, float], most: int, limit: float) -> list[str]:
    """Return the tests that may notice a change: those that run its line, and others that may; quick ones first."""
    then, statement = set[str](), range(change.first, change.line)
    first = lines.get(change.line) or set[str]().union(*(lines.get(line, ()) for line in statement))
    if lines and (not change.in_function or first == {""}):
        first = set().union(*lines.values())
        room, name = f"tests/{change.room}/", f"test_{Path(change.file).stem}."
        then = {test for test in seconds if test.startswith(room)} or {test for test in seconds if name in test}
    elif len(first) < FEW:
        files = {test.split("::")[0] for test in first}
        then = {test for test in seconds if test.split("::")[0] in files}
    order = sorted({*first, *then} - {""}, key=lambda test: (test not in first, seconds[test], test))[:most]
    ends = accumulate(seconds[test] for test in order)
    return [test for test, end in zip(order, ends, strict=True) if end <= limit / 3] or order[:1]


def learn(copy: Copy, parallel: list[str]) -> tuple[Lines, dict[str, float]]:
    """Run all tests, and return those that run each line, and seconds; other processes and imports are the test ""."""
    from coverage import CoverageData

    data, settings = CoverageData(str(copy.folder / "coverage")), copy.folder / "settings"
    given = {"source": copy.tree / PACKAGE, "data_file": copy.folder / "coverage", "patch": "subprocess"}
    settings.write_text("[run]\n" + "".join(f"{name} = {value}\n" for name, value in given.items()), encoding="utf-8")
    options = ["--cov", f"--cov-config={settings}", "--cov-context=test", "--cov-report="]
    _, seconds, failed = copy.run(None, None, *options, "--continue-on-collection-errors", *parallel)
    print(f"{len(seconds)} tests pass; {len(failed)} fail, and are left out:", *failed, flush=True)
    data.read()
    if not seconds or not data:
        raise SystemExit(f"no test runs a line of the copy:\n{(copy.folder / 'log').read_text()[-2000:]}")
    lines, known = Lines(), {"", *seconds}
    for file in data.measured_files():
        items = data.contexts_by_lineno(file).items()
        found = {line: {re.split(r"[|\[]", name)[0] for name in names} for line, names in items}
        lines[Path(file).relative_to(copy.tree).as_posix()] = {line: tests & known for line, tests in found.items()}
    return lines, seconds


def measure(options: argparse.Namespace, folder: Path) -> Generator[dict[str, Any]]:
    """Yield the results of the changes."""
    copies = [Copy(folder / str(number), options.tests) for number in range(options.workers)]
    for copy in copies:
        copy.fill(options.root) if copy is copies[0] else shutil.copytree(copies[0].folder, copy.folder)
        copy.check()
    free, changes = [*copies], draw(copies[0].tree, options.changes, options.files, options.random_state)
    parallel = ["-n", str(options.workers)] if options.workers > 1 else []
    lines, seconds = learn(copies[0], parallel)
    plans = [choose(each, lines.get(each.file, {}), seconds, options.most, options.seconds) for each in changes]
    _, steady, failed = copies[0].run(sorted(set().union(*plans)), None, *parallel)
    print(f"without a change, {len(steady)} of the chosen tests pass; not these:", *failed, flush=True)
    plans = [[name for name in names if name in steady] for names in plans]

    def meet(number: int) -> dict[str, Any]:
        copy = free.pop()
        try:
            return copy.meet(number + 1, changes[number], plans[number], options.seconds)
        finally:
            free.append(copy)

    with ThreadPoolExecutor(len(copies)) as pool:
        try:
            for done in as_completed([pool.submit(meet, number) for number in range(len(changes))]):
                yield done.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for copy in copies:
                copy.closed = True
                copy.end()


def line_of(result: dict[str, Any]) -> str:
    """Return what is printed of a result."""
    texts = (result[name][:90] for name in ("before", "after"))
    place, how = f"{result['file']}:{result['line']}", f"{result['outcome']:<8} {result['seconds']:>5.1f} s"
    return f"{result['number']:>4} {how} {result['tests']:>3} tests  {place}  {result['kind']}: {' -> '.join(texts)}"


def report(results: list[dict[str, Any]]) -> None:
    """Print how many changes were noticed, and which were not."""
    survivors = sorted((each for each in results if each["outcome"] == "survived"), key=lambda each: each["number"])
    print("\nsurvivors:", *map(line_of, survivors), sep="\n")
    for name in ("kind", "room"):
        of, missed = (Counter(each[name] for each in some) for some in (results, survivors))
        print(f"\nnoticed by {name}:", *(f"{of[x] - missed[x]:>4} of {of[x]:>3} {x}" for x in sorted(of)), sep="\n")
    hangs = sum(each["outcome"] == "hang" for each in results)
    print(f"\n{len(results) - len(survivors)} of {len(results)} changes noticed, {hangs} of them as hangs")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    numbers = {"changes": (150, "how many changes"), "files": (30, "of how many modules, at least")}
    numbers |= {"random-state": (0, "the seed of the sample"), "workers": (1, "how many copies work at the same time")}
    numbers |= {"most": (200, "the most tests that meet a change"), "seconds": (120, "the time limit of a change")}
    for name, (default, text) in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default, metavar="N", help=f"{text} (default: {default})")
    parser.add_argument("--tests", default=TESTS, help=f"arguments of pytest (default: {TESTS})".replace("%", "%%"))
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[1], metavar="DIR", help="the checkout")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write all results")
    options, results = parser.parse_args(), list[dict[str, Any]]()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    temporary = tempfile.TemporaryDirectory(prefix="wassergraph-mutations-")
    with temporary as folder, closing(measure(options, Path(folder).resolve())) as measured:
        for result in measured:
            print(line_of(result), flush=True)
            results.append(result)
    report(results)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
