import { expect, test } from 'vitest'
import { installs, mcpUrl } from './install.ts'

const key = 'fm_secret'
const url = 'https://data.example.com'
const byId = (real = true) => Object.fromEntries(installs(url, key, real).map((one) => [one.id, one]))

test('the address carries the key in its apikey parameter', () => {
  expect(mcpUrl(url, key)).toBe('https://data.example.com/mcp?apikey=fm_secret')
})

test('command lines are the clients own', () => {
  expect(byId()['claude-code']?.block.text).toBe(
    'claude mcp add --transport http finmeter https://data.example.com/mcp --header "Authorization: Bearer fm_secret"',
  )
  expect(byId().gemini?.block.text).toBe(
    'gemini mcp add --transport http --header "Authorization: Bearer fm_secret" finmeter https://data.example.com/mcp',
  )
})

test('files are valid JSON in the shape of each client', () => {
  const entry = { url: 'https://data.example.com/mcp', headers: { Authorization: 'Bearer fm_secret' } }
  expect(JSON.parse(byId().cursor?.block.text ?? '')).toEqual({ mcpServers: { finmeter: entry } })
  expect(JSON.parse(byId().vscode?.block.text ?? '')).toEqual({ servers: { finmeter: { type: 'http', ...entry } } })
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

test('a stand-in for the key has no install link', () => {
  expect(Object.values(byId(false)).filter((one) => one.link)).toEqual([])
})
