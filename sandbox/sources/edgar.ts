import { type Answer, type Asked, dated, type Source } from './answer.ts'

const PER_SECOND = 10
const html = (title: string): string =>
  `<!DOCTYPE html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`
const page = (title: string): Answer => ({
  status: 403,
  headers: { 'content-type': 'text/html' },
  body: html(title),
})

/** When requests came in the last second, for each sandbox. */
const latelyOf = new WeakMap<object, number[]>()

/** EDGAR refuses clients without a contact, and more than ten requests a second, both with 403 and a web page. */
function refusal({ headers }: Asked, sandbox: object): Answer | null {
  if (!/\S+@\S+\.\S+/.test(headers['user-agent'] ?? ''))
    return page('SEC.gov | Your Request Originates from an Undeclared Automated Tool')
  const lately = latelyOf.get(sandbox) ?? []
  latelyOf.set(sandbox, lately)
  const now = performance.now()
  lately.push(now)
  while (lately[0]! < now - 1000) lately.shift()
  return lately.length > PER_SECOND ? page('SEC.gov | Request Rate Threshold Exceeded') : null
}

/** Tickers, submissions and company facts. Only the tickers can be asked for conditionally. */
export const edgar: Source = (asked, files) => {
  const { pathname, host } = asked.url
  const refused = refusal(asked, files)
  if (refused) return refused
  const headers = { 'content-type': 'application/json' }
  const [, tickers] = /^\/files\/(company_tickers(?:_exchange)?\.json)$/.exec(pathname) ?? []
  if (tickers && host === 'www.sec.gov')
    return dated(asked, { status: 200, headers, body: files.read('sec', tickers)! })
  const [, facts] = /^\/api\/xbrl\/(companyfacts\/CIK\d{10}\.json)$/.exec(pathname) ?? []
  const [, submissions] = /^\/(submissions\/CIK\d{10}(?:-submissions-\d+)?\.json)$/.exec(pathname) ?? []
  const body = facts || submissions ? files.read('sec', (facts ?? submissions)!) : null
  if (host !== 'data.sec.gov') return null
  if (body) return { status: 200, headers: { ...headers, 'cache-control': 'max-age=0, no-cache, no-store' }, body }
  return {
    status: 404,
    headers: { 'content-type': 'application/xml' },
    body: files.read('sec', 'errors/404-no-such-key.xml')!,
  }
}
