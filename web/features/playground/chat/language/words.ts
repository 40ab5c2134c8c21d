/** Every word that the chat understands, besides periods. */

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Words that change nothing: a question means the same without them. */
export const fillers = set(`
  a an the of for from me my our please what what's whats which is are was were am be been being did do does done has have had how
  much many in on at by its it this that there i we you your want would could can like show give get tell see find know display
  current currently latest last recent recently now today stock stocks share shares ticker symbol inc corp go gone went going
  move moved moving change changed doing develop developed up`)

/** Between two names. */
export const joints = set('and or vs vs. versus against with to plus & , ;')

/** Words that are tickers, or begin a company's name, too. They are symbols only in capitals. */
export const notSymbols = set(`
  all any average bad best better big buy car cat cost day dd ed eat fast first five fun gas general global good great growth has
  hes high hold home hot job key least love low man met mo most new news next old one open out own peg performing play post public
  real return returns rig ring risk road run safe second sell so sun tap team tel top total true two use very wat week well when
  why will win world worst year`)

/** Too general for a name, although a single series may happen to have them in its name. */
export const vague = set('interest rate rates yield yields index economy market markets long data')

export type Topic = 'financials' | 'actions' | 'company' | 'compare' | 'candles' | 'history' | 'price'

interface TopicWords {
  pattern: string
  topic: Topic
  /** A line of the financial statements, or one of the statements. */
  line?: string
  statement?: 'income' | 'balance' | 'cash' | 'ratios'
  type?: 'split' | 'dividend'
}

const line = (name: string, pattern: string): TopicWords => ({ topic: 'financials', line: name, pattern })

/** What is asked about a name. Longer expressions stand before those that they contain. */
export const topics: readonly TopicWords[] = [
  { topic: 'financials', statement: 'balance', pattern: 'balance sheets?' },
  { topic: 'financials', statement: 'cash', pattern: 'cash ?flows?(?: statements?)?' },
  { topic: 'financials', statement: 'ratios', pattern: '(?:financial )?ratios' },
  line('eps', 'eps|earnings per share'),
  {
    topic: 'financials',
    statement: 'income',
    pattern: 'income statements?|financials|(?:financial )?statements|fundamentals|earnings|(?:financial )?results',
  },
  line('gross_profit', 'gross profits?'),
  line('operating_income', 'operating (?:income|profits?)|ebit'),
  line('net_income', 'net (?:income|profits?)|profits?'),
  line('revenue', 'revenues?|sales|turnover'),
  line('research_and_development', 'r&d(?: spending)?|research and development'),
  line('total_assets', '(?:total )?assets'),
  line('total_liabilities', '(?:total )?liabilities'),
  line('long_term_debt', 'long[ -]term debt'),
  line('total_equity', "(?:shareholders?['’]? |total )?equity"),
  { topic: 'actions', type: 'dividend', pattern: 'dividends?(?: history)?' },
  { topic: 'actions', type: 'split', pattern: '(?:stock )?splits?' },
  { topic: 'company', pattern: 'company(?: profile)?|profile|(?:tell me )?about|who is|sector|industry' },
  { topic: 'compare', pattern: 'compared?(?: to| with)?|comparison|vs\\.?|versus|against' },
  { topic: 'candles', pattern: 'candles(?:ticks?)?(?: chart)?|ohlc' },
  {
    topic: 'history',
    pattern:
      '(?:price )?(?:chart|graph|plot|draw|history|historical(?: data| prices?)?|performance|perform(?:ed|ing)?|trend)',
  },
  {
    topic: 'price',
    pattern: 'prices?|quotes?|values?|levels?|worth|costs?|trad(?:e|es|ing)(?: at)?|clos(?:e|ed|ing)(?: at)?',
  },
]

/** How often: of the statements, and of values in a history. */
export const steps: Record<string, { interval: string; frequency?: string; period?: 'annual' | 'quarterly' }> = {
  daily: { interval: '1d' },
  weekly: { interval: '1w' },
  monthly: { interval: '1mo' },
  quarterly: { interval: '1q', frequency: 'quarterly', period: 'quarterly' },
  annual: { interval: '1y', frequency: 'annual', period: 'annual' },
  yearly: { interval: '1y', frequency: 'annual', period: 'annual' },
}

/** A name that people use for data that is listed under another one. */
export interface KnownName {
  symbol: string
  /** As it was written. */
  text?: string
  /** Its usual meaning. */
  units?: 'yoy'
}

const US = '(?:(?:us|u\\.s\\.|american) )?'
const TENOR = '(?<count>\\d{1,2}|one|two|three|five|seven|ten|twenty|thirty)[- ]?(?<unit>year|yr|y|month|mo|m)s?'
const numbers: Record<string, string> = {
  one: '1',
  two: '2',
  three: '3',
  five: '5',
  seven: '7',
  ten: '10',
  twenty: '20',
  thirty: '30',
}

