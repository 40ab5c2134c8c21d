import type { Command, Option } from './command.ts'
import { exitCodes } from './exit-codes.ts'

export const globalOptions: readonly Option[] = [
  { name: 'json', about: 'print JSON; errors go to standard error, also as JSON' },
  { name: 'url', value: 'URL', about: 'the server (default: FINMETER_URL, or the server of the last login)' },
  { name: 'api-key', value: 'KEY', about: 'prefer FINMETER_API_KEY: other processes can see options' },
  { name: 'help', about: 'show this help' },
  { name: 'version', about: 'show the version' },
]

const exits: Record<keyof typeof exitCodes, string> = {
  ok: 'success',
  unexpected: 'an error in the program itself',
  usage: 'a wrong command, option or parameter',
  notSignedIn: 'not logged in, or key refused',
  forbidden: 'denied, or not allowed',
  notFound: 'not found',
  noCredits: 'no credits left',
  rateLimited: 'too many requests',
  unavailable: 'the server did not respond, or failed',
}

const line = (left: string, about: string, width: number): string => `  ${left.padEnd(width)}  ${about}`
const usageOf = ({ name, takes = [], open }: Command): string =>
  [name, ...takes, ...(open ? ['[--INPUT VALUE ...]'] : [])].join(' ')
const optionText = ({ name, value, choices }: Option): string =>
  `--${name}${value ? ` ${choices ? choices.join('|') : value}` : ''}`

function optionLines(options: readonly Option[]): string[] {
  const width = Math.min(40, Math.max(...options.map((one) => optionText(one).length)))
  return options.map((one) => line(optionText(one), one.about, width))
}

/** The help of a command, or of all. */
export function helpText(commands: readonly Command[], command?: Command): string {
  if (command)
    return [
      `finmeter ${usageOf(command)}`,
      '',
      `${command.about}.`,
      '',
      ...optionLines([...(command.options ?? []), ...globalOptions]),
      '',
    ].join('\n')
  const width = Math.max(...commands.map((one) => usageOf(one).length))
  return [
    'finmeter COMMAND [OPTIONS]',
    '',
    ...commands.map((one) => line(usageOf(one), one.about, width)),
    '',
    ...optionLines(globalOptions),
    '',
    'Exit codes:',
    ...Object.entries(exits).map(([name, about]) => `  ${exitCodes[name as keyof typeof exitCodes]}  ${about}`),
    '',
  ].join('\n')
}
