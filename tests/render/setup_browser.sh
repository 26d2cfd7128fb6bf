#!/bin/sh
# Installs what the page tests need and what is not there yet: Chromium, Graphviz, Node.js with npm
# (Debian packages), and Playwright's client in .venv. Run it as often as you like.
set -eu
cd "$(dirname "$0")/../.."

missing=""
command -v "${ROCQUARRY_CHROMIUM:-chromium}" >/dev/null 2>&1 || missing="$missing chromium"
command -v dot >/dev/null 2>&1 || missing="$missing graphviz"
command -v node >/dev/null 2>&1 || missing="$missing nodejs"
command -v npm >/dev/null 2>&1 || missing="$missing npm"

if [ -n "$missing" ]; then
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "install these by hand, then run this again:$missing" >&2
        exit 2
    fi
    root=""
    [ "$(id -u)" -eq 0 ] || root="sudo"
    $root apt-get update -qq
    # shellcheck disable=SC2086  # one word for each package
    DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq --no-install-recommends $missing
fi

.venv/bin/python -c "import playwright" 2>/dev/null || .venv/bin/pip install --quiet "playwright>=1.50"
