#!/usr/bin/env bash
# gh and glab for the tests that drive them: says where they are, or installs Debian's (Debian 12 has glab in its backports).
# Where that cannot be done, says so loudly and goes on: without gh these tests are skipped, glab has a stand-in (test/support/glab-stand-in.ts).
set -uo pipefail
here=$(dirname "${BASH_SOURCE[0]}")

for program in gh glab; do
	command -v "$program" && continue
	"$here/apt.sh" "there is no $program here: install it and put it in PATH" "$program" 2>/dev/null ||
		"$here/backports.sh" "$program" 2>/dev/null
	command -v "$program" || echo "THERE IS NO $program: the tests do not drive the real one" >&2
done
exit 0
