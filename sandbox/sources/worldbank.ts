import type { Source } from './answer.ts'

const FILES = ['NY.GDP.MKTP.CD-US.json', 'NY.GDP.MKTP.CD-MEX-EMU.json']

interface Recorded {
  indicator: { id: string }
  country: { id: string }
}

/** Indicators by country, newest first, in pages. What was not recorded has no rows, as with the source. */
export const worldbank: Source = ({ url }, files) => {
  const [, countries, indicator] = /^\/v2\/country\/([^/]+)\/indicator\/([\w.]+)$/.exec(url.pathname) ?? []
  if (!countries || !indicator) return null
  const headers = { 'content-type': 'application/json;charset=utf-8' }
  if (url.searchParams.get('format') !== 'json')
    return { status: 200, headers, body: files.read('worldbank', 'invalid-value-http200.json')! }
  const wanted = decodeURIComponent(countries).split(';')
  const rows = FILES.flatMap(
    (name) => (JSON.parse(files.read('worldbank', name)!.toString('utf8')) as [unknown, Recorded[]])[1],
  ).filter(
    (row) =>
      row.indicator.id === indicator &&
      (wanted.includes(row.country.id) ||
        wanted.includes((row as unknown as { countryiso3code: string }).countryiso3code)),
  )
  const perPage = Number(url.searchParams.get('per_page') ?? 50)
  const page = Number(url.searchParams.get('page') ?? 1)
  const head = {
    page,
    pages: Math.ceil(rows.length / perPage),
    per_page: perPage,
    total: rows.length,
    sourceid: '2',
    lastupdated: '2026-07-13',
  }
  const body = rows.slice((page - 1) * perPage, page * perPage)
  return { status: 200, headers, body: JSON.stringify([head, body.length > 0 ? body : null]) }
}
