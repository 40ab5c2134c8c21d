import { fillers, joints, topics } from './words.ts'

/** The beginning of a command that takes text or numbers, or that is complete. */
const commandWords = /^\s*(?:please\s+)?(?:add|calculate|compute|math|echo|say|repeat|help)\b|\btimes?(?:tamp)?\b/i

/** Words around a name in a question that are neither topics nor fillers. */
const around = /^(?:between|exchange|find|look|max|months?|over|past|profile|rates?|search|since|until|years?)$/i
const topicWords = new RegExp(`^(?:${topics.map(({ pattern }) => pattern).join('|')})$`, 'i')
const maxWords = 3

/** The name at the end of a message that is being written, and where it begins; null if there is none to look up. */
export function typedName(line: string): { query: string; start: number } | null {
  if (commandWords.test(line)) return null
  const words = [...line.matchAll(/\S+/g)]
  let first = words.length
  while (first > 0 && first > words.length - maxWords && isName(words[first - 1]![0])) first -= 1
  // Without a verb, only a short text can be a name.
  if (first === words.length || (first > 0 && isName(words[first - 1]![0]))) return null
  const start = words[first]!.index
  const query = line.slice(start).trim()
  return query.length >= 2 ? { query, start } : null
}

const isName = (text: string) => {
  const word = text.toLowerCase()
  const surrounds = fillers.has(word) || joints.has(word) || around.test(word) || topicWords.test(word)
  return /^[\p{L}^$][\p{L}\p{N}&./=^'-]*$/u.test(text) && !surrounds
}
