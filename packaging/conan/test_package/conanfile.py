"""Builds and runs tests/package/consumer with the package that `conan create` has made."""
import os

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout

CONSUMER = os.path.join("..", "..", "..", "tests", "package", "consumer")


class InterlockConsumer(ConanFile):
    settings = "os", "compiler", "build_type", "arch"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        components = ["core", "client", "memory"]
        options = self.dependencies[self.tested_reference_str].options
        for option, component in {"redis": "redis", "sqlite": "sqlite", "simulator": "catalogue"}.items():
            if options.get_safe(option):
                components.append(component)
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["CONSUMER_COMPONENTS"] = ",".join(components)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure(build_script_folder=CONSUMER)
        cmake.build()

    def test(self):
        if can_run(self):
            self.run(os.path.join(self.cpp.build.bindir, "consumer"), env="conanrun")
