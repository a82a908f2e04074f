//! Cross-package tests.
