"""The library of interlock for Conan 2 and CMake, from the checkout that this file lies in."""
import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

ROOT = os.path.join("..", "..")


class InterlockConan(ConanFile):
    name = "interlock"
    description = "Locks across processes and machines, and the proof of what they promise"
    license = "MIT"
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "fPIC": [True, False],
               "redis": [True, False], "sqlite": [True, False], "simulator": [True, False]}
    default_options = {"shared": False, "fPIC": True, "redis": True, "sqlite": True, "simulator": False}
    implements = ["auto_shared_fpic"]

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, ROOT, "CMakeLists.txt"))
        self.version = re.search(r"\sVERSION ([0-9.]+)", text).group(1)

    def export_sources(self):
        root = os.path.join(self.recipe_folder, ROOT)
        for folder in ("core", "backends", "client", "adapters", "flawed", "simulator", "render", "catalogue", "lab",
                       "cmake", "packaging/deb"):
            # The page of the lab is not part of the library, and has node_modules where it was built.
            copy(self, f"{folder}/*", root, self.export_sources_folder, excludes="lab/page/*")
        for file in ("CMakeLists.txt", "LICENSE"):
            copy(self, file, root, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("interlock needs Linux")
        check_min_cppstd(self, 20)

    def requirements(self):
        self.requires("tl-expected/1.1.0", transitive_headers=True)
        if self.options.redis:
            self.requires("hiredis/1.2.0")
            self.requires("openssl/[>=3 <4]")
        if self.options.sqlite:
            self.requires("sqlite3/[>=3.40 <4]")
        if self.options.simulator:
            self.requires("nlohmann_json/3.11.3")

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for part in ("redis", "sqlite", "simulator"):
            toolchain.variables[f"INTERLOCK_{part.upper()}"] = bool(self.options.get_safe(part))
        for part in ("CLI", "HARNESS", "STATIC", "TESTS", "BENCHMARKS", "EXAMPLES"):
            toolchain.variables[f"INTERLOCK_{part}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        # The package that CMake has installed names its own targets and what they need.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "interlock")]
