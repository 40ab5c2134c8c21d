import { parseArgs } from 'node:util'

export interface Options {
  rounds: number
  /** Length of one slice; the generator adds a moment to drain. */
  sliceSeconds: number
  connections: number
  /** Accounts, each with one key. */
  accounts: number
  /**
   * Number of MCP tools to register, in Finmeter and in the SDK's server. Absent: Finmeter's own tools, and only the
   * called tool in the SDK's server.
   */
  tools: number | undefined
  /** File for the complete result. */
  jsonFile: string | undefined
}

export const usage = `npm run bench -- [options]
  --quick            two short rounds: whether it works, not what it measures
  --rounds N         rounds, 5 by default
  --seconds N        length of a slice, 2 by default
  --tools N        with N MCP tools registered, here and in the SDK's server
  --json FILE        write the complete result there
  --docs             write the table into docs/performance.md
  --operator         the operator's console instead, with many customers: --customers N, 1,000,000 by default
  --operator --calls N  that no figure of it reads calls, with N calls; nightly 50,000,000, which take about 7 GB
  --usage            the usage page instead, on many rows: --rows N, 2,000,000 by default
  --revocation       how long two servers still answer a deleted key
  --payments-junk    calls with a key beside 500 unsigned payments a second
  --pressure         quotes beside 20 exports, and beside 300 clients that read nothing
  --proxy            calls behind nginx, alone and mixed with pages
  --upstream         an API alone, behind nginx, a Node pass-through, nginx that asks Finmeter, and Finmeter; pairs of
                     authorize and settle; 2,000 open streams (with --rounds, --seconds, --quick; needs nginx and wrk)
  --instances        one instance, three in turn, and three with all calls of a key on one of them
  --growth           what a call costs with more accounts, operations or usage rows; --accounts N, --operations N and --rows N
                     are the largest sizes: 100,000, 1,000 and 20,000,000 by default, which take 20 minutes and 10 GB of disk
  --holds            the committer alone: plain charges, and pairs of a hold and its settlement
  --citus           the committer on one PostgreSQL and on buckets of the Citus cluster at CITUS_URL
  --endurance        500 calls a second through nginx with TLS, beside exports, streams and pages: --minutes N, 30 by default
  --profile          where the time of a metered REST call goes
  --against DIR      processor time of a call here and in another checkout, in turns (--bars, --nginx, --rounds N,
                     --connections N, --accounts N)
  --data             the data engine instead: import, export, indicators, memory, compared with PostgreSQL and DuckDB
  --data --bars N    N minutes served from disk: start, memory, calls for bars in memory and not`

/** Reads the command line. Throws a message for the user when a value is invalid. */
export function readOptions(words: string[]): Options {
  const { values } = parseArgs({
    args: words,
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      tools: { type: 'string' },
      json: { type: 'string' },
      docs: { type: 'boolean', default: false },
    },
  })
  return {
    rounds: whole('--rounds', values.rounds, values.quick ? 2 : 5),
    sliceSeconds: whole('--seconds', values.seconds, values.quick ? 1 : 2),
    connections: 64,
    accounts: values.quick ? 200 : 1_000,
    tools: values.tools === undefined ? undefined : whole('--tools', values.tools, 0),
    jsonFile: values.json,
  }
}

function whole(name: string, text: string | undefined, otherwise: number): number {
  const value = text === undefined ? otherwise : Number(text)
  if (!Number.isInteger(value) || value < 1 || value > 60)
    throw new Error(`${name} must be a whole number from 1 to 60, not ${text}.`)
  return value
}
