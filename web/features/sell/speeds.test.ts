import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { formatWhole } from '../../lib/format.ts'
import { sellText } from './text.ts'

const measured = readFileSync('docs/performance.md', 'utf8')

test.each([
  ['A bare Node server, the same bytes', 'bare node:http, the same bytes'],
  ['Finmeter: metered, charged and on disk', 'Finmeter, metered'],
  ['One transaction for each call', 'one transaction per call'],
  ['Better Auth: only the key is checked', 'Better Auth verifyApiKey'],
])('%s has the figure that the bench wrote last', (name, row) => {
  const shown = sellText.comparison.speeds.list.find((one) => one.name === name)
  expect(measured).toContain(`| REST, a quote | ${row} | ${formatWhole(shown?.perSecond)} |`)
})
