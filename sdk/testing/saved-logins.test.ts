import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { temporaryFolder } from '#server/testing/temporary-folder.ts'
import { note } from '../typescript/src/cli/print.ts'
import { changeLogins, readLogins } from '../typescript/src/cli/saved-logins.ts'

let home: string
let lock: string
beforeEach(async () => {
  home = temporaryFolder()
  vi.stubEnv('XDG_CONFIG_HOME', home)
  lock = join(home, 'finmeter/credentials.lock')
})
afterEach(async () => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})
const files = async () => (await readdir(join(home, 'finmeter'))).sort()

test('the lock of a program that was ended is taken over, and nothing stays behind', async () => {
  await changeLogins(() => undefined)
  await writeFile(lock, 'ended')
  await utimes(lock, 1, 1)
  await changeLogins((logins) => {
    logins.current = 'http://localhost'
  })
  expect([(await readLogins()).current, await files()]).toEqual(['http://localhost', ['credentials.json']])
})

test('a program that was so slow that another took its lock leaves the lock to its new owner', async () => {
  await changeLogins(async () => {
    await rm(lock)
    await writeFile(lock, 'another')
  })
  expect(await readFile(lock, 'utf8')).toBe('another')
  expect(await files()).toEqual(['credentials.json', 'credentials.lock'])
})

test('what a server says cannot steer the terminal', () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  note('finmeter: no\u001b]0;title\u0007\u009b2J\u202e\rgone\nSecond line')
  expect(written.mock.calls).toEqual([['finmeter: no\uFFFD]0;title\uFFFD\uFFFD2J\uFFFD\uFFFDgone\nSecond line\n']])
})
