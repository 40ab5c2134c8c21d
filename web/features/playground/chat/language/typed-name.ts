/** The beginning of a command that takes text or numbers, or that is complete. */
const commandWords = /^\s*(?:please\s+)?(?:add|calculate|compute|math|echo|say|repeat|help)\b|\btimes?(?:tamp)?\b/i

/** Words around a name in a question. */
const around = new Set(
  `a about against an and are between by candles chart close company compare current did dividends do does draw find
   financials for from graph has have history how in is it last latest level look me move of on over past performance
   perform please plot price profile quote rate revenue search show since splits stock tell the this to until value
   versus vs was what what's with worth year years month months max`.split(/\s+/),
)
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

const isName = (word: string) => /^[\p{L}^$][\p{L}\p{N}&./=^'-]*$/u.test(word) && !around.has(word.toLowerCase())
