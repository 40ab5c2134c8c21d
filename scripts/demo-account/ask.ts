import type { Ask } from './robots.ts'

const PROTOCOL = '2026-07-28'

/** Sends a call with this key as this client. Throws if it fails, unless it `mayFail`. */
export async function sendAsk(url: string, ask: Ask, key: string, client: string, mayFail: boolean): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'user-agent': client }
  const answer =
    typeof ask === 'string' ? await fetch(url + ask, { headers }) : await callTool(url, ask, headers, client)
  const text = await answer.text()
  const isRefused = !answer.ok || text.includes('"isError":true')
  if (isRefused && !mayFail) throw new Error(`A demo call failed: ${answer.status} ${text}`)
}

function callTool(url: string, ask: Exclude<Ask, string>, headers: Record<string, string>, client: string) {
  return fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': PROTOCOL,
      'mcp-method': 'tools/call',
      'mcp-name': ask.tool,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: ask.tool,
        arguments: ask.arguments,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': PROTOCOL,
          'io.modelcontextprotocol/clientInfo': { name: client, version: '1.0.0' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  })
}
