import { ConfigError } from '../config/config.ts'
import { HIDDEN } from '../hidden-characters.ts'

const LINE_END = /\r?\n/

/**
 * Everything that a command prints comes through here, because much of it was written by others: descriptions, names, messages of servers.
 * In a line, characters that end it, move the cursor, or hide or reorder text are printed as escapes.
 */
const visible = (line: string): string =>
  line.replace(HIDDEN, (hidden) => `\\u{${hidden.codePointAt(0)!.toString(16)}}`).replaceAll('\n', '\\u{a}')

export function print(...lines: string[]): void {
  for (const line of lines) console.log(visible(line))
}

/** On standard error, for progress. */
export const printProgress = (line: string): void => console.error(visible(line))

/** A text of several lines, as it is where it goes to a file or to another program. */
export function printText(text: string): void {
  if (process.stdout.isTTY) print(...text.split(LINE_END))
  else console.log(text)
}

/** How a command is used. */
export class Usage extends Error {}

/** Only the first line of an error begins at the left, so that a text within it cannot pass for a line of its own. */
export function printError(error: Error, mark = ''): void {
  const about = error instanceof ConfigError ? 'The configuration is not valid:\n' : ''
  const lines = `${mark}${about}${error.message}`.split(LINE_END).map(visible)
  console.error(lines.join(error instanceof Usage ? '\n' : '\n  '))
}
