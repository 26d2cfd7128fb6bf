#!/usr/bin/env bash
# What rocQuarry needs from the system and cannot bring itself: the headers of the C++ library, a Python with
# venv, and git. Installs them where it may; says what to install where it may not. Bubblewrap, which shuts hostile
# kernels in, is installed where that is possible and missed with a word where it is not.
set -euo pipefail
need=()
compgen -G '/usr/include/c++/*/vector' > /dev/null || need+=(libstdc++-12-dev)
test -e /usr/include/stdlib.h || need+=(libc6-dev)
command -v git > /dev/null || need+=(git)
python3 -c 'import ensurepip, venv' 2> /dev/null || need+=(python3-venv)
can_install() { command -v apt-get > /dev/null && [ "$(id -u)" = 0 ]; }
if ! command -v bwrap > /dev/null; then
    if ! { can_install && { apt-get install -y -qq --no-install-recommends bubblewrap ||
        { apt-get update -qq && apt-get install -y -qq --no-install-recommends bubblewrap; }; } > /dev/null 2>&1; }; then
        echo "bubblewrap is not here: candidates run in a weaker sandbox; install it for the stronger one" >&2
    fi
fi
if [ ${#need[@]} -eq 0 ]; then
    exit 0
fi
echo "system packages wanted: ${need[*]}" >&2
if can_install; then
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends "${need[@]}"
else
    echo "install them with your package manager (Debian: sudo apt-get install ${need[*]}), then run make again" >&2
    exit 2
fi
