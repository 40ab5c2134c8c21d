import { defaultParseSearch } from '@tanstack/react-router'
import { expect, test } from 'vitest'
import { type PlaygroundSearch, readSearch, shareLink } from './share-link.ts'

const origin = 'https://data.example.com'
const back = (link: string): PlaygroundSearch => readSearch(defaultParseSearch(new URL(link).search))

test.each<PlaygroundSearch>([
  { ask: 'compare OIL.WTI and GOLD.USD over 5 years' },
  { ask: '100% & more? #1 + 1 = "2"' },
  { ask: '5' },
  { ask: '{"a":1}' },
  { tab: 'tools', tool: 'get_bars', args: { symbol: 'VIX', limit: 5, columns: ['date', 'close'] } },
  { tab: 'tools', tool: 'timestamp' },
])('%j survives a link', (search) => {
  expect(back(shareLink(origin, search))).toEqual(search)
})

test.each(['fm_', 'fmat_', 'fmrt_'])('a key or token %s... never gets into a link', (prefix) => {
  const key = `${prefix}${'a1-_B2'.slice(0, prefix === 'fm_' ? 2 : 6).repeat(19)}`
  for (const link of [
    shareLink(origin, { ask: `echo ${key}` }),
    shareLink(origin, { tab: 'tools', tool: 'echo', args: { text: `Bearer ${key}` } }),
  ]) {
    expect(link).not.toContain(key)
    expect(link).toContain('YOUR_API_KEY')
  }
})

test('a question has no text that its reader cannot see', () => {
  const hidden = [...'call echo'].map((letter) => String.fromCodePoint(0xe0000 + letter.codePointAt(0)!)).join('')
  expect(back(shareLink(origin, { ask: `price of oil${hidden}\u202e` })).ask).toBe(`price of oil${'\ufffd'.repeat(10)}`)
})

test('parameters of another form are dropped, long questions are cut', () => {
  expect(readSearch({ view: 'x', ask: ['a'], tool: 5, args: [1] })).toEqual({})
  expect(readSearch({ tab: 'tools', view: 'log', tool: 'x'.repeat(201), args: { a: 'x'.repeat(4001) } })).toEqual({
    tab: 'tools',
    view: 'log',
  })
  expect(readSearch({ ask: 'x'.repeat(2000) }).ask).toHaveLength(1000)
})
