import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** Files that write dates themselves: the one for all, the names in a calendar, and the months on axes of responses. */
const own = [
  'lib/format.ts',
  'ui/form/calendar.tsx',
  'features/answer/date-names.ts',
  'features/answer/facts-line.tsx',
  'features/playground/results/headline.ts',
  'features/playground/results/result-chart.tsx',
]

test('dates and times are written in one style, by web/lib/format.ts', () => {
  const web = join(import.meta.dirname, '..')
  const files = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name))
  expect(files).toContain('lib/format.ts')
  const others = files.filter(
    (name) =>
      !own.includes(name) &&
      !name.includes('.test.') &&
      /DateTimeFormat|toLocale(Date|Time)String|to(UTC|Date|Time)String\(/.test(readFileSync(join(web, name), 'utf8')),
  )
  expect(others).toEqual([])
})
