import { shopSlug } from '../../../lib/shop.ts'
import { shellJson } from '../../snippets/snippets.ts'

export type SnippetLanguage = 'curl' | 'typescript' | 'python' | 'client'

export const snippetLanguages: readonly { value: SnippetLanguage; label: string }[] = [
  { value: 'curl', label: 'curl' },
  { value: 'typescript', label: 'TypeScript' },
  { value: 'python', label: 'Python' },
  { value: 'client', label: 'AI client' },
]

/** The same `tools/call` as complete code, with YOUR_API_KEY as the key. */
export function callSnippet(language: SnippetLanguage, url: string, tool: string, args: unknown): string {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args ?? {} } }
  switch (language) {
    case 'curl':
      return [
        `curl '${url.replaceAll("'", '%27')}' \\`,
        `  -H 'Authorization: Bearer YOUR_API_KEY' \\`,
        `  -H 'Content-Type: application/json' \\`,
        `  -d '${shellJson(message)}'`,
      ].join('\n')
    case 'typescript':
      return [
        "import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'",
        '',
        "const client = new Client({ name: 'example', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })",
        `await client.connect(new StreamableHTTPClientTransport(new URL(${JSON.stringify(url)}), {`,
        "  requestInit: { headers: { Authorization: 'Bearer YOUR_API_KEY' } },",
        '}))',
        `console.log(await client.callTool(${JSON.stringify(message.params)}))`,
        'await client.close()',
      ].join('\n')
    case 'python':
      return [
        'import json, urllib.request',
        '',
        `message = json.loads(${JSON.stringify(JSON.stringify(message))})`,
        'request = urllib.request.Request(',
        `    ${JSON.stringify(url)},`,
        '    data=json.dumps(message).encode(),',
        '    headers={"Authorization": "Bearer YOUR_API_KEY", "Content-Type": "application/json"},',
        ')',
        'print(json.load(urllib.request.urlopen(request)))',
      ].join('\n')
    case 'client':
      return JSON.stringify(
        { mcpServers: { [shopSlug()]: { type: 'http', url, headers: { Authorization: 'Bearer YOUR_API_KEY' } } } },
        null,
        2,
      )
  }
}
