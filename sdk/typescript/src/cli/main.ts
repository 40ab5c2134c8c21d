#!/usr/bin/env node
import { readFile } from 'node:fs/promises'
import { commands } from './commands.ts'
import { addressOf } from './credentials.ts'
import { asCliError, exitCodes } from './exit-codes.ts'
import { takeGlobals } from './globals.ts'
import { helpText } from './help.ts'
import { note, out } from './print.ts'
import { findCommand, readCall } from './read-call.ts'

// `finmeter bars AAPL | head` closes the output early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
process.exitCode = await main(process.argv.slice(2))

/** Runs a command and returns the exit code. Errors are one sentence on standard error, and one that says what to do. */
async function main(args: string[]): Promise<number> {
  // Known before anything can fail.
  const isJson = args.includes('--json')
  try {
    const { globals, rest } = takeGlobals(args, process.env)
    if (globals.version) out(`${await version()}\n`)
    else if (rest.length === 0) {
      out(helpText(commands))
      return globals.help ? exitCodes.ok : exitCodes.usage
    } else {
      const { command, args: given } = findCommand(commands, rest)
      if (globals.help) out(helpText(commands, command))
      else await command.run(readCall(command, given, globals))
    }
    return exitCodes.ok
  } catch (thrown) {
    const { exit, code, message, hint: given } = asCliError(thrown)
    const hint = given?.startsWith('/') ? await pageAt(args, given) : given
    if (isJson) note(JSON.stringify({ error: { code, message, hint: hint ?? null, exit: exitCodes[exit] } }))
    else note(`finmeter: ${message}${hint ? `\n${hint}` : ''}`)
    return exitCodes[exit]
  }
}

/** How to read a page of the server that refused. */
async function pageAt(args: string[], path: string): Promise<string> {
  if (path.startsWith('/docs/')) return `finmeter docs ${path.slice('/docs/'.length)} says more.`
  return `See ${await addressOf(takeGlobals(args, process.env).globals)}${path}`
}

/** Of the package, from the source and from `dist`. */
async function version(): Promise<string> {
  return JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')).version
}
