import { expect, test } from 'vitest'
import { installs, mcpUrl } from './install.ts'

const key = 'fm_secret'
const url = 'https://data.example.com'
const byId = (real = true) => Object.fromEntries(installs(url, key, real).map((one) => [one.id, one]))

test('the address carries the key in its apikey parameter', () => {
  expect(mcpUrl(url, key)).toBe('https://data.example.com/mcp?apikey=fm_secret')
})

test('command lines match each client', () => {
  expect(byId()['claude-code']?.blocks[0].text).toBe(
    'claude mcp add --transport http finmeter https://data.example.com/mcp --header "Authorization: Bearer fm_secret"',
  )
  expect(byId().gemini?.blocks[0].text).toBe(
    'gemini mcp add --transport http --header "Authorization: Bearer fm_secret" finmeter https://data.example.com/mcp',
  )
})

test('Claude and ChatGPT get the address without a key first, since they sign in; the one with the key comes second', () => {
  for (const id of ['claude', 'chatgpt'])
    expect(byId()[id]?.blocks.map(({ text }) => text)).toEqual([
      'https://data.example.com/mcp',
      'https://data.example.com/mcp?apikey=fm_secret',
    ])
})

test('the other ways of Claude Code, VS Code and Codex', () => {
  expect(byId()['claude-code']?.blocks[1]?.text).toBe(
    'claude mcp add --transport http finmeter https://data.example.com/mcp',
  )
  const vscode = /^code --add-mcp '(.*)'$/.exec(byId().vscode?.blocks[1]?.text ?? '')
  expect(JSON.parse(vscode?.[1] ?? '')).toEqual({
    name: 'finmeter',
    type: 'http',
    url: 'https://data.example.com/mcp',
    headers: { Authorization: 'Bearer fm_secret' },
  })
  expect(byId().codex?.blocks.map(({ text }) => text)).toEqual([
    '[mcp_servers.finmeter]\nurl = "https://data.example.com/mcp"\nhttp_headers = { Authorization = "Bearer fm_secret" }',
    'codex mcp add finmeter --url https://data.example.com/mcp --bearer-token-env-var FINMETER_API_KEY',
  ])
})

test('configuration files are valid JSON in the format of each client', () => {
  const entry = { url: 'https://data.example.com/mcp', headers: { Authorization: 'Bearer fm_secret' } }
  expect(JSON.parse(byId().cursor?.blocks[0].text ?? '')).toEqual({ mcpServers: { finmeter: entry } })
  const prompted = { type: 'http', url: entry.url, headers: { Authorization: `Bearer \${input:finmeter-key}` } }
  expect(JSON.parse(byId().vscode?.blocks[0].text ?? '')).toEqual({
    inputs: [{ type: 'promptString', id: 'finmeter-key', description: 'Finmeter API key', password: true }],
    servers: { finmeter: prompted },
  })
  const shared = { type: 'http', url: entry.url, headers: { Authorization: `Bearer \${FINMETER_API_KEY}` } }
  expect(JSON.parse(byId()['claude-code']?.blocks[2]?.text ?? '')).toEqual({ mcpServers: { finmeter: shared } })
  expect(JSON.parse(byId().gemini?.blocks[1]?.text ?? '')).toEqual({
    mcpServers: { finmeter: { httpUrl: entry.url, headers: entry.headers } },
  })
})

test('links decode to the same configuration', () => {
  const cursor = new URL(byId().cursor?.link?.href ?? '')
  expect(JSON.parse(atob(cursor.searchParams.get('config') ?? ''))).toEqual({
    url: 'https://data.example.com/mcp',
    headers: { Authorization: 'Bearer fm_secret' },
  })
  const vscode = byId().vscode?.link?.href ?? ''
  expect(JSON.parse(decodeURIComponent(vscode.slice('vscode:mcp/install?'.length)))).toMatchObject({
    name: 'finmeter',
    type: 'http',
  })
})

test('a placeholder key has no install link', () => {
  expect(Object.values(byId(false)).filter((one) => one.link)).toEqual([])
})
