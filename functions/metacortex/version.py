"""The version of the program, read by the build as well."""

VERSION = "0.1.0"
