import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { type DatasetFolder, datasetFolder, plainBars } from '../features/datasets/testing/dataset-folder.ts'

let folder: DatasetFolder
beforeEach(() => {
  folder = datasetFolder()
})

const header = 'symbol,date,open,high,low,close,volume\n'

/** Runs the command; `feed` writes to its standard input until it ends. */
async function data(words: string[], feed?: (write: (text: string) => Promise<boolean>) => Promise<void>) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'data.ts'), ...words], {
    cwd: folder.path,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      FINMETER_DATA_DIR: join(folder.path, 'data'),
    },
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk))
  let peakKb = 0
  const watch = setInterval(() => {
    try {
      peakKb = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? peakKb)
    } catch {
      // It has ended, or this system has no /proc.
    }
  }, 50)
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  child.stdin.on('error', () => {})
  const write = (chunk: string) =>
    new Promise<boolean>((resolve) => {
      if (child.exitCode !== null || child.stdin.destroyed) return resolve(false)
      if (child.stdin.write(chunk)) return resolve(true)
      child.stdin.once('drain', () => resolve(true))
      child.once('exit', () => resolve(false))
      child.stdin.once('close', () => resolve(false))
    })
  await feed?.(write)
  child.stdin.end()
  const code = await ended
  clearInterval(watch)
  return { code, text, peakMb: peakKb / 1024 }
}

const manifest = (changes: Record<string, unknown> = {}) =>
  folder.file('own.yaml', stringify({ ...plainBars, ...changes }))

describe('npm run data', () => {
  test('validates, publishes, lists and reverts', async () => {
    await manifest()
    await folder.file('prices.csv', `${header}OWN,2024-01-02,1,1,1,1,1\n`)
    const checked = await data(['validate', 'own.yaml'])
    expect([checked.code, checked.text]).toEqual([0, 'own-prices: 1 rows\n  no problems found\n'])
    expect((await data(['list'])).text).toBe('No datasets are published.\n')
    const published = await data(['publish', 'own.yaml'])
    expect(published.code).toBe(0)
    expect(published.text).toMatch(/own-prices \d{14}-[0-9a-f]{8} is served: 1 rows, 2024-01-02 to 2024-01-02\./)
    expect(published.text).toContain('Readable by: every account, not the demo key.\n')
    expect((await data(['list'])).text).toMatch(
      /^own-prices {2}\d{14}-[0-9a-f]{8} {2}1 rows {2}2024-01-02 to 2024-01-02\n$/,
    )
  })

  test.each([
    [{ redistribution: 'open' }, 'everyone, including the demo key'],
    [{ redistribution: 'open', plans: ['Pro', 'team'] }, 'accounts on the plans pro, team'],
  ])('publishing %j says who may read it', async (changes, readers) => {
    await manifest(changes)
    await folder.file('prices.csv', `${header}OWN,2024-01-02,1,1,1,1,1\n`)
    expect((await data(['publish', 'own.yaml'])).text).toContain(`Readable by: ${readers}.\n`)
  })

  test('errors end with code 1, and nothing is published', async () => {
    await manifest()
    await folder.file('prices.csv', `${header}OWN,2024-01-02,1,1,1,one,1\n`)
    const refused = await data(['publish', 'own.yaml'])
    expect(refused.code).toBe(1)
    expect(refused.text).toContain('error bad_number (1)\n    prices.csv line 2, column close: "one" is no number')
    expect(refused.text).toContain('Nothing was published because of the errors above.')
    expect((await data(['list'])).text).toBe('No datasets are published.\n')
    expect((await data(['publish', 'none.yaml'])).text).toMatch(/There is no file \S*none\.yaml\./)
    const unknown = await data(['fly'])
    expect([unknown.code, unknown.text]).toEqual([2, expect.stringContaining('npm run data -- validate')])
  })
})

/** What an operator may pipe in by mistake. Memory is checked where the system reports it (Linux). */
describe('a pipe of a gigabyte', () => {
  const GIGABYTE = 1e9
  const source = { type: 'file', path: '-' }

  test('of rows ends at the limit, with the row, under 512 MB', async () => {
    await manifest({ source })
    const lines = Array.from(
      { length: 2_000 },
      (_, i) => `S${i % 50},${new Date(i * 86_400_000).toISOString().slice(0, 10)},10.25,11.5,9.75,10.5,12345\n`,
    )
    const chunk = lines.join('')
    const result = await data(['publish', 'own.yaml'], async (write) => {
      await write(header)
      for (let sent = 0; sent < GIGABYTE && (await write(chunk)); sent += chunk.length);
    })
    expect(result.text).toContain(
      'standard input line 3000002: more than 3,000,000 rows. Raise limits.rows if this is intended.',
    )
    expect(result.code).toBe(1)
    expect(result.peakMb).toBeLessThan(512)
    expect((await data(['list'])).text).toBe('No datasets are published.\n')
  }, 240_000)

  test('without a line break, or with a quote that never ends, ends after a megabyte', async () => {
    await manifest({ source })
    for (const start of ['', `${header}"`]) {
      const chunk = 'x'.repeat(100_000)
      const result = await data(['publish', 'own.yaml'], async (write) => {
        await write(start)
        for (let sent = 0; sent < GIGABYTE && (await write(chunk)); sent += chunk.length);
      })
      expect(result.code).toBe(1)
      expect(result.text).toMatch(/Line [12] is longer than 1000000 characters, or a quote in it is never closed/)
      expect(result.peakMb).toBeLessThan(256)
    }
  })
})
