import { matchQuestion } from './questions.ts'

/** What a chat message asks for: a tool with its arguments, or nothing known. */
export type Command = { tool: string; arguments: Record<string, unknown> } | { tool: null; help?: true }

const NUMBER = '(-?(?:\\d+(?:\\.\\d+)?|\\.\\d+))'
/** Longer expressions do not match: adding only the first two numbers would be a wrong answer. */
const END = '(?![\\d.]*\\d|\\s*[-+*/^]\\s*[\\d.(])'
const SUM = new RegExp(`\\b(?:add|calculate|compute|math)\\b[^\\d-]*?${NUMBER}\\s*\\+\\s*${NUMBER}${END}`, 'i')
const ECHO = /^\s*(?:please\s+)?(?:echo|say|repeat)\s+(\S[\s\S]*)$/i
/** Not within a word, such as sentiment. */
const TIME = /\btime|times?\b/i
const HELP = /^\s*(?:help|\?)[\s!?.]*$/i

/**
 * The specified commands in order (a sum, an echo, the time: any text with 'time' or 'timestamp'), help, then
 * the questions of `matchQuestion`, else a plain message.
 */
export function parseCommand(line: string): Command {
  const sum = SUM.exec(line)
  if (sum) return { tool: 'add', arguments: { a: Number(sum[1]), b: Number(sum[2]) } }
  const echo = ECHO.exec(line)
  if (echo) return { tool: 'echo', arguments: { text: echo[1]!.trim() } }
  if (TIME.test(line)) return { tool: 'timestamp', arguments: {} }
  if (HELP.test(line)) return { tool: null, help: true }
  return matchQuestion(line) ?? { tool: null }
}
