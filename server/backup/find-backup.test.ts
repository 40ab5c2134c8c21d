import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { deleteOldBackups, findBackup } from './find-backup.ts'

let dir: string
beforeEach(async () => {
  dir = temporaryFolder()
  for (const name of ['finmeter-20261119T013000Z', 'finmeter-20261121T013000Z', 'finmeter-20261120T013000Z']) {
    await mkdir(join(dir, name, 'tables'), { recursive: true })
    await writeFile(join(dir, name, 'manifest.json'), '{}')
  }
  // Incomplete, half written, and someone else's.
  for (const name of ['finmeter-20261122T013000Z', '.finmeter-20261122T013000Z.7.partial', 'finmeter-notes', 'photos'])
    await mkdir(join(dir, name))
  await writeFile(join(dir, 'finmeter-notes', 'manifest.json'), '{}')
})

test('the newest complete backup of a folder is found, or one by its own path', async () => {
  expect(await findBackup(dir)).toBe(join(dir, 'finmeter-20261121T013000Z'))
  const one = join(dir, 'finmeter-20261119T013000Z')
  expect(await findBackup(one)).toBe(one)
  await expect(findBackup(join(dir, 'photos'))).rejects.toThrow('There is no backup in')
})

test('old backups are deleted except the newest, and nothing else is', async () => {
  expect(await deleteOldBackups(dir, 2)).toEqual([join(dir, 'finmeter-20261119T013000Z')])
  expect((await readdir(dir)).sort()).toEqual([
    '.finmeter-20261122T013000Z.7.partial',
    'finmeter-20261120T013000Z',
    'finmeter-20261121T013000Z',
    'finmeter-20261122T013000Z',
    'finmeter-notes',
    'photos',
  ])
  expect(await deleteOldBackups(dir, 2)).toEqual([])
})
