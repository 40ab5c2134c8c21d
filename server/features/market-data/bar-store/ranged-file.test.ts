import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../testing/temporary-folder.ts'
import { inTurn, openRangedFile } from './ranged-file.ts'

test('no more than the limit are under way, the others follow in order, and a failure frees its place', async () => {
  const begun: number[] = []
  const ends: (() => void)[] = []
  const run = inTurn(3)
  const results = Array.from({ length: 8 }, (_, index) =>
    run(async () => {
      begun.push(index)
      await new Promise<void>((end) => ends.push(end))
      if (index === 1) throw new Error('EIO')
      return index
    }).catch((error: Error) => error.message),
  )
  for (let ended = 0; ended < 8; ended++) {
    await expect.poll(() => begun.length).toBe(Math.min(8, ended + 3))
    ends[ended]!()
  }
  expect(await Promise.all(results)).toEqual([0, 'EIO', 2, 3, 4, 5, 6, 7])
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
})

test('a file that was deleted is still read by those that opened it', async () => {
  const directory = temporaryFolder()
  const path = join(directory, 'file')
  await writeFile(path, '0123456789')
  const file = await openRangedFile(path, 10)
  expect(Buffer.from(await file.read(3, 4)).toString()).toBe('3456')
  await expect(file.read(8, 4)).rejects.toThrow('ends before byte 12')
})
