import { afterEach, beforeEach, expect, test } from 'vitest'
import { type DatasetFolder, datasetFolder, plainBars } from './testing/dataset-folder.ts'

let folder: DatasetFolder
beforeEach(async () => {
  folder = await datasetFolder()
})
afterEach(() => folder.remove())

const { licence: _licence, currency: _currency, ...without } = plainBars
const series = { ...without, kind: 'series', licence: 'x', frequency: 'monthly', series: {} }

test.each([
  [without, ['currency is missing', 'licence is missing']],
  [{ ...plainBars, kind: 'bar' }, ['kind must be one of: bars, series, statements, companies']],
  [{ ...plainBars, redistribution: 'public' }, ['redistribution must be one of: open, internal, delayed']],
  [{ ...plainBars, source: { type: 'files' } }, ['source.type must be one of: file, sql, http, code']],
  [{ ...plainBars, license: 'x' }, ['license is no key of a manifest']],
  [{ ...plainBars, source: { ...plainBars.source, pth: 'x' } }, ['source.pth is no key of a manifest']],
  [{ ...plainBars, id: 'own prices' }, ['id: expected lower case letters, digits and hyphens']],
  [{ ...plainBars, timezone: 'Europe/Nowhere' }, ['timezone: expected a time zone such as Europe/Berlin or UTC']],
  [series, ['series: name at least one series']],
])('the manifest %j is refused, each fault by its key', async (content, problems) => {
  const refused = await folder.manifest(content).catch((error: Error) => error.message)
  const [first, ...lines] = String(refused).split('\n')
  expect(first).toMatch(/own.prices\.yaml is not a dataset manifest:$/)
  expect(lines.sort()).toEqual(problems.map((problem) => `- ${problem}`))
})
