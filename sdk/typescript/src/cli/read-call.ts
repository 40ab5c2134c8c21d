import { parseArgs } from 'node:util'
import type { Call, Command } from './command.ts'
import { CliError, seeHelp } from './exit-codes.ts'
import type { Globals } from './globals.ts'

/** The command that the words begin with, and what follows it. Throws CliError. */
export function findCommand(
  commands: readonly Command[],
  rest: readonly string[],
): { command: Command; args: string[] } {
  const [first = '', second = ''] = rest
  const two = commands.find(({ name }) => name === `${first} ${second}`)
  if (two) return { command: two, args: rest.slice(2) }
  const one = commands.find(({ name }) => name === first)
  if (one) return { command: one, args: rest.slice(1) }
  const group = commands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name.split(' ')[1])
  if (group.length > 0)
    throw new CliError('usage', `finmeter ${first} needs one of: ${group.join(', ')}.`, seeHelp, 'unknown_command')
  throw new CliError('usage', `There is no command ${first}.`, seeHelp, 'unknown_command')
}

/** What a command is called with. Throws for unknown options and for too many or too few words. */
export function readCall(command: Command, args: string[], globals: Globals): Call {
  const others: Record<string, string> = {}
  const given = command.open ? takeOthers(command, args, others) : args
  const { values, positionals } = parseArgs({
    args: given,
    allowPositionals: true,
    options: Object.fromEntries(
      (command.options ?? []).map(({ name, value }) => [name, { type: value ? 'string' : 'boolean' } as const]),
    ),
  })
  const { takes = [] } = command
  const needed = takes.filter((one) => !one.startsWith('['))
  if (positionals.length < needed.length)
    throw new CliError('usage', `finmeter ${command.name} needs ${needed[positionals.length]}.`, helpOf(command))
  if (positionals.length > takes.length)
    throw new CliError('usage', `finmeter ${command.name} does not take ${positionals[takes.length]}.`, helpOf(command))
  return { globals, positionals, options: values as Call['options'], others }
}

const helpOf = ({ name }: Command): string => `See finmeter ${name} --help.`

/** Moves `--name value` and `--name=value` that are no options of the command to `others`. */
function takeOthers({ options = [] }: Command, args: string[], others: Record<string, string>): string[] {
  const kept: string[] = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!
    const [, name, value] = /^--([\w-]+)(?:=([\s\S]*))?$/.exec(arg) ?? []
    const known = options.find((one) => one.name === name)
    if (!name || known) {
      kept.push(arg)
      if (known?.value && value === undefined && at + 1 < args.length) kept.push(args[++at]!)
      continue
    }
    const text = value ?? args[++at]
    if (text === undefined) throw new CliError('usage', `--${name} needs a value.`)
    // Repeated ones are a list.
    others[name] = Object.hasOwn(others, name) ? `${others[name]},${text}` : text
  }
  return kept
}
