import { expect, test } from 'vitest'
import { buildCall } from '../../web/docs/try/build-call.ts'
import { docsCall } from './call-fields.ts'
import { columnsOf } from './columns.ts'
import { documentedTools } from './reference.ts'
import { requestExample } from './request-of.ts'

const withCalls = documentedTools().flatMap((entry) => {
  const call = docsCall(entry)
  return call ? [{ name: entry.tool.name, tool: entry.tool, call }] : []
})
const callOf = (name: string) => withCalls.find((one) => one.name === name)!.call

test('every endpoint has a form, and a tool without one has none', () => {
  const endpoints = documentedTools().filter(({ tool }) => tool.rest)
  expect(withCalls.map(({ name }) => name)).toEqual(endpoints.map(({ tool }) => tool.name))
  expect(withCalls.map(({ name }) => name)).not.toContain('echo')
})

test.each(withCalls)('the filled form of $name is the request that its page shows', ({ tool, call }) => {
  const filled = buildCall(
    call.method,
    call.path,
    call.fields.map(({ name, place, kind, example }) => ({ name, place, kind, value: example })),
  )
  // The order of the query is that of the form.
  const parts = ({ path, body }: { path: string; body?: unknown }) => {
    const { pathname, searchParams } = new URL(path, 'http://localhost')
    return { pathname, query: Object.fromEntries(searchParams), body }
  }
  expect(parts(filled)).toEqual(parts(requestExample(tool)!))
})

test('fields say what they are, where they go, and what the API takes without them', () => {
  const fields = Object.fromEntries(callOf('get_bars').fields.map((field) => [field.name, field]))
  expect(fields.symbol).toMatchObject({ place: 'path', kind: 'text', isRequired: true, example: 'VIX', fallback: null })
  expect(fields.interval).toMatchObject({ place: 'query', kind: 'choice', isRequired: false, fallback: '1d' })
  expect(fields.interval!.choices).toContain('1mo')
  expect(fields.from).toMatchObject({ kind: 'date', example: '' })
  expect(fields.limit).toMatchObject({ kind: 'number', fallback: '1000' })
  expect(fields.columns).toMatchObject({ kind: 'list', fallback: 'date,open,high,low,close,volume' })
  expect(fields.dry_run).toMatchObject({ kind: 'boolean', choices: ['true', 'false'] })
  expect(fields.columns!.aboutHtml).toContain('<code>')
  const filters = callOf('screen_stocks').fields.find(({ name }) => name === 'filters')
  expect(filters).toMatchObject({ place: 'body', kind: 'json', isRequired: true })
  expect(callOf('get_bars').price).toBe('With your key: 1 credit per 1,000 rows, rounded up; free without rows')
  expect(callOf('price_option').price).toBe('With your key: 1 credit per call; free without rows')
  expect(callOf('get_status').price).toBe('Free')
})

test('what a call needs comes first, then what its example has', () => {
  expect(
    callOf('get_bars')
      .fields.slice(0, 2)
      .map(({ name }) => name),
  ).toEqual(['symbol', 'range'])
  for (const { call } of withCalls) {
    const needs = call.fields.map(({ isRequired }) => isRequired)
    expect([call.tool, needs]).toEqual([call.tool, needs.toSorted((a, b) => Number(b) - Number(a))])
  }
})

test('a page is divided at its headings; its table becomes the form', () => {
  const page =
    '<p>Facts</p>\n<h2 id="request">Request</h2>\n<pre>1</pre>\n<h2 id="parameters">Parameters</h2>\n' +
    '<div class="docs-table"><table><tr><td>symbol</td></tr></table></div>\n<p>Notes</p>\n' +
    '<h2 id="response">Response</h2>\n<pre>2</pre>\n<h2 id="errors">Errors</h2>\n<p>3</p>'
  expect(columnsOf(page)).toEqual({
    intro: '<p>Facts</p>\n',
    heading: '<h2 id="parameters">Parameters</h2>',
    notes: '\n<p>Notes</p>\n',
    request: '<h2 id="request">Request</h2>\n<pre>1</pre>\n',
    sample: '<pre>2</pre>\n',
    rest: '<section><h2 id="errors">Errors</h2>\n<p>3</p></section>',
  })
  expect(() => columnsOf('<h2 id="errors">Errors</h2>')).toThrow('needs a request and parameters')
})
