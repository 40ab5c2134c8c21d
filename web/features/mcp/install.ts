export type ClientId = 'claude' | 'claude-code' | 'cursor' | 'vscode' | 'chatgpt' | 'codex' | 'gemini'

/** How one client is connected: a link that opens it, a block to paste, or both; `where` says what to do with it. */
export interface Install {
  id: ClientId
  name: string
  where: string
  block: { label: string; text: string }
  link?: { label: string; href: string }
}

const name = 'finmeter'

/** Text as base64 of its UTF-8 bytes. */
const base64 = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

const pretty = (value: unknown) => JSON.stringify(value, null, 2)

/** The address that carries the key itself, for clients that take nothing but an address. */
export const mcpUrl = (publicUrl: string, key: string) => `${publicUrl}/mcp?apikey=${encodeURIComponent(key)}`

/**
 * Ready-made configuration for each client. `key` is the real one or the stand-in that is shown in its place;
 * links are left out for a stand-in, because they would install something that cannot work.
 */
export function installs(publicUrl: string, key: string, isRealKey: boolean): Install[] {
  const url = `${publicUrl}/mcp`
  const headers = { Authorization: `Bearer ${key}` }
  const withKey = mcpUrl(publicUrl, key)
  return [
    {
      id: 'claude',
      name: 'Claude',
      where:
        'Customize, Connectors, Add custom connector. Claude connects from its own servers, so this address must be reachable from the internet.',
      block: { label: 'Remote MCP server URL', text: withKey },
    },
    {
      id: 'claude-code',
      name: 'Claude Code',
      where: 'Run once in a terminal.',
      block: {
        label: 'Terminal',
        text: `claude mcp add --transport http ${name} ${url} --header "Authorization: Bearer ${key}"`,
      },
    },
    {
      id: 'cursor',
      name: 'Cursor',
      where: 'Install with one click, or add to ~/.cursor/mcp.json.',
      block: { label: '~/.cursor/mcp.json', text: pretty({ mcpServers: { [name]: { url, headers } } }) },
      ...(isRealKey && {
        link: {
          label: 'Add to Cursor',
          href: `cursor://anysphere.cursor-deeplink/mcp/install?name=${name}&config=${encodeURIComponent(base64(JSON.stringify({ url, headers })))}`,
        },
      }),
    },
    {
      id: 'vscode',
      name: 'VS Code',
      where: 'Install with one click, or add to .vscode/mcp.json.',
      block: { label: '.vscode/mcp.json', text: pretty({ servers: { [name]: { type: 'http', url, headers } } }) },
      ...(isRealKey && {
        link: {
          label: 'Add to VS Code',
          href: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, type: 'http', url, headers }))}`,
        },
      }),
    },
    {
      id: 'chatgpt',
      name: 'ChatGPT',
      where:
        'Settings, Security and login, Developer mode, then create a connector with this URL. It must be reachable from the internet.',
      block: { label: 'Connector URL', text: withKey },
    },
    {
      id: 'codex',
      name: 'Codex',
      where: 'Add to ~/.codex/config.toml.',
      block: {
        label: '~/.codex/config.toml',
        text: `[mcp_servers.${name}]\nurl = "${url}"\nhttp_headers = { Authorization = "Bearer ${key}" }`,
      },
    },
    {
      id: 'gemini',
      name: 'Gemini CLI',
      where: 'Run once in a terminal.',
      block: {
        label: 'Terminal',
        text: `gemini mcp add --transport http --header "Authorization: Bearer ${key}" ${name} ${url}`,
      },
    },
  ]
}
