import { expect, test } from 'vitest'
import { figureFormula, googleFormula, powerQuery, sheetAddress } from './formulas.ts'

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
