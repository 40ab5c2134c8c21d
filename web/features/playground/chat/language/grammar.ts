import { currencyCode } from './currency-names.ts'
import { knownName } from './known-names.ts'
import { PERIOD, type Period, readPeriod } from './period.ts'

/** A call of one of our tools. */
export interface Call {
  tool: string
  arguments: Record<string, unknown>
}

/** The intent of a question. Its names still have to be looked up. */
export type Intent =
  | { kind: 'call'; call: Call }
  | { kind: 'price'; name: string; on?: string }
  | { kind: 'history'; name: string; period?: Period; candles?: true }
  | { kind: 'compare'; names: [string, string]; period?: Period; chart?: true }
  | { kind: 'company' | 'financials'; name: string }
  | { kind: 'actions'; name: string; type?: 'split' | 'dividend' }

/** The meaning of a message without a model; `plain`: none that is known. */
export type Command = Intent | { kind: 'help' } | { kind: 'plain' }

type Found = Record<string, string | undefined>

/** A form of message that the chat understands without a model. */
interface Form {
  /** Shown on the Settings tab. */
  listed?: {
    about: string
    /** Can be sent if it has no capital placeholder; `{a}` and `{b}` stand for symbols of this server. */
    example: string
    /** The dataset that the example needs. */
    needs?: string
  }
  patterns: readonly RegExp[]
  /** Null if the words fit but are about something else. */
  read: (found: Found, today: string) => Command | null
}

const NAME = "(?:[\\p{L}^$.]|\\d{1,2}[ -]?y)[\\p{L}\\p{N}&.,/=^$' -]{0,59}?"
const WORD = "[\\p{L}\\p{N}&.,/=^$'-]{1,20}"
/** At most four words: longer texts are sentences. */
const SHORT = `${WORD}(?:\\s${WORD}){0,3}`
const when = `(?:,?\\s+(?<period>${PERIOD}))?`
/** Whole messages only: a question inside a longer text does not match. */
const line = (text: string) => new RegExp(`^\\s*(?:please\\s+)?${text}\\s*[?.!]*\\s*$`, 'iu')

const call = (tool: string, args: Record<string, unknown> = {}): Command => ({
  kind: 'call',
  call: { tool, arguments: args },
})
/** The name without the words around it in a sentence. */
const bare = (name: string | undefined) =>
  (name ?? '')
    .trim()
    .replace(/^(?:the|of)\s+/i, '')
    .replace(/\s+(?:stock|shares?|prices?)$/i, '')
const during = (period: string | undefined, today: string): { period?: Period } => {
  const read = period === undefined ? null : readPeriod(period, today)
  return read ? { period: read } : {}
}

const sectors: Record<string, string> = {
  tech: 'Information Technology',
  technology: 'Information Technology',
  it: 'Information Technology',
  finance: 'Financials',
  financial: 'Financials',
  bank: 'Financials',
  health: 'Health Care',
  healthcare: 'Health Care',
  utility: 'Utilities',
}

/** Longer expressions do not match: adding only the first two numbers would be a wrong answer. */
const END = '(?![\\d.]*\\d|\\s*[-+*/^]\\s*[\\d.(])'
const NUMBER = '-?(?:\\d+(?:\\.\\d+)?|\\.\\d+)'
const SUM = new RegExp(
  `\\b(?:add|calculate|compute|math)\\b[^\\d-]*?(?<a>${NUMBER})\\s*\\+\\s*(?<b>${NUMBER})${END}`,
  'i',
)
const ALONE = line(`(?:what(?:['’]s| is)\\s+(?:the\\s+)?)?(?<name>${NAME})`)
/** Symbols are in capitals, or have a dot or a caret: other single words are just words. */
const SYMBOL =
  /^\s*(?<symbol>\^?[A-Z][A-Z0-9]{1,9}(?:[./=-][A-Z0-9]+)*|\^[A-Za-z]{2,9}|[A-Za-z]{2,9}\.[A-Za-z0-9.]{2,12})\s*$/

