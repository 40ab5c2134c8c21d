import type { Answer, Asked, Source } from './answer.ts'
import type { SourceFiles } from './source-files.ts'

/** Keys that the vendors here know begin with this; every other one is refused, as the vendor would refuse it. */
const KNOWN_KEYS = /^sandbox/

const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

function read<T>(files: SourceFiles, vendor: string, name: string): T | null {
  const found = files.read(vendor, `${name}.json`)
  return found ? (JSON.parse(found.toString('utf8')) as T) : null
}

/** The key after a word such as Bearer. */
const keyIn = ({ headers }: Asked, word: string): string | null =>
  new RegExp(`^${word} (\\S+)$`).exec(headers.authorization ?? '')?.[1] ?? null
const isKnown = (key: string | null): boolean => key !== null && KNOWN_KEYS.test(key)

const between = <T>(rows: T[], dayOf: (row: T) => string, from: string | null, to: string | null): T[] =>
  rows.filter((row) => (!from || dayOf(row) >= from) && (!to || dayOf(row) <= to))

/** Every answer has status 200, also those that are none. */
export const alphavantage: Source = ({ url }, files) => {
  if (url.pathname !== '/query') return null
  const asked = url.searchParams
  if (!isKnown(asked.get('apikey')))
    return json({
      'Error Message':
        'the parameter apikey is invalid or missing. Please claim your free API key on (https://www.alphavantage.co/support/#api-key). It should take less than 20 seconds.',
    })
  const found = read(files, 'alphavantage', `daily-adjusted-${asked.get('symbol')}`)
  if (asked.get('function') !== 'TIME_SERIES_DAILY_ADJUSTED' || !found)
    return json({
      'Error Message': `Invalid API call. Please retry or visit the documentation (https://www.alphavantage.co/documentation/) for ${asked.get('function')}.`,
    })
  return json(found)
}

export const tiingo: Source = (asked, files) => {
  const [, symbol] = /^\/tiingo\/daily\/([\w-]+)\/prices$/.exec(asked.url.pathname) ?? []
  if (!symbol) return null
  if (!isKnown(keyIn(asked, 'Token'))) return json({ detail: 'Invalid token.' }, 401)
  const rows = read<{ date: string }[]>(files, 'tiingo', `daily-${symbol}`)
  if (!rows) return json({ detail: `Error: Ticker '${symbol}' not found` }, 404)
  const { searchParams } = asked.url
  return json(
    between(rows, ({ date }) => date.slice(0, 10), searchParams.get('startDate'), searchParams.get('endDate')),
  )
}

/** Errors have their code in the text; here with the same status too, as for most of them. */
export const twelvedata: Source = (asked, files) => {
  const { pathname, searchParams } = asked.url
  const [, what] = /^\/(time_series|splits|dividends)$/.exec(pathname) ?? []
  if (!what) return null
  const error = (code: number, message: string) => json({ code, message, status: 'error' }, code === 400 ? 200 : code)
  if (!isKnown(keyIn(asked, 'apikey')))
    return error(401, '**apikey** parameter is incorrect or not specified. You can get your free API key instantly.')
  const symbol = searchParams.get('symbol')
  const found = read<{ values?: { datetime: string }[] }>(files, 'twelvedata', `${what}-${symbol}`)
  if (!found)
    return error(404, `**symbol** not found: ${symbol}. Please specify it correctly according to API Documentation.`)
  if (!found.values) return json(found)
  const values = between(
    found.values,
    ({ datetime }) => datetime,
    searchParams.get('start_date'),
    searchParams.get('end_date'),
  ).slice(0, Number(searchParams.get('outputsize') ?? 30))
  if (values.length === 0)
    return error(400, 'No data is available on the specified dates. Try setting different start/end dates.')
  return json({ ...found, values })
}

/** Errors are plain text. */
export const eodhd: Source = ({ url }, files) => {
  const [, what, symbol] = /^\/api\/(eod|splits|div)\/([\w.-]+)$/.exec(url.pathname) ?? []
  const isList = url.pathname === '/api/exchanges-list/'
  if (!what && !isList) return null
  const text = (status: number, body: string): Answer => ({
    status,
    headers: { 'content-type': 'text/html; charset=UTF-8' },
    body,
  })
  if (!isKnown(url.searchParams.get('api_token'))) return text(401, 'Unauthenticated')
  const rows = read<{ date: string }[]>(files, 'eodhd', isList ? 'exchanges-list' : `${what}-${symbol}`)
  if (!rows) return text(404, 'Ticker Not Found.')
  const found = isList
    ? rows
    : between(rows, ({ date }) => date, url.searchParams.get('from'), url.searchParams.get('to'))
  return json(found, 200, { 'x-ratelimit-limit': '1400', 'x-ratelimit-remaining': '1200' })
}

/** Prices in pages of `limit` days, each with the address of the next, without the key. */
export const massive: Source = (asked, files) => {
  const { pathname, searchParams } = asked.url
  const [, symbol, from, to] = /^\/v2\/aggs\/ticker\/([\w.]+)\/range\/1\/day\/([\d-]+)\/([\d-]+)$/.exec(pathname) ?? []
  const [, list] = /^\/v3\/reference\/(splits|dividends)$/.exec(pathname) ?? []
  if (!symbol && !list) return null
  const id = { request_id: '6a7e466379af0a71039d60cc78e72282' }
  if (!isKnown(keyIn(asked, 'Bearer'))) return json({ status: 'ERROR', ...id, error: 'Unknown API Key' }, 401)
  if (list)
    return json({ results: read(files, 'massive', `${list}-${searchParams.get('ticker')}`) ?? [], status: 'OK', ...id })
  const rows = between(
    read<{ t: number }[]>(files, 'massive', `aggs-${symbol}`) ?? [],
    ({ t }) => new Date(t).toISOString().slice(0, 10),
    from!,
    to!,
  )
  const limit = Number(searchParams.get('limit') ?? 5000)
  const at = Number(searchParams.get('cursor') ?? 0)
  const results = rows.slice(at, at + limit)
  return json({
    ticker: symbol,
    queryCount: results.length,
    resultsCount: results.length,
    adjusted: searchParams.get('adjusted') !== 'false',
    ...(results.length > 0 && { results }),
    status: 'OK',
    ...id,
    count: results.length,
    ...(at + limit < rows.length && {
      next_url: `https://api.massive.com${pathname}?cursor=${at + limit}&adjusted=${searchParams.get('adjusted')}&limit=${limit}`,
    }),
  })
}
