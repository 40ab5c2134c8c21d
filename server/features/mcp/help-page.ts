import { escapeHtml } from '../../http/escape-html.ts'
import { type Shop, slugOf } from '../shop/shop.ts'
import type { McpReply } from './message.ts'

/** Shown to a person who opens the endpoint in a browser. */
export function helpPage(publicUrl: string, shop: Shop): McpReply {
  const endpoint = `${publicUrl}/mcp`
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(shop.name)} MCP server</title>
<style>
:root { color-scheme: light dark; --ink: light-dark(#14181e, #eef1f4); --muted: light-dark(#535b67, #a7afba); --line: light-dark(#d7dce1, #2e343c); --accent: light-dark(#0b6d89, #58c4e0) }
* { box-sizing: border-box }
body { margin: 0; padding: 3rem 1.25rem; font: 15px/1.6 system-ui, sans-serif; color: var(--ink); background: light-dark(#f8f9fa, #0b0d10) }
main { max-width: 42rem; margin: 0 auto; padding: 2rem; border: 1px solid var(--line); border-radius: 12px; background: light-dark(#fff, #111317) }
h1 { margin: 0; font-size: 1.5rem; line-height: 1.3 }
h2 { margin: 1.75rem 0 0; font-size: 1rem }
p { margin: .25rem 0 0; color: var(--muted) }
pre { overflow-x: auto; margin: .75rem 0 0; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: 8px; background: light-dark(#f1f3f5, #171a1f) }
code { font: 13px/1.6 ui-monospace, monospace }
a { color: var(--accent) }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin-top: 1.75rem }
@media (max-width: 30rem) { body { padding: 1rem } main { padding: 1.25rem } }
</style>
</head>
<body>
<main>
<h1>This is an MCP server</h1>
<p>It speaks the Model Context Protocol to AI clients. Nothing is shown here in a browser: give this address to your client.</p>
<h2>By signing in</h2>
<p>Claude, ChatGPT and other clients that sign in need the address alone.</p>
<pre tabindex="0"><code>${endpoint}</code></pre>
<h2>With a header</h2>
<p>Keeps the API key out of the URL.</p>
<pre tabindex="0"><code>claude mcp add --transport http ${slugOf(shop)} ${endpoint} \\
  --header "Authorization: Bearer YOUR_API_KEY"</code></pre>
<h2>In the URL, if headers cannot be set</h2>
<p>Use a separate key: URLs end up in logs and browser history.</p>
<pre tabindex="0"><code>${endpoint}?apikey=YOUR_API_KEY</code></pre>
<nav aria-label="Further"><a href="/dashboard">Get a key and copy its URL</a><a href="/dashboard/playground/">Try the tools</a><a href="/docs/">Documentation</a></nav>
</main>
</body>
</html>
`
  return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }, body }
}
