import { expect, test } from 'vitest'
import { csvBatches, csvRowsOf, detectDelimiter } from './csv.ts'

async function read(chunks: string[], options = {}) {
  const rows = []
  for await (const batch of csvBatches(chunks, options)) rows.push(...batch)
  return rows
}

test.each([
  ['date,open', ','],
  ['date;open;"a,b,c,d"', ';'],
  ['date\topen', '\t'],
  ['a|b', '|'],
])('%j is separated by %j', (header, delimiter) => {
  expect(detectDelimiter(header)).toBe(delimiter)
})

test('a byte order mark, Windows line ends, empty lines and quotes are handled', async () => {
  const text = '\uFEFFdate;name\r\n2020-01-02;"A ""quoted""; name"\r\n\r\n2020-01-03;"two\r\nlines"\r\n2020-01-06;last'
  const expected = [
    { line: 1, cells: ['date', 'name'] },
    { line: 2, cells: ['2020-01-02', 'A "quoted"; name'] },
    { line: 4, cells: ['2020-01-03', 'two\r\nlines'] },
    { line: 6, cells: ['2020-01-06', 'last'] },
  ]
  expect(csvRowsOf(text)).toEqual(expected)
  expect(await read([text])).toEqual(expected)
})

test('rows are the same however the text is split into chunks', async () => {
  const text = '\uFEFFa,b\n1,"x,\ny"\n2,""\n,\n'
  const whole = csvRowsOf(text)
  for (let at = 0; at <= text.length; at++) expect(await read([text.slice(0, at), text.slice(at)])).toEqual(whole)
  expect(await read([...text])).toEqual(whole)
})

test('the error for an unclosed quote names its line', async () => {
  await expect(read(['a,b\n1,"x\n2,y\n'])).rejects.toThrow('Line 2')
})

test('a row longer than the limit is refused, not buffered', async () => {
  await expect(read(['a,b\n', 'x'.repeat(600), 'x'.repeat(600)], { maxRowLength: 1000 })).rejects.toThrow(
    'Line 2 is longer than 1000 characters',
  )
})
