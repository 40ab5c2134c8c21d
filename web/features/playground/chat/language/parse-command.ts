import { DATE, daysBefore, isoOf, PERIOD, type Period, readPeriod } from './period.ts'
import {
  currencyCode,
  exchanges,
  exchangeWords,
  fillers,
  joints,
  type KnownName,
  knownNames,
  sectors,
  steps,
  type Topic,
  topics,
} from './words.ts'

/** A call of one of our tools. */
export interface Call {
  tool: string
  arguments: Record<string, unknown>
}

/** What a message asks for. `names` still have to be looked up, and may turn out to be none. */
export interface Question {
  /** The call itself, if it is about no name. */
  call?: Call
  topic: Topic | null
  /** In the order of the message: well-known names, and text that is neither a period, a topic nor a step. */
  names: (string | KnownName)[]
  period?: Period
  periodText?: string
  on?: string
  onText?: string
  step?: string | undefined
  statement?: string
  lines: string[]
  type?: string
  /** Words that have a meaning, but not beside the others. */
  leftOut: string[]
}

/** The meaning of a message without a model. */
export type Command =
  | { kind: 'call'; call: Call }
  | { kind: 'question'; question: Question }
  | { kind: 'help' }
  | { kind: 'plain' }

const call = (tool: string, args: Record<string, unknown> = {}): Call => ({ tool, arguments: args })

/** Longer expressions do not match: adding only the first two numbers would be a wrong answer. */
const END = '(?![\\d.]*\\d|\\s*[-+*/^]\\s*[\\d.(])'
const NUMBER = '-?(?:\\d+(?:\\.\\d+)?|\\.\\d+)'
const SUM = new RegExp(
  `\\b(?:add|calculate|compute|math)\\b[^\\d-]*?(?<a>${NUMBER})\\s*\\+\\s*(?<b>${NUMBER})${END}`,
  'i',
)
const ECHO = /^\s*(?:please\s+)?(?:echo|say|repeat)\s+(?<text>\S[\s\S]*)$/i
// Not within a word, such as sentiment.
const TIME = /\btime|times?\b/i
const SEARCH = /^(?:please )?(?:search|find|look up|symbol (?:of|for))(?: for)? (?<query>.{1,100})$/i
const whole = (pattern: string) => new RegExp(`^(?:please )?(?:${pattern})$`, 'iu')
const HELP = /^\s*(?:help|\?)[\s!?.]*$/i

/** Questions about no name, of which every word has a meaning. */
const wholeQuestions: readonly [pattern: RegExp, call: (found: Record<string, string | undefined>) => Call | null][] = [
  [
    whole(
      '(?:(?:list|show)(?: me)?(?: the| your| all)? )?(?:datasets|data sets)|what (?:data|datasets|data sets) (?:do you have|is there|are there|(?:is|are) available)',
    ),
    () => call('list_datasets'),
  ],
  [
    whole(
      '(?:show )?(?:me )?(?:my )?(?:usage|(?:remaining )?credits|(?:credit )?balance)(?: (?:left|remaining))?|how (?:many|much) credits? (?:is |are |have i |do i (?:still )?have )?(?:left|used|remaining)?|how (?:many|much) credits? (?:do i have|have i used)',
    ),
    () => call('get_usage'),
  ],
  [
    whole(
      '(?:is|when is|are)? ?(?:the )?(?<place>nyse|nasdaq|new york|london|lse|xetra|frankfurt|tokyo)?(?: stock)? ?(?:markets?|exchange)? ?(?:open|closed|opening hours|holidays|calendar)(?: (?:today|now|right now))?',
    ),
    ({ place = 'nyse' }) => call('get_market_calendar', { mic: exchanges[place.toLowerCase()] }),
  ],
  [
    whole(
      '(?:what are |show me |list )?(?:the )?(?:top|largest|biggest|leading)(?: (?<count>\\d{1,2}))?(?: (?<before>[\\p{L} ]+?))? (?:companies|stocks|firms)(?: (?:in|of)(?: the| sector)* (?<after>[\\p{L} ]+?))?(?: sector)?(?: by (?:revenue|sales))?',
    ),
    ({ count = '10', before, after }) => {
      const named = [before, after].flatMap((name) => name?.toLowerCase() ?? []).filter((name) => name !== 'us')
      const value = sectors[named[0] ?? '']
      if (named.length > 1 || (named.length === 1 && !value)) return null
      return call('screen_stocks', {
        filters: [value ? { field: 'sector', op: 'contains', value } : { field: 'revenue', op: 'gt', value: 0 }],
        sort: '-revenue',
        limit: Math.max(1, Number(count)),
      })
    },
  ],
]

/** The meaning of a chat message. `today` is YYYY-MM-DD. */
export function parseCommand(line: string, today = new Date().toISOString().slice(0, 10)): Command {
  // The specified commands come first.
  const sum = SUM.exec(line)?.groups
  if (sum) return { kind: 'call', call: call('add', { a: Number(sum.a), b: Number(sum.b) }) }
  const text = ECHO.exec(line)?.groups?.text
  if (text !== undefined) return { kind: 'call', call: call('echo', { text: text.trim() }) }
  if (TIME.test(line)) return { kind: 'call', call: call('timestamp') }

  const asked = line
    .replace(/[’‘]/g, "'")
    .replace(/\s+/g, ' ')
    .replace(/[\s?!.]+$/, '')
    .trim()
  if (HELP.test(line)) return { kind: 'help' }
  const query = SEARCH.exec(asked)?.groups?.query
  if (query) return { kind: 'call', call: call('search_symbols', { query }) }
  for (const [pattern, read] of wholeQuestions) {
    const found = pattern.exec(asked)
    const made = found && read(found.groups ?? {})
    if (made) return { kind: 'call', call: made }
  }
  if (asked.split(' ').length > MOST_WORDS) return { kind: 'plain' }
  const question = readConversion(asked, today) ?? readQuestion(asked, today)
  return question.names.length > 0 || question.call ? { kind: 'question', question } : { kind: 'plain' }
}

