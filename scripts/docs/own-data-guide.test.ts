import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { readDatasetFile } from '#server/features/datasets/dataset-file.ts'
import { readDataset } from '#server/features/datasets/import-dataset.ts'
import { temporaryFolder } from '#server/testing/temporary-folder.ts'
import { readGuides } from './guides.ts'

const dir = temporaryFolder()

test('the files of the guide, written as they stand there, are a dataset without a fault', async () => {
  const { markdown } = readGuides(join(import.meta.dirname, '../../web/content/docs')).find(
    ({ path }) => path === '/docs/own-data',
  )!
  const files = [...markdown.matchAll(/^```\w+ (\S+)\n([\s\S]*?)\n```$/gm)]
  expect(files.map(([, name]) => name)).toEqual(['prices/mine.csv', 'prices.yaml'])
  for (const [, name, text] of files) {
    await mkdir(dirname(join(dir, name!)), { recursive: true })
    await writeFile(join(dir, name!), `${text}\n`)
  }
  const dataset = await readDatasetFile(join(dir, 'prices.yaml'))
  const { report } = await readDataset(dataset, {
    published: join(dir, 'published'),
    env: {},
    now: Date.now,
    progress: () => {},
  })
  expect(report).toEqual({ dataset: 'my-prices', rows: 2, findings: [] })
})

test('a version is published by the id of the manifest, as the command wants it', async () => {
  const { markdown } = readGuides(join(import.meta.dirname, '../../web/content/docs')).find(
    ({ path }) => path === '/docs/own-data',
  )!
  const id = /^id: (\S+)$/m.exec(markdown)?.[1]
  const published = [...markdown.matchAll(/npm run data -- publish ([^\s`]+)/g)].map(([, what]) => what)
  expect(published).toContain(id)
  for (const what of published) expect(['prices.yaml', id]).toContain(what)
})
