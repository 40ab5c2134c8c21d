import { shopName, shopSlug } from '../../lib/shop.ts'

export type ClientId = 'claude' | 'claude-code' | 'cursor' | 'vscode' | 'chatgpt' | 'codex' | 'gemini'

interface Block {
  label: string
  text: string
}

/**
 * How to connect one client: an install link and alternative blocks to paste; `where` explains what to do with them.
 */
export interface Install {
  id: ClientId
  name: string
  where: string
  /** Best option first. A block without the key makes the client send the user here to sign in (OAuth). */
  blocks: [Block, ...Block[]]
  link?: { label: string; href: string }
}

const base64 = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

const pretty = (value: unknown) => JSON.stringify(value, null, 2)

/** The URL with the key as a parameter, for clients that accept only a URL. */
export const mcpUrl = (publicUrl: string, key: string) => `${publicUrl}/mcp?apikey=${encodeURIComponent(key)}`

/**
 * Ready-made configuration for each client. `key` is the real key or a placeholder. Install links are left out for a
 * placeholder, because they would install a broken configuration.
 */
export function installs(publicUrl: string, key: string, isRealKey: boolean): Install[] {
  const name = shopSlug()
  const url = `${publicUrl}/mcp`
  const headers = { Authorization: `Bearer ${key}` }
  const withKey = mcpUrl(publicUrl, key)
  return [
    {
      id: 'claude',
      name: 'Claude',
      where:
        'Go to Customize > Connectors > Add custom connector. You sign in here, so the URL contains no secret. Claude connects from its own servers, so the URL must be reachable from the internet.',
      blocks: [
        { label: 'Remote MCP server URL', text: url },
        { label: 'Remote MCP server URL with the key, without sign-in', text: withKey },
      ],
    },
    {
      id: 'claude-code',
      name: 'Claude Code',
      where:
        'Run one of these in a terminal, or add it to a project. With sign-in, open /mcp in Claude Code afterward.',
      blocks: [
        {
          label: 'Terminal',
          text: `claude mcp add --transport http ${name} ${url} --header "Authorization: Bearer ${key}"`,
        },
        { label: 'Terminal, with sign-in', text: `claude mcp add --transport http ${name} ${url}` },
        {
          label: '.mcp.json of a project, with the key in FINMETER_API_KEY',
          text: pretty({
            mcpServers: {
              // Projects are shared, keys are not.
              [name]: { type: 'http', url, headers: { Authorization: `Bearer \${FINMETER_API_KEY}` } },
            },
          }),
        },
      ],
    },
    {
      id: 'cursor',
      name: 'Cursor',
      where: 'Install with one click, or add to ~/.cursor/mcp.json.',
      blocks: [{ label: '~/.cursor/mcp.json', text: pretty({ mcpServers: { [name]: { url, headers } } }) }],
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
      where: 'Install with one click, add to .vscode/mcp.json, or run in a terminal.',
      blocks: [
        {
          label: '.vscode/mcp.json, which asks for the key once',
          text: pretty({
            inputs: [{ type: 'promptString', id: `${name}-key`, description: `${shopName()} API key`, password: true }],
            servers: {
              [name]: { type: 'http', url, headers: { Authorization: `Bearer \${input:${name}-key}` } },
            },
          }),
        },
        { label: 'Terminal', text: `code --add-mcp '${JSON.stringify({ name, type: 'http', url, headers })}'` },
      ],
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
        'Turn on Settings > Security and login > Developer mode, then create a connector with this URL. You sign in here, so the URL contains no secret. It must be reachable from the internet.',
      blocks: [
        { label: 'Connector URL', text: url },
        { label: 'Connector URL with the key, without sign-in', text: withKey },
      ],
    },
    {
      id: 'codex',
      name: 'Codex',
      where: 'Add to ~/.codex/config.toml, or run in a terminal with the key in FINMETER_API_KEY.',
      blocks: [
        {
          label: '~/.codex/config.toml',
          text: `[mcp_servers.${name}]\nurl = "${url}"\nhttp_headers = { Authorization = "Bearer ${key}" }`,
        },
        { label: 'Terminal', text: `codex mcp add ${name} --url ${url} --bearer-token-env-var FINMETER_API_KEY` },
      ],
    },
    {
      id: 'gemini',
      name: 'Gemini CLI',
      where: 'Run once in a terminal, or add to ~/.gemini/settings.json.',
      blocks: [
        {
          label: 'Terminal',
          text: `gemini mcp add --transport http --header "Authorization: Bearer ${key}" ${name} ${url}`,
        },
        { label: '~/.gemini/settings.json', text: pretty({ mcpServers: { [name]: { httpUrl: url, headers } } }) },
      ],
    },
  ]
}