/** In the order in which they are checked: the specified commands first. */
export const grammar: readonly Form[] = [
  {
    listed: { about: 'Adds two numbers; also calculate, compute, math', example: 'add N + N' },
    patterns: [SUM],
    read: ({ a, b }) => call('add', { a: Number(a), b: Number(b) }),
  },
  {
    listed: { about: 'Repeats text; also say, repeat', example: 'echo TEXT' },
    patterns: [/^\s*(?:please\s+)?(?:echo|say|repeat)\s+(?<text>\S[\s\S]*)$/i],
    read: ({ text }) => call('echo', { text: text!.trim() }),
  },
  {
    listed: { about: 'Server time; any text with time or timestamp', example: 'time' },
    // Not within a word, such as sentiment.
    patterns: [/\btime|times?\b/i],
    read: () => call('timestamp'),
  },
  {
    listed: { about: 'This list', example: 'help' },
    patterns: [/^\s*(?:help|\?)[\s!?.]*$/i],
    read: () => ({ kind: 'help' }),
  },
  {
    // A well-known name alone; below, "10 year yield" would look like a period.
    patterns: [ALONE],
    read: ({ name = '' }) => (knownName(name.trim()) ? { kind: 'history', name: name.trim() } : null),
  },
  {
    listed: { about: 'Currency conversion; also EUR to USD', example: 'convert 100 EUR to USD', needs: 'fx-points' },
    patterns: [
      line(
        '(?:convert\\s+)?(?:(?:how much (?:is|are)|what (?:is|are))\\s+)?(?<amount>\\d+(?:[.,]\\d+)?)\\s*(?<from>\\p{L}{3,8})\\s+(?:to|into|in)\\s+(?<to>\\p{L}{3,8})',
      ),
      line(
        '(?:(?:what is the )?(?:exchange )?rate (?:of |from |for )?)?(?<from>\\p{L}{3,8})(?:\\s*/\\s*|\\s+(?:to|into|in|and)\\s+)(?<to>\\p{L}{3,8})(?:\\s+(?:exchange )?rate)?',
      ),
    ],
    read({ amount = '1', from, to }) {
      const [source, target] = [currencyCode(from!), currencyCode(to!)]
      return source && target
        ? call('convert_currency', { amount: amount.replace(',', '.'), from: source, to: target })
        : null
    },
  },
  {
    listed: { about: 'Two symbols over one period; also vs', example: 'compare {a} and {b} over 5 years' },
    patterns: [
      line(`compare\\s+(?<name>${NAME})\\s+(?:and|with|to|vs\\.?|versus|against)\\s+(?<other>${NAME})${when}`),
      line(`(?<name>${SHORT})\\s+(?:vs\\.?|versus|against)\\s+(?<other>${NAME})${when}`),
      line(`(?<chart>chart|plot|draw)\\s+(?<name>${NAME})\\s+(?:and|with|vs\\.?)\\s+(?<other>${NAME})${when}`),
    ],
    read: ({ name, other, period, chart }, today) => ({
      kind: 'compare',
      names: [bare(name), bare(other)],
      ...(chart && { chart: true }),
      ...during(period, today),
    }),
  },
  {
    listed: {
      about: 'Price history as a chart; also history of, how did it do this year, since 2022',
      example: 'chart {a} over 5 years',
    },
    patterns: [
      line(
        `(?:(?<candles>candles|candlesticks?)|chart|plot|draw|graph|history|performance|show(?: me)?)(?: chart)?(?: of| for)?\\s+(?<name>${NAME})${when}`,
      ),
      line(`(?<period>${PERIOD})\\s+(?:chart|history|graph|performance)\\s+(?:of|for)\\s+(?<name>${NAME})`),
      line(`(?<name>${SHORT})\\s+(?:chart|history|graph|performance)${when}`),
      line(
        `how\\s+(?:did|has|have|is|was|were)\\s+(?<name>${NAME})\\s+(?:do|done|doing|perform|performed|performing|go|gone|move|moved|change|changed|develop|developed)${when}`,
      ),
    ],
    read: ({ name, period, candles }, today) => ({
      kind: 'history',
      name: bare(name),
      ...(candles && { candles: true }),
      ...during(period, today),
    }),
  },
  {
    listed: { about: 'Latest price or value, or the one on a given date', example: 'price of {a}' },
    patterns: [
      line(
        `(?:(?:what(?:['’]s| is| was)|show me) )?(?:the )?(?:(?:current|last|latest) )?(?:price|quote|value|level)s?(?: of| for)?\\s+(?<name>${NAME})(?:\\s+on\\s+(?<on>\\d{4}-\\d{2}-\\d{2}))?`,
      ),
      line(`(?<name>${SHORT})\\s+(?:price|quote)(?: today| now)?`),
      line(`how much (?:is|does|are|do)\\s+(?<name>${NAME})(?:\\s+(?:cost|worth|trading at))?`),
      line(`what (?:is|does)\\s+(?<name>${NAME})\\s+(?:cost|worth|trading at|trade at|at)`),
    ],
    read: ({ name, on }) => ({ kind: 'price', name: bare(name), ...(on && { on }) }),
  },
  {
    listed: {
      about: 'Largest companies of a sector by revenue',
      example: 'top companies in Energy',
      needs: 'us-statements',
    },
    patterns: [
      line(
        '(?:top|largest|biggest|leading)(?:\\s+(?<count>\\d{1,2}))?\\s+(?:companies|stocks|firms)(?:\\s+(?:in|of|by)(?:\\s+(?:the|sector))*\\s+(?<sector>[\\p{L} &]{2,40}?))?(?:\\s+sector)?',
      ),
      line(
        '(?:top|largest|biggest|leading)(?:\\s+(?<count>\\d{1,2}))?\\s+(?<sector>[\\p{L} &]{2,40}?)\\s+(?:companies|stocks|firms)',
      ),
    ],
    read({ count = '10', sector }) {
      const value = sector && (sectors[sector.toLowerCase()] ?? sector)
      return call('screen_stocks', {
        filters: [value ? { field: 'sector', op: 'contains', value } : { field: 'revenue', op: 'gt', value: 0 }],
        sort: '-revenue',
        limit: Math.max(1, Number(count)),
      })
    },
  },
  {
    listed: { about: 'Symbol search', example: 'search {a}' },
    patterns: [line('(?:search|find|look up|symbol(?: of| for))\\s+(?:for\\s+)?(?<query>.{1,100}?)')],
    read: ({ query }) => call('search_symbols', { query }),
  },
  {
    listed: { about: 'Annual statements of a company', example: 'financials of IBM', needs: 'us-statements' },
    patterns: [
      line(`(?:financials|income statement|revenue|earnings|profit)s?\\s+(?:of|for)\\s+(?<name>${NAME})`),
      line(`(?<name>${SHORT})\\s+(?:financials|income statement|revenue)`),
    ],
    read: ({ name }) => ({ kind: 'financials', name: bare(name) }),
  },
  {
    listed: {
      about: 'Dividends or splits of a stock; the sample data for MSFT ends in 2016',
      example: 'dividends of MSFT',
      needs: 'msft-daily',
    },
    patterns: [
      line(`(?<type>dividend|split)s?\\s+(?:of|for)\\s+(?<name>${NAME})`),
      line(`(?<name>${SHORT})\\s+(?<type>dividend|split)s?`),
    ],
    read: ({ name, type }) => ({
      kind: 'actions',
      name: bare(name),
      type: type!.toLowerCase() === 'split' ? 'split' : 'dividend',
    }),
  },
  {
    listed: { about: 'Company profile', example: 'company AAPL', needs: 'us-companies' },
    patterns: [line(`(?:company|profile of|(?:tell me )?about|who is)\\s+(?<name>${NAME})`)],
    read: ({ name }) => ({ kind: 'company', name: bare(name) }),
  },
  {
    listed: { about: 'The datasets of this server', example: 'datasets' },
    patterns: [
      line('(?:(?:list|show)(?: me)?(?: the)? )?datasets'),
      line('what (?:data|datasets)(?: sets)? (?:do you have|is there|are there|are available|is available)'),
    ],
    read: () => call('list_datasets'),
  },
  {
    listed: { about: 'Credits used and left', example: 'usage' },
    patterns: [
      line('(?:my )?(?:usage|credits|balance)(?: left)?'),
      line('how many credits (?:are|have i|do i have)(?: left)?'),
    ],
    read: () => call('get_usage'),
  },
  {
    // After the other questions, since it fits many of them.
    patterns: [line(`(?<name>${SHORT}?),?\\s+(?<period>${PERIOD})`)],
    read: ({ name, period }, today) => ({ kind: 'history', name: bare(name), ...during(period, today) }),
  },
  { patterns: [SYMBOL], read: ({ symbol }) => ({ kind: 'price', name: symbol! }) },
]
