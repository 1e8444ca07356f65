#!/usr/bin/env bash
# A bubblewrap for the tests of the sandbox, which are skipped without one: says where it is, or installs Debian's.
set -euo pipefail
if command -v bwrap; then exit 0; fi
"$(dirname "${BASH_SOURCE[0]}")/apt.sh" "there is no bwrap here: install bubblewrap and put it in PATH" bubblewrap
command -v bwrap
