import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import {
  appsScript,
  figureFormula,
  functionName,
  googleFormula,
  powerQuery,
  powerQueryOfJson,
  sheetAddress,
} from './formulas.ts'

const url = 'https://data.example.com'

test('each table has its address, with the symbol encoded', () => {
  expect(sheetAddress(url, { table: 'bars', symbol: ' BTC/USD ', range: '1y' })).toBe(
    'https://data.example.com/v1/bars/BTC%2FUSD?range=1y&limit=10000&format=csv',
  )
  expect(sheetAddress(url, { table: 'series', symbol: 'OIL.WTI', range: 'max' })).toBe(
    'https://data.example.com/v1/series/OIL.WTI?range=max&limit=5000&format=csv',
  )
  expect(sheetAddress(url, { table: 'quote', symbol: 'AAPL,MSFT', range: '' })).toBe(
    'https://data.example.com/v1/quotes?symbols=AAPL%2CMSFT&columns=symbol,date,close,change,change_percent,currency&format=csv',
  )
})

test('a typed quote cannot end the text of a formula', () => {
  const address = sheetAddress(url, { table: 'bars', symbol: '");HYPERLINK("x', range: '1y' })
  expect(googleFormula(address, 'k')).toBe(
    '=IMPORTDATA("https://data.example.com/v1/bars/%22)%3BHYPERLINK(%22x?range=1y&limit=10000&format=csv&apikey=k")',
  )
  expect(figureFormula(url, '"&A1&"', 'k')).toContain('symbols=%22%26A1%26%22&')
})

test('Power Query gets the key in a header, and reads numbers with a point everywhere', () => {
  expect(powerQuery(`${url}/v1/series/OIL.WTI?range=1y&format=csv`, 'series', 'fm_x')).toBe(`let
    Source = Web.Contents("https://data.example.com/v1/series/OIL.WTI?range=1y&format=csv", [Headers = [#"X-API-Key" = "fm_x"]]),
    Rows = Table.PromoteHeaders(Csv.Document(Source, [Delimiter = ",", Encoding = 65001])),
    Typed = Table.TransformColumnTypes(Rows, {{"date", type date}, {"value", type number}}, "en-US")
in
    Typed`)
})

test.each([
  [
    {
      place: 'bergen',
      days: [
        { date: '2026-11-26', low: -4 },
        { date: '2026-11-27', wind: { kmh: 9 } },
      ],
    },
    [
      ['date', 'low', 'wind'],
      ['2026-11-26', -4, ''],
      ['2026-11-27', '', '{"kmh":9}'],
    ],
  ],
  [[{ id: 1 }], [['id'], [1]]],
  [
    { place: 'bergen', temperature: 3.5 },
    [
      ['place', 'temperature'],
      ['bergen', 3.5],
    ],
  ],
])('the function for Google Sheets turns %j into rows', (answer, rows) => {
  const asked: unknown[] = []
  const UrlFetchApp = {
    fetch: (...given: unknown[]) => {
      asked.push(given)
      return { getContentText: () => JSON.stringify(answer) }
    },
  }
  const name = functionName('weather_get-forecast')
  expect(name).toBe('WEATHER_GET_FORECAST')
  const code = appsScript(name, `${url}/v1/weather?city=O'Higgins`, 'nw_x')
  expect(JSON.parse(JSON.stringify(runInNewContext(`${code}\n${name}()`, { UrlFetchApp })))).toEqual(rows)
  expect(asked).toEqual([[`${url}/v1/weather?city=O'Higgins`, { headers: { 'X-API-Key': 'nw_x' } }]])
})

test('Power Query reads the list of a response in JSON, or its fields', () => {
  const text = powerQueryOfJson(`${url}/v1/weather/places`, 'nw_x')
  expect(text).toContain(`Json.Document(Web.Contents("${url}/v1/weather/places", [Headers = [#"X-API-Key" = "nw_x"]]))`)
})