function tenor({ count = '10', unit = 'y' }: Record<string, string>): string {
  const held = `${numbers[count] ?? count}${unit.startsWith('m') ? 'M' : 'Y'}`
  return held === '10Y' ? 'US.RATE10Y' : `US.TREASURY.${held}`
}

export const knownNames: readonly { pattern: string; known: (found: Record<string, string>) => KnownName }[] = (
  [
    [`${US}inflation(?: rate)?`, { symbol: 'US.CPI', units: 'yoy' }],
    [`${US}(?:cpi|consumer prices?(?: index)?)`, { symbol: 'US.CPI' }],
    [`${US}${TENOR}(?: us)? (?:treasury )?(?:yields?|rates?|bonds?(?: yields?)?|notes?|bills?)`, tenor],
    [`${US}${TENOR}(?: us)? treasur(?:y|ies)|us ${TENOR}`, tenor],
    [`${US}(?:treasury|bond) yields?`, tenor],
    ['brent(?: crude)?(?: oil)?', { symbol: 'OIL.BRENT' }],
    ['(?:crude |wti )?oil|wti(?: crude)?|crude', { symbol: 'OIL.WTI' }],
    ['(?:natural )?gas', { symbol: 'GAS.HENRYHUB' }],
    ['gold', { symbol: 'GOLD.USD' }],
    ['(?:the )?s ?& ?p(?: ?500)?(?: index)?|sp ?500', { symbol: 'SPX' }],
    ['nasdaq(?:[- ]100)?(?: index)?', { symbol: 'NDX' }],
    ['(?:volatility|fear) index', { symbol: 'VIX' }],
    ['bitcoin|btc', { symbol: 'BTC/USD' }],
    ['(?:shiller (?:p/e|pe)|cape)(?: ratio)?', { symbol: 'US.SHILLER.CAPE' }],
    ['nonfarm (?:payrolls?|jobs)|payrolls', { symbol: 'US.JOBS.NONFARM' }],
  ] as const
).map(([pattern, known]) => ({
  pattern,
  known: (found) => (typeof known === 'function' ? { symbol: known(found) } : known),
}))

/** Sectors of `screen_stocks`. */
export const sectors: Record<string, string> = {
  tech: 'Information Technology',
  technology: 'Information Technology',
  it: 'Information Technology',
  'information technology': 'Information Technology',
  finance: 'Financials',
  financial: 'Financials',
  financials: 'Financials',
  bank: 'Financials',
  banking: 'Financials',
  health: 'Health Care',
  healthcare: 'Health Care',
  'health care': 'Health Care',
  utility: 'Utilities',
  utilities: 'Utilities',
  energy: 'Energy',
  materials: 'Materials',
  industrials: 'Industrials',
  industrial: 'Industrials',
  'real estate': 'Real Estate',
  'consumer staples': 'Consumer Staples',
  'consumer discretionary': 'Consumer Discretionary',
  'communication services': 'Communication Services',
}

export const exchanges: Record<string, string> = {
  nyse: 'XNYS',
  'new york': 'XNYS',
  nasdaq: 'XNAS',
  london: 'XLON',
  lse: 'XLON',
  xetra: 'XETR',
  frankfurt: 'XETR',
  tokyo: 'XTKS',
}

const currencies: Record<string, string> = {
  $: 'USD',
  dollar: 'USD',
  dollars: 'USD',
  bucks: 'USD',
  '€': 'EUR',
  euro: 'EUR',
  euros: 'EUR',
  '£': 'GBP',
  pound: 'GBP',
  pounds: 'GBP',
  sterling: 'GBP',
  '¥': 'JPY',
  yen: 'JPY',
  franc: 'CHF',
  francs: 'CHF',
  rupee: 'INR',
  rupees: 'INR',
  yuan: 'CNY',
  bitcoin: 'BTC',
}
const codes = new Set([...Intl.supportedValuesOf('currency'), 'BTC', 'ETH', 'XAU', 'XAG'])

/** A unit, never the name of a series: "gold in euros" does not ask for an exchange rate. */
export const isCurrencyName = (word: string): boolean => Object.hasOwn(currencies, word.toLowerCase())

/** The code of a currency by code or name; null for any other word. */
export function currencyCode(word: string): string | null {
  const code = currencies[word.toLowerCase()] ?? word.toUpperCase()
  return codes.has(code) ? code : null
}

/** Words around two currencies. */
export const exchangeWords = set(
  'convert exchange rate rates currency fx into equal equals worth value price = conversion',
)
