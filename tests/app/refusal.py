"""What every refusal of the program looks like."""


class Refusals:
    """For test cases."""

    def assert_refusal(self, result, code, saying):
        """The finished process stopped with one line on stderr and no output; returns the line."""
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        lines = result.stderr.strip().splitlines()
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertTrue(lines[0].startswith("bankfull: "), lines[0])
        for words in saying:
            self.assertIn(words, lines[0])
        self.assertEqual(result.stdout, "")
        return lines[0]