const MOST_WORDS = 16
const ON = `(?:on |at |as of )(?<day>${DATE})|(?<word>yesterday)`
const dayOf = ({ day }: Record<string, string | undefined>, today: string): string =>
  day ? isoOf(day) : daysBefore(today, 1)

/** Two currencies and nothing else that could be a name; other words are left over as names. */
function readConversion(asked: string, today: string): Question | null {
  const on = new RegExp(`\\b(?:${ON})\\b`, 'i').exec(asked)
  const words = (on ? asked.replace(on[0], '') : asked)
    .replace(/^([a-z]{3})([a-z]{3})$/i, (both, a, b) => (currencyCode(a) && currencyCode(b) ? `${a} ${b}` : both))
    .replace(/[$€£¥]/g, ' $& ')
    .split(/[\s/]+/)
    .filter(Boolean)
  // Short words such as "all" and "try" are codes, too: they count only in capitals, or with two currencies in all.
  const found = words.flatMap((word, at) =>
    !fillers.has(word.toLowerCase()) && currencyCode(word) ? { word, at } : [],
  )
  if (found.length !== 2 || words.some((word) => /^(?:vs\.?|compare|versus)$/i.test(word))) return null
  // Beside its currency: in "EUR to USD 2020" the number is no amount.
  const amountAt = words.findIndex(
    (word, at) =>
      /^\d{1,15}(?:[.,]\d{1,10})?$/.test(word) &&
      (found.some((one) => one.at === at + 1) || /^[$€£¥]$/.test(words[at - 1] ?? '')),
  )
  const others = words.filter((word, at) => {
    const known = [fillers, joints, exchangeWords].some((list) => list.has(word.toLowerCase()))
    return at !== amountAt && !known && !found.some((one) => one.at === at)
  })
  if (others.length > 2) return null
  let [from, to] = found as [(typeof found)[0], (typeof found)[0]]
  // "How many yen is 1 dollar", "how many dollars in a euro".
  const isSecond =
    amountAt === -1 ? /^how many/i.test(asked) : Math.abs(to.at - amountAt) < Math.abs(from.at - amountAt)
  if (isSecond) [from, to] = [to, from]
  return {
    call: call('convert_currency', {
      amount: amountAt === -1 ? '1' : words[amountAt]!.replace(',', '.'),
      from: currencyCode(from.word),
      to: currencyCode(to.word),
      ...(on && { date: dayOf(on.groups!, today) }),
    }),
    topic: null,
    names: [],
    lines: [],
    leftOut: others,
  }
}

/** Between expressions that were read, so that names do not reach across. */
const GAP = null
type Part = string | KnownName | typeof GAP

/** Takes what each kind of word means out of the message; the rest are names. */
function readQuestion(asked: string, today: string): Question {
  const question: Question = { topic: null, names: [], lines: [], leftOut: [] }
  let parts: Part[] = [asked]
  const take = (pattern: string, read: (found: RegExpMatchArray) => Part | undefined) => {
    const regex = new RegExp(`(?<![\\p{L}\\p{N}.^&_/])(?:${pattern})(?![\\p{L}\\p{N}&=^]|[./-][\\p{L}\\p{N}])`, 'giu')
    parts = parts.flatMap((part) => {
      if (typeof part !== 'string') return [part]
      const rest: Part[] = []
      let from = 0
      for (const found of part.matchAll(regex)) {
        const made = read(found)
        if (made === undefined) continue
        rest.push(part.slice(from, found.index), made)
        from = found.index + found[0].length
      }
      return [...rest, part.slice(from)]
    })
  }
  const leave = (text: string) => {
    question.leftOut.push(text)
    return GAP
  }
  for (const { pattern, known } of knownNames)
    take(pattern, ({ groups = {}, 0: text }) => ({ ...known(lowered(groups)), text }))
  take(ON, ({ groups = {}, 0: text }) => {
    if (question.on !== undefined) return leave(text)
    question.on = dayOf(groups, today)
    question.onText = text
    return GAP
  })
  take(PERIOD, ([text]) => {
    const period = question.period ? null : readPeriod(text, today)
    if (period) Object.assign(question, { period, periodText: text })
    return period ? GAP : question.period ? leave(text) : undefined
  })
  for (const word of Object.keys(steps))
    take(word, ([text]) => {
      if (question.step !== undefined) return leave(text)
      question.step = word
      return GAP
    })
  for (const words of topics) take(words.pattern, ([text]) => (takeTopic(question, words) ? GAP : leave(text)))
  question.names = parts.filter((part) => part !== GAP && (typeof part !== 'string' || /[\p{L}\p{N}]/u.test(part))) as (
    | string
    | KnownName
  )[]
  return question
}

const lowered = (groups: Record<string, string>) =>
  Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, text?.toLowerCase()])) as Record<
    string,
    string
  >

const general: readonly (Topic | null)[] = ['compare', 'candles', 'history', 'price']

/** Whether the topic goes with those before it: a second subject does not. */
function takeTopic(question: Question, { topic, line, statement, type }: (typeof topics)[number]): boolean {
  const { topic: before } = question
  if (before !== null && !general.includes(before) && !general.includes(topic)) {
    if (topic !== before || topic !== 'financials' || question.statement || statement) return false
  }
  if (before === null || (general.includes(before) && general.indexOf(topic) < general.indexOf(before)))
    question.topic = topic
  if (line) question.lines.push(line)
  if (statement) question.statement = statement
  if (type) question.type = type
  return true
}
