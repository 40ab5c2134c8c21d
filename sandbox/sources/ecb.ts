import { zipSync } from 'fflate'
import { dated, type Source } from './answer.ts'

/** The history as a zip with one CSV file, the last 90 days as XML. */
export const ecb: Source = (asked, files) => {
  const { pathname } = asked.url
  if (pathname === '/stats/eurofxref/eurofxref-hist.zip') {
    const csv = files.read('ecb', 'eurofxref-hist.csv')!
    const body = Buffer.from(zipSync({ 'eurofxref-hist.csv': [csv, { mtime: '2026-04-13T00:00:00Z' }] }))
    return dated(asked, { status: 200, headers: { 'content-type': 'application/zip' }, body })
  }
  if (pathname === '/stats/eurofxref/eurofxref-hist-90d.xml')
    return dated(asked, {
      status: 200,
      headers: { 'content-type': 'text/xml', 'cache-control': 'max-age=300' },
      body: files.read('ecb', 'eurofxref-hist-90d.xml')!,
    })
  return null
}
