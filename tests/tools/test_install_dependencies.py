#!/usr/bin/env python3
# test_install_dependencies.py - the installer asks apt-get for what is missing, and only then.
#
# The system's tools are replaced by small programs in a folder that is the whole PATH.
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "tools" / "install_dependencies.sh"
REAL = ["bash", "cat", "rm", "mktemp", "env"]


def run(argument, installed, user=0, sudo=False, apt_succeeds=True):
    """Result and list of apt-get calls on a machine that has only these packages."""
    with tempfile.TemporaryDirectory() as folder:
        bin_folder = pathlib.Path(folder)
        calls = bin_folder / "calls"
        calls.touch()

        def program(name, text):
            path = bin_folder / name
            path.write_text("#!/usr/bin/env bash\n" + text)
            path.chmod(0o755)

        for name in REAL:
            (bin_folder / name).symlink_to(shutil.which(name))
        cases = "|".join(installed) or "none"
        program("dpkg-query", f'case "${{@: -1}}" in {cases}) echo -n installed ;; esac')
        program("id", f"echo {user}")
        ending = "" if apt_succeeds else "echo broken; exit 1"
        program("apt-get", f'echo "$*" >>{calls}\n{ending}')
        if sudo:
            program("sudo", f'echo -n "sudo " >>{calls}\n"$@"')
        result = subprocess.run(
            [bin_folder / "bash", SCRIPT, *argument],
            env={"PATH": folder},
            capture_output=True,
            text=True,
            check=False,
        )
        return result, calls.read_text().splitlines()


BUILD = (
    "gcc libc6-dev make cmake ninja-build pkg-config libsuitesparse-dev libhdf5-dev zlib1g-dev"
    " libzstd-dev libmicrohttpd-dev libpng-dev nodejs npm"
).split()


class InstallDependencies(unittest.TestCase):
    def test_nothing_missing_is_silent_and_calls_nothing(self):
        result, calls = run(["build"], BUILD, user=1000)
        self.assertEqual((result.returncode, result.stdout, result.stderr, calls), (0, "", "", []))

    def test_only_what_is_missing_is_installed(self):
        result, calls = run(["build"], [name for name in BUILD if name != "ninja-build"])
        self.assertEqual(result.returncode, 0)
        self.assertEqual(calls[0], "update")
        self.assertEqual(calls[1], "install --yes --no-install-recommends ninja-build")

    def test_the_test_set_contains_more_than_the_build_set(self):
        _, calls = run(["test"], BUILD)
        self.assertIn(" check", calls[1])
        self.assertIn(" clang-format", calls[1])

    def test_sudo_is_used_when_there_is_one(self):
        result, calls = run(["build"], [], user=1000, sudo=True)
        self.assertEqual(result.returncode, 0)
        self.assertTrue(all(call.startswith("sudo ") for call in calls), calls)

    def test_neither_root_nor_sudo_is_said_in_a_sentence(self):
        result, calls = run(["build"], [], user=1000)
        self.assertEqual((result.returncode, calls), (1, []))
        self.assertIn("only root can install them: gcc", result.stderr)

    def test_a_failing_apt_get_is_shown(self):
        result, _ = run(["build"], [], apt_succeeds=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("broken", result.stderr)

    def test_a_wrong_set_is_a_usage_error(self):
        for argument in [[], ["everything"]]:
            result, calls = run(argument, [])
            self.assertEqual((result.returncode, calls), (2, []))


if __name__ == "__main__":
    unittest.main()
