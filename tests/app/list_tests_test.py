#!/usr/bin/env python3
"""Tests of list_tests.py: what CTest is given is what unittest would run."""

import pathlib
import unittest

from list_tests import tests_of

FOLDER = pathlib.Path(__file__).resolve().parent


class ListTests(unittest.TestCase):
    def test_finds_the_methods_of_all_classes_in_order(self):
        text = ("class Base(unittest.TestCase):\n    def helper(self): pass\n"
                "class B(Base):\n    def test_2(self): pass\n    def test_1(self): pass\n"
                "class A(Mixin, Base):\n    @unittest.skip\n    def test_1(self): pass\n")
        self.assertEqual(tests_of(text), ["B.test_2", "B.test_1", "A.test_1"])

    def test_refuses_what_would_be_forgotten_or_run_twice(self):
        test = "    def test_1(self): pass\n"
        for text, words in (("def test_1(): pass\n", "test_1 is in no class"),
                            (f"class A(Case):\n{test}class B(A):\n    pass\n", "B inherits the tests of A"),
                            (f"class A(Case):\n{test}{test}", "two tests of one name"),
                            (f"class A(Case):\n{test}for name in 'ab':\n    setattr(A, 'test_' + name, test)\n", "line 4: tests that setattr adds"),
                            ("x = 1\n", "no tests")):
            with self.subTest(text=text):
                with self.assertRaisesRegex(ValueError, words):
                    tests_of(text)

    def test_names_every_test_of_every_script(self):
        for script in [*FOLDER.glob("*_test.py"), *(FOLDER.parent / "workloads").rglob("*_test.py")]:
            with self.subTest(script=script.name):
                text = script.read_text()
                self.assertEqual(len(tests_of(text)), text.count("\n    def test"))


if __name__ == "__main__":
    unittest.main()
