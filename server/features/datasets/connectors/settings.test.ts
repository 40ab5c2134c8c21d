import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connectors } from './list.ts'

const secrets = [...connectors.values()].flatMap(({ manifest }) => manifest.secret ?? [])

test('.env.example has the key of every connector that needs one', async () => {
  expect(secrets).toHaveLength(5)
  const example = await readFile(join(import.meta.dirname, '../../../../.env.example'), 'utf8')
  expect(secrets.filter((name) => !example.includes(`\n# ${name}=\n`))).toEqual([])
})
