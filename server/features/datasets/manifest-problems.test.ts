import { beforeEach, expect, test } from 'vitest'
import { type DatasetFolder, datasetFolder, plainBars } from './testing/dataset-folder.ts'

let folder: DatasetFolder
beforeEach(() => {
  folder = datasetFolder()
})

const { license: _license, currency: _currency, ...without } = plainBars
const series = { ...without, kind: 'series', license: 'x', frequency: 'monthly', series: {} }

test.each([
  [without, ['currency is missing', 'license is missing']],
  [{ ...plainBars, kind: 'bar' }, ['kind must be one of: bars, series, statements, filings, companies']],
  [{ ...plainBars, redistribution: 'public' }, ['redistribution must be one of: open, internal, delayed']],
  [{ ...plainBars, source: { type: 'files' } }, ['source.type must be one of: file, sql, http, code']],
  [{ ...plainBars, licence: 'x' }, ['licence is not a manifest key']],
  [{ ...plainBars, source: { ...plainBars.source, pth: 'x' } }, ['source.pth is not a manifest key']],
  [{ ...plainBars, id: 'own prices' }, ['id: expected lower case letters, digits and hyphens']],
  [{ ...plainBars, timezone: 'Europe/Nowhere' }, ['timezone: expected a time zone such as Europe/Berlin or UTC']],
  [series, ['series: name at least one series']],
])('the manifest %j is refused, each fault by its key', async (content, problems) => {
  const refused = await folder.manifest(content).catch((error: Error) => error.message)
  const [first, ...lines] = String(refused).split('\n')
  expect(first).toMatch(/own.prices\.yaml is not a dataset manifest:$/)
  expect(lines.sort()).toEqual(problems.map((problem) => `- ${problem}`))
})

test('the key license may also be spelled licence', async () => {
  const { license, ...rest } = plainBars
  expect(await folder.manifest({ ...rest, licence: license })).toMatchObject({ license: 'our own' })
})
