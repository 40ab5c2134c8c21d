import type { McpReply } from './message.ts'

/** What a person sees who opens the endpoint in a browser. */
export function helpPage(publicUrl: string): McpReply {
  const endpoint = `${publicUrl}/mcp`
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Finmeter MCP server</title>
<style>
:root { color-scheme: light dark }
body { font: 16px/1.6 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1.25rem }
pre { overflow-x: auto; padding: 1rem; border: 1px solid color-mix(in srgb, currentColor 20%, transparent); border-radius: .5rem }
code { font: 14px/1.5 ui-monospace, monospace }
</style>
</head>
<body>
<main>
<h1>This is an MCP server</h1>
<p>It speaks the Model Context Protocol to AI clients. Nothing is shown here in a browser: give this address and your API key to your client.</p>
<h2>With a header</h2>
<pre><code>claude mcp add --transport http finmeter ${endpoint} \\
  --header "Authorization: Bearer YOUR_API_KEY"</code></pre>
<h2>In the address, where headers cannot be set</h2>
<pre><code>${endpoint}?apikey=YOUR_API_KEY</code></pre>
<p><a href="/dashboard">Get a key and copy the ready address</a> · <a href="/docs/">Documentation</a></p>
</main>
</body>
</html>
`
  return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }, body }
}
