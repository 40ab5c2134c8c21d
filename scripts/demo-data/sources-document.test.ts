import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readManifests } from '../../server/features/market-data/manifest.ts'
import { packages } from './packages.ts'
import { sourcesTable } from './sources-document.ts'

const directory = join(import.meta.dirname, '../../data/demo')
const document = readFileSync(join(directory, 'SOURCES.md'), 'utf8')
const sorted = (text: string) => text.split('\n').sort()

test('SOURCES.md lists the datasets as their manifests are; else run `npm run demo:data`', async () => {
  const table = document.slice(document.indexOf('| --- |'), document.indexOf('\n\n# Licenses'))
  expect(sorted(table).slice(1)).toEqual(sorted(sourcesTable(await readManifests(directory))))
})

test('SOURCES.md holds the license of every package that is read, and of no other', () => {
  const headings = [...document.matchAll(/^## (\S+ \S+): .+\n\nSHA-256 of \S+(?: tarball)?: `([0-9a-f]{64})`/gm)]
  expect(headings.map(([, name, sha256]) => `${name} ${sha256}`).sort()).toEqual(
    Object.values(packages)
      .map(({ name, version, sha256 }) => `${name} ${version} ${sha256}`)
      .sort(),
  )
})
