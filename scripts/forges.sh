#!/usr/bin/env bash
# gh and glab for the tests that drive them, which are skipped without: says where they are, or installs Debian's
# (Debian 12 has no glab). Where that cannot be done, says so
# loudly and goes on: the same code is tested with stand-ins in test/pipelines/forge.test.ts.
set -uo pipefail
here=$(dirname "${BASH_SOURCE[0]}")

for program in gh glab; do
	command -v "$program" && continue
	"$here/apt.sh" "there is no $program here: install it and put it in PATH" "$program" 2>/dev/null
	command -v "$program" || echo "THERE IS NO $program: the tests that drive the real one are skipped" >&2
done
exit 0
