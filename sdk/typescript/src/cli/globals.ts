import { CliError, seeHelp } from './exit-codes.ts'

/** Options of every command, and what the environment says. */
export interface Globals {
  json: boolean
  help: boolean
  version: boolean
  /** Undefined for that of the last login. */
  url: string | undefined
  apiKey: { value: string; from: string } | undefined
}

const withValue = ['--url', '--api-key'] as const

/** Takes the options of every command out of `args`, wherever they stand before `--`. Throws CliError. */
export function takeGlobals(args: readonly string[], env: NodeJS.ProcessEnv): { globals: Globals; rest: string[] } {
  const found = new Map<string, string>()
  const rest: string[] = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!
    if (arg === '--') {
      rest.push(...args.slice(at))
      break
    }
    const name = withValue.find((one) => arg === one || arg.startsWith(`${one}=`))
    if (name) {
      const value = arg === name ? args[++at] : arg.slice(name.length + 1)
      if (!value) throw new CliError('usage', `${name} needs a value.`, seeHelp)
      found.set(name, value)
    } else if (['--json', '--help', '-h', '--version'].includes(arg)) found.set(arg === '-h' ? '--help' : arg, '')
    else rest.push(arg)
  }
  const given = found.get('--api-key')
  const key = given ?? env.FINMETER_API_KEY
  const globals: Globals = {
    json: found.has('--json'),
    help: found.has('--help'),
    version: found.has('--version'),
    url: addressOf(found.get('--url') ?? env.FINMETER_URL),
    apiKey: key ? { value: key, from: given ? '--api-key' : 'FINMETER_API_KEY' } : undefined,
  }
  return { globals, rest }
}

function addressOf(text: string | undefined): string | undefined {
  if (!text) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new CliError('usage', `${text} is not a URL.`, 'Write it as https://data.example.com.')
  return url.href.replace(/\/+$/, '')
}
