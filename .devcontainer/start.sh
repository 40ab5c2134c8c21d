#!/usr/bin/env bash
# Starts Finmeter as a trial. In a hosted editor, PUBLIC_URL is the https address that the editor forwards to the server. Only the
# editor's owner can open that address, so it is safe to turn on the sandbox.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -n "${CODESPACE_NAME:-}" ]; then
  export PUBLIC_URL="https://$CODESPACE_NAME-3000.$GITHUB_CODESPACES_PORT_FORWARDING_DOMAIN"
  export SANDBOX=on TRUST_PROXY=loopback
fi
exec npm start
