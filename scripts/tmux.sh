#!/usr/bin/env bash
# A tmux for the tests of the terminal view, which are skipped without one: says where it is, or installs Debian's.
set -euo pipefail
if command -v tmux; then exit 0; fi
"$(dirname "${BASH_SOURCE[0]}")/apt.sh" "there is no tmux here: install it (3.0 or newer) and put it in PATH" tmux
command -v tmux
