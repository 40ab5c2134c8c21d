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
  { name: 'csv', about: 'rows as CSV' },
  { name: 'pages', about: 'with --csv: page after page, each a paid call' },
  { name: 'dry-run', about: 'show the number of rows and the price, without a charge' },
]

/** Everything that the program can do. Help and completion are made from it. */
export const commands: readonly Command[] = [
  { name: 'login', about: 'Log in with a code that you approve in a browser', run: login },
  { name: 'logout', about: 'Log out, here and on the server', run: logout },
  { name: 'whoami', about: 'Show who is logged in, and where', run: whoami },
  { name: 'keys list', about: 'List the API keys of the workspace', run: listKeys },
  {
    name: 'keys create',
    takes: ['NAME'],
    about: 'Create an API key and print it once',
    options: [
      {
        name: 'scopes',
        value: 'LIST',
        choices: ['rest', 'mcp', 'read', 'rest,mcp'],
        about: 'only for REST, MCP or reading',
      },
      { name: 'monthly-credits', value: 'N', about: 'maximum credits per month' },
      { name: 'per-minute', value: 'N', about: 'maximum requests per minute' },
      { name: 'expires', value: 'DATE', about: 'expiry date, in UTC' },
    ],
    run: createKey,
  },
  { name: 'keys revoke', takes: ['ID_OR_NAME'], about: 'Delete an API key at once', run: revokeKey },
  { name: 'credits', about: 'Show the remaining credits', run: credits },
  {
    name: 'usage',
    about: "Show today's calls by tool, or the calls of a range by key",
    options: [{ name: 'range', value: 'RANGE', choices: ['24h', '7d', '30d', '90d'], about: 'needs a login' }],
    run: usage,
  },
  {
    name: 'bars',
    takes: ['SYMBOL'],
    about: "Print a symbol's prices",
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
      { name: 'adjust', value: 'HOW', choices: ['splits', 'all', 'none'], about: 'all: for splits and dividends' },
      { name: 'limit', value: 'N', about: 'maximum number of rows' },
      ...ofRows,
    ],
    run: bars,
  },
  { name: 'tools list', about: 'List the tools of the server with their prices', run: listTools },
  {
    name: 'tools call',
    takes: ['TOOL'],
    about: 'Call a tool, with --INPUT VALUE for each input',
    options: [{ name: 'input', value: 'JSON', about: 'all inputs as one object' }, ...ofRows],
    open: true,
    run: callTool,
  },
  { name: 'docs', takes: ['[PAGE]'], about: 'Print a page of the documentation, or the list of pages', run: docs },
  { name: 'mcp', about: 'Serve the MCP endpoint over standard input and output', run: mcp },
  {
    name: 'completion',
    takes: ['SHELL'],
    about: 'Print the completion script for bash, zsh or fish',
    words: ['bash', 'zsh', 'fish'],
    run: (call) => completion(call, commands),
  },
]
