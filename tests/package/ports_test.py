"""usage: python3 ports_test.py SOURCE-DIR

The port of vcpkg and the recipe of Conan name again what CMake says: the project's options, and the packages
that it looks for. Where they differ, a user's build stops, or takes a part of the system by chance.
"""
import ast
import json
import re
import sys
from pathlib import Path

ROOT = Path(sys.argv[1])
# The folders whose packages an option of the ports brings. All other folders of the library: "".
OPTION_OF = {"backends/redis": "redis", "backends/sqlite": "sqlite", "simulator": "simulator", "render": "simulator",
             "catalogue": "simulator", "flawed": "simulator"}
FOLDERS = ["core", "client", "adapters/asio", "backends/posix", "backends/memory", *OPTION_OF]
# The options that a port leaves to CMake.
OF_THE_BUILD = {"INSTALL", "WERROR"}


def one_name(package):
    return package.lower().replace("_", "-")


def packages_of_cmake():
    """The packages that CMake looks for, by option. Threads come with the compiler."""
    found = {"": set(), "redis": set(), "sqlite": set(), "simulator": set()}
    for folder in FOLDERS:
        text = (ROOT / folder / "CMakeLists.txt").read_text()
        names = re.findall(r"find_package\((\S+)", text)
        for line in re.findall(r"PACKAGES ([^\n)]*)", text):
            names += line.split()
        found[OPTION_OF.get(folder, "")] |= {one_name(name) for name in names} - {"threads"}
    return found


def packages_of_vcpkg(port):
    def names(dependencies):
        return {one_name(each) for each in dependencies if isinstance(each, str)}

    return {"": names(port["dependencies"])} | {
        feature: names(what["dependencies"]) for feature, what in port["features"].items()}


def packages_of_conan(recipe):
    """What `requirements` says: `self.requires("NAME/VERSION")`, alone or under `if self.options.NAME`."""
    def required(statement):
        return {one_name(node.args[0].value.split("/")[0]) for node in ast.walk(statement)
                if isinstance(node, ast.Call) and node.func.attr == "requires"}

    body = next(node for node in ast.walk(recipe)
                if isinstance(node, ast.FunctionDef) and node.name == "requirements").body
    found = {"": set()}
    for statement in body:
        option = statement.test.attr if isinstance(statement, ast.If) else ""
        found.setdefault(option, set()).update(required(statement))
    return found


def options_of_cmake():
    text = "".join((ROOT / "cmake" / name).read_text()
                   for name in ("interlock_options.cmake", "interlock_static_program.cmake"))
    return set(re.findall(r"option\(INTERLOCK_(\w+)", text)) - OF_THE_BUILD


def options_of_conan(recipe):
    return {word.value.upper() for node in ast.walk(recipe)
            if isinstance(node, ast.For) and node.target.id == "part" for word in node.iter.elts}


def main():
    port = json.loads((ROOT / "packaging/vcpkg/interlock/vcpkg.json").read_text())
    portfile = (ROOT / "packaging/vcpkg/interlock/portfile.cmake").read_text()
    recipe = ast.parse((ROOT / "packaging/conan/conanfile.py").read_text())
    packages, options = packages_of_cmake(), options_of_cmake()
    wrong = [f"{name}: {theirs}\n   CMake: {ours}" for name, theirs, ours in (
        ("packages of vcpkg", packages_of_vcpkg(port), packages),
        ("packages of conan", packages_of_conan(recipe), packages),
        ("options of vcpkg", set(re.findall(r"INTERLOCK_(\w+)", portfile)), options),
        ("options of conan", options_of_conan(recipe), options)) if theirs != ours]
    if not all(packages.values()) or not options:
        wrong.append(f"nothing was found in CMake's files: {packages} {options}")
    for each in wrong:
        print(f"FAILED: {each}")
    return 1 if wrong else 0


sys.exit(main())
