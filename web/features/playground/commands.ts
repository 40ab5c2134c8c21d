import { understand } from './questions.ts'

/** What a line of the chat asks for: a tool with its arguments, or nothing that we know. */
export type Command = { tool: string; arguments: Record<string, unknown> } | { tool: null }

const NUMBER = '(-?(?:\\d+(?:\\.\\d+)?|\\.\\d+))'
/** What goes on after two numbers is no sum of two: half of it would be a wrong answer. */
const END = '(?![\\d.]*\\d|\\s*[-+*/^]\\s*[\\d.(])'
const SUM = new RegExp(`\\b(?:add|calculate|compute|math)\\b[^\\d-]*?${NUMBER}\\s*\\+\\s*${NUMBER}${END}`, 'i')
const ECHO = /^\s*(?:echo|say|repeat)\s+(\S[\s\S]*)$/i
const TIME = /time/i

/**
 * The specified commands in their order (a sum, an echo, the time: any text with 'time' or 'timestamp' in it), then the
 * plain questions of `understand`, else a plain message.
 */
export function parseCommand(line: string): Command {
  const sum = SUM.exec(line)
  if (sum) return { tool: 'add', arguments: { a: Number(sum[1]), b: Number(sum[2]) } }
  const echo = ECHO.exec(line)
  if (echo) return { tool: 'echo', arguments: { text: echo[1]!.trim() } }
  if (TIME.test(line)) return { tool: 'timestamp', arguments: {} }
  return understand(line) ?? { tool: null }
}
