# tocuda, Apache-2.0.
"""Unpacks the development packages of the machine's distribution into one prefix, which TOCUDA_PACKAGES names there.

The prefix holds headers, CMake package files and the libraries, which the built programs find by their path. The
packages of this machine are not touched."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from campaigning.child import output_of
from campaigning.outcome import Problem

PACKAGES = (
    "libfmt-dev",
    "nlohmann-json3-dev",
    "libsimdjson-dev",
    "libcli11-dev",
    "libexpected-dev",
    "libssl-dev",
    "libgtest-dev",
    "libbenchmark-dev",
)
SUITES = {"ubuntu-24.04": ("noble", "ubuntu", "main universe"), "debian-12": ("bookworm", "debian", "main")}
KEEP_OF_SHARE = ("cmake",)
TRIPLET = "x86_64-linux-gnu"
# Nothing links with these; the shared libcrypto is used.
TOO_LARGE = ("libcrypto.a", "libssl.a", "libssl.so*", "ossl-modules", "engines-3")


def this_system():
    facts = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if "=" in line)
    return f"{facts.get('ID', '')}-{facts.get('VERSION_ID', '')}".replace('"', "")


def default_mirror(system):
    """The mirror from which debootstrap would install that system."""
    debian = SUITES[system][1] == "debian"
    place = Path("/usr/sbin/debootstrap" if debian else "/usr/share/debootstrap/scripts/gutsy")
    text = place.read_text() if place.is_file() else ""
    urls = re.findall(r"(?:default_mirror |DEF_MIRROR=\"?)(http[^\s\"]+)", text)
    found = [url for url in urls if "old" not in url and "ports" not in url]
    if not found:
        raise Problem(
            f"packages of {system}: this is a different system, and no debootstrap is installed that knows their "
            "mirror: name it with --mirror URL"
        )
    return found[0]


class Apt:
    """apt with its own lists, status and archives."""

    def __init__(self, system, mirror, state):
        self.system, self.state = system, state
        for folder in ("lists/partial", "archives/partial", "parts"):
            (state / folder).mkdir(parents=True)
        (state / "status").touch()
        own = not mirror and this_system() == system
        places = f'Dir::Etc::SourceList "{state}/sources.list";\nDir::Etc::SourceParts "{state}/parts";\n'
        sources = "" if own else places
        if not own:
            self.write_sources(mirror or default_mirror(system))
        (state / "apt.conf").write_text(
            f'Dir::State::Lists "{state}/lists/";\nDir::State::status "{state}/status";\nDir::Cache "{state}/";\n'
            f'Dir::Cache::Archives "{state}/archives/";\n{sources}'
            'APT::Architecture "amd64";\nAPT::Architectures "amd64";\n'
            'APT::Sandbox::User "root";\nAcquire::Languages "none";\nDebug::NoLocking "true";\n'
            "#clear APT::Update::Post-Invoke;\n#clear APT::Update::Post-Invoke-Success;\n"
            "#clear APT::Update::Pre-Invoke;\n"
        )
        self.do("apt-get", "-o", "APT::Update::Error-Mode=any", "update")

    def write_sources(self, mirror):
        suite, distribution, components = SUITES[self.system]
        keys = Path(f"/usr/share/keyrings/{distribution}-archive-keyring.gpg")
        trust = f"signed-by={keys}" if keys.is_file() else "trusted=yes"
        if not keys.is_file():
            print(
                f"packages of {self.system}: {keys} is missing, so signatures are not checked "
                f"(install {distribution}-keyring)"
            )
        lines = [f"deb [{trust} arch=amd64] {mirror} {name} {components}\n" for name in (suite, f"{suite}-updates")]
        (self.state / "sources.list").write_text("".join(lines))

    def do(self, *words, **how):
        done = output_of(words[0], "-c", self.state / "apt.conf", *words[1:], **how)
        if done.returncode != 0:
            lines = done.stderr.splitlines() or ["no output"]
            error = next((line for line in lines if line.startswith("E:")), lines[0])
            raise Problem(f"packages of {self.system}: {' '.join(words)}: {error}")
        return done.stdout

    def with_libraries(self, names, like):
        """The packages and those of their direct dependencies whose names start with `like`: the libraries that belong
        to the headers."""
        found, open_ones = [], list(names)
        while open_ones:
            name = open_ones.pop(0)
            if name not in found:
                found.append(name)
                said = self.do("apt-cache", "depends", name)
                depends = re.findall(r"^ *\|?Depends: ([a-z][^\s<>]*)$", said, re.MULTILINE)
                open_ones += [needed for needed in depends if needed.startswith(like)]
        return found

    def unpack(self, names, into):
        archives = self.state / "downloaded"
        shutil.rmtree(archives, ignore_errors=True)
        archives.mkdir()
        self.do("apt-get", "download", *names, cwd=archives)
        for archive in sorted(archives.glob("*.deb")):
            subprocess.run(["dpkg", "-x", archive, into], check=True)
        return sorted(archive.name.rsplit("_", 1)[0] for archive in archives.glob("*.deb"))


def fetch(apt, into, repository):
    """Fills the prefix, small enough to be carried. Returns which packages are in it."""
    names = apt.with_libraries(PACKAGES, ("libfmt", "libsimdjson", "libssl", "libbenchmark"))
    versions = apt.unpack(names, into)
    slim(into)
    look_at(into, repository)
    return versions


def look_at(prefix, repository):
    """Looks for the libraries as set-up will, in this prefix only, so that a missing one is found before the machine is
    used."""
    cmake = shutil.which("cmake")
    if not cmake:
        print("packages not checked: cmake not found")
        return
    with tempfile.TemporaryDirectory() as scratch:
        words = ["-S", repository / "scripts/set_up/probe", "-B", scratch, f"-DCMAKE_FIND_ROOT_PATH={prefix}"]
        words += ["-G", "Ninja"] if shutil.which("ninja") else []
        words += [f"-DCMAKE_FIND_ROOT_PATH_MODE_{kind}=ONLY" for kind in ("PACKAGE", "LIBRARY", "INCLUDE")]
        done = output_of(cmake, *words)
    missing = re.findall(r"missing library: (\S+)", done.stdout)
    if done.returncode != 0 or missing:
        what = ", ".join(missing) or done.stderr.strip()[-300:]
        raise Problem(f"CMake does not find these libraries in the packages: {what}")


def slim(root):
    usr = root / "usr"
    join(root / "lib", usr / "lib")
    join(usr / "include" / TRIPLET, usr / "include")
    for folder in [*root.iterdir(), *usr.iterdir()]:
        if folder not in (usr, usr / "include", usr / "lib", usr / "share"):
            shutil.rmtree(folder)
    for folder in (usr / "share").iterdir() if (usr / "share").is_dir() else ():
        if folder.name not in KEEP_OF_SHARE:
            shutil.rmtree(folder)
    for pattern in TOO_LARGE:
        for found in sorted((usr / "lib").rglob(pattern)):
            shutil.rmtree(found) if found.is_dir() else found.unlink()


def join(source, target):
    """Merges headers that the distribution keeps apart by architecture, and libraries of an unmerged /lib."""
    if source.is_dir() and not source.is_symlink():
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)
        shutil.rmtree(source)


def boost_program_options(apt, scratch, into):
    """Copies the static library, and of Boost's thousands of headers only those that it needs."""
    names = apt.with_libraries(["libboost-program-options-dev"], "libboost")
    apt.unpack(names, scratch)
    probe = scratch / "probe.cpp"
    probe.write_text("#include <boost/program_options.hpp>\n")
    done = output_of(os.environ.get("CXX", "c++"), "-std=c++17", "-M", "-I", scratch / "usr/include", probe)
    words = done.stdout.replace("\\\n", " ").split()
    headers = [Path(word) for word in words if "/usr/include/boost/" in word and word.startswith(str(scratch))]
    if done.returncode != 0 or not headers:
        raise Problem(f"Boost's headers: {done.stderr.strip()[:200] or 'none found'}")
    for header in headers:
        target = into / "include" / header.relative_to(scratch / "usr/include")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(header, target)
    library = next(scratch.rglob("libboost_program_options.a"))
    (into / "lib").mkdir(parents=True, exist_ok=True)
    shutil.copyfile(library, into / "lib" / library.name)
