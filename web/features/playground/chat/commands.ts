import { type Intent, matchQuestion } from './questions.ts'

/** The beginning of a command that takes text or numbers, or that is complete. */
export const commandWords =
  /^\s*(?:please\s+)?(?:add|calculate|compute|math|echo|say|repeat|help)\b|\btimes?(?:tamp)?\b/i

/** The command in a chat message; `plain`: none that is known. */
export type Command = Intent | { kind: 'help' } | { kind: 'plain' }

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
export function parseCommand(line: string, today = new Date().toISOString().slice(0, 10)): Command {
  const call = (tool: string, args: Record<string, unknown>): Command => ({
    kind: 'call',
    call: { tool, arguments: args },
  })
  const sum = SUM.exec(line)
  if (sum) return call('add', { a: Number(sum[1]), b: Number(sum[2]) })
  const echo = ECHO.exec(line)
  if (echo) return call('echo', { text: echo[1]!.trim() })
  if (TIME.test(line)) return call('timestamp', {})
  if (HELP.test(line)) return { kind: 'help' }
  return matchQuestion(line, today) ?? { kind: 'plain' }
}
