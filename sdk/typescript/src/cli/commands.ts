import { bars } from './bars.ts'
import type { Command, Option } from './command.ts'
import { completion } from './completion.ts'
import { docs } from './docs.ts'
import { createKey, listKeys, revokeKey } from './keys.ts'
import { login, logout } from './login.ts'
import { mcp } from './mcp.ts'
import { callTool, listTools } from './tools.ts'
import { credits, usage } from './usage.ts'
import { whoami } from './whoami.ts'

const ofRows: Option[] = [
  { name: 'csv', about: 'all rows as CSV' },
  { name: 'dry-run', about: 'say what it would return and cost; free' },
]

/** Everything that the program can do. Help and completion are made from it. */
export const commands: readonly Command[] = [
  { name: 'login', about: 'Log in with a code that you approve in a browser', run: login },
  { name: 'logout', about: 'End the login, here and at the server', run: logout },
  { name: 'whoami', about: 'Show who is logged in, and where', run: whoami },
  { name: 'keys list', about: 'List the API keys of the workspace', run: listKeys },
  {
    name: 'keys create',
    takes: ['NAME'],
    about: 'Create an API key and print it once',
    options: [
      { name: 'scopes', value: 'LIST', choices: ['rest', 'mcp', 'rest,mcp'], about: 'only for REST or MCP' },
      { name: 'monthly-credits', value: 'N', about: 'most credits in a month' },
      { name: 'per-minute', value: 'N', about: 'most requests in a minute' },
      { name: 'expires', value: 'DATE', about: 'the day it ends, in UTC' },
    ],
    run: createKey,
  },
  { name: 'keys revoke', takes: ['ID_OR_NAME'], about: 'End an API key at once', run: revokeKey },
  { name: 'credits', about: 'Show the credits that are left', run: credits },
  {
    name: 'usage',
    about: 'Show the calls of today by tool, or of a range by key',
    options: [{ name: 'range', value: 'RANGE', choices: ['24h', '7d', '30d', '90d'], about: 'needs a login' }],
    run: usage,
  },
  {
    name: 'bars',
    takes: ['SYMBOL'],
    about: 'Print the prices of a symbol',
    options: [
      { name: 'range', value: 'RANGE', choices: ['1mo', '3mo', '6mo', '1y', '5y', 'ytd', 'max'], about: 'up to now' },
      {
        name: 'interval',
        value: 'INTERVAL',
        choices: ['1m', '5m', '15m', '30m', '1h', '1d', '1w', '1mo', '1q', '1y'],
        about: 'length of a bar',
      },
      { name: 'from', value: 'DATE', about: 'first date, instead of a range' },
      { name: 'to', value: 'DATE', about: 'last date' },
      { name: 'adjust', value: 'HOW', choices: ['splits', 'all', 'none'], about: 'for splits, or also for dividends' },
      { name: 'limit', value: 'N', about: 'most rows' },
      ...ofRows,
    ],
    run: bars,
  },
  { name: 'tools list', about: 'List the tools of the server with their prices', run: listTools },
  {
    name: 'tools call',
    takes: ['TOOL'],
    about: 'Call a tool with --input-name value for each input',
    options: [{ name: 'input', value: 'JSON', about: 'all inputs as one object' }, ...ofRows],
    open: true,
    run: callTool,
  },
  { name: 'docs', takes: ['[PAGE]'], about: 'Print a page of the documentation, or the list of pages', run: docs },
  { name: 'mcp', about: 'Serve the MCP endpoint on standard input and output', run: mcp },
  {
    name: 'completion',
    takes: ['SHELL'],
    about: 'Print the completion script of bash, zsh or fish',
    words: ['bash', 'zsh', 'fish'],
    run: (call) => completion(call, commands),
  },
]
