/** A name that people use for data that is listed under another one. */
interface KnownName {
  /** The whole name, in lower case. */
  pattern: RegExp
  /** The name or symbol to look up instead. */
  symbol: string
  /** Its usual meaning. */
  units?: 'yoy'
}

const knownNames: readonly KnownName[] = [
  { pattern: /^(?:us |u\.s\. )?inflation(?: rate)?$/, symbol: 'US.CPI', units: 'yoy' },
  { pattern: /^(?:us )?(?:cpi|consumer prices?)$/, symbol: 'US.CPI' },
  {
    pattern: /^(?:us )?(?:10|ten)[- ]?(?:year|yr|y)(?: us)?(?: treasury)?(?: yield| rate| bond| note)?s?$/,
    symbol: 'US.RATE10Y',
  },
  { pattern: /^(?:us )?treasury yields?$/, symbol: 'US.RATE10Y' },
  { pattern: /^(?:crude |wti )?oil$|^wti(?: crude)?$|^crude$/, symbol: 'OIL.WTI' },
  { pattern: /^brent(?: crude)?(?: oil)?$/, symbol: 'OIL.BRENT' },
  { pattern: /^(?:natural )?gas$/, symbol: 'GAS.HENRYHUB' },
  { pattern: /^gold$/, symbol: 'GOLD.USD' },
  { pattern: /^(?:the )?s&p(?: 500)?$/, symbol: 'SPX' },
  { pattern: /^(?:volatility|fear) index$/, symbol: 'VIX' },
]

/** The usual meaning of a name; null if it has no other meaning. */
export const knownName = (name: string): KnownName | null =>
  knownNames.find(({ pattern }) => pattern.test(name.toLowerCase())) ?? null
