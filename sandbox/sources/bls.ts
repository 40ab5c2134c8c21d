import type { Source } from './answer.ts'

const FILES = ['CUUR0000SA0-2022-2024.json', 'CUUR0000SA0-2018-2020.json']

interface Recorded {
  Results: { series: { seriesID: string; data: { year: string }[] }[] }
}

/** Series by POST. Missing years are messages of a request that succeeded; a wrong request also has status 200. */
export const bls: Source = ({ url, method, body }, files) => {
  if (url.pathname !== '/publicAPI/v2/timeseries/data/' || method !== 'POST') return null
  const headers = { 'content-type': 'application/json;charset=UTF-8' }
  const {
    seriesid = [],
    startyear,
    endyear,
  } = JSON.parse(body) as { seriesid?: string[]; startyear?: string; endyear?: string }
  const [first, last] = [Number(startyear), Number(endyear)]
  if (!(last - first < 10))
    return {
      status: 200,
      headers,
      body: JSON.stringify({
        status: 'REQUEST_NOT_PROCESSED',
        responseTime: 0,
        message: ['Invalid years'],
        Results: {},
      }),
    }
  const recorded = FILES.flatMap(
    (name) => (JSON.parse(files.read('bls', name)!.toString('utf8')) as Recorded).Results.series,
  )
  const message: string[] = []
  const series = seriesid.map((seriesID) => {
    const data = recorded.filter((one) => one.seriesID === seriesID).flatMap((one) => one.data)
    for (let year = first; year <= last; year++)
      if (!data.some((row) => Number(row.year) === year))
        message.push(`No Data Available for Series ${seriesID} Year: ${year}`)
    return { seriesID, data: data.filter(({ year }) => Number(year) >= first && Number(year) <= last) }
  })
  return {
    status: 200,
    headers,
    body: JSON.stringify({ status: 'REQUEST_SUCCEEDED', responseTime: 170, message, Results: { series } }),
  }
}
