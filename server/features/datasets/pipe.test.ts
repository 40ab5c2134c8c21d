import { spawn } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { type DatasetFolder, datasetFolder, plainBars } from './testing/dataset-folder.ts'

/**
 * MB piped in by default; FINMETER_PIPE_MB=1024 pipes a whole GB. The memory bound is the same, since memory must not
 * grow with the input.
 */
const MEGABYTES = Number(process.env.FINMETER_PIPE_MB ?? 48)
const MOST_MEMORY_MB = 512

let folder: DatasetFolder
beforeEach(() => {
  folder = datasetFolder()
})

/** `npm run data -- publish` fed by `lines` until it ends or `MEGABYTES` have flowed. */
async function pipe(manifest: object, lines: (from: number) => string) {
  const path = join(folder.path, 'piped.yaml')
  await writeFile(path, stringify({ ...plainBars, source: { type: 'file', path: '-' }, ...manifest }))
  // Not maxRSS alone: on Linux a process begins with that of the one that started it, and this one may be larger.
  const tellMemory = `import{readFileSync}from'node:fs';process.on('exit',()=>{let kb=process.resourceUsage().maxRSS;try{kb=/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status'))[1]}catch{}console.error('most memory '+kb)})`
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      '--max-old-space-size=256',
      `--import=data:text/javascript,${encodeURIComponent(tellMemory)}`,
      join(import.meta.dirname, '../../cli/data.ts'),
      'publish',
      path,
    ],
    { env: { PATH: process.env.PATH, FINMETER_DATA_DIR: folder.path }, stdio: ['pipe', 'pipe', 'pipe'] },
  )
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  // The command may end before all input has been written; then the pipe breaks, as in a shell.
  child.stdin.on('error', () => {})
  const ended = new Promise<number | null>((done) => child.once('close', done))
  let flowed = 0
  for (let piece = 0; flowed < MEGABYTES * 2 ** 20 && child.exitCode === null && !child.stdin.destroyed; piece++) {
    const text = lines(piece)
    flowed += text.length
    if (!child.stdin.write(text)) await Promise.race([new Promise((done) => child.stdin.once('drain', done)), ended])
  }
  child.stdin.end()
  const code = await ended
  return { code, said, flowed, memoryMb: Number(/most memory (\d+)/.exec(said)?.[1]) / 1024 }
}

const header = `symbol,date,open,high,low,close,volume,comment\n`
const comment = 'x'.repeat(900)
const LINES = 64
/** Lines of about 1 KB, each another minute. */
const wide = (piece: number) =>
  (piece === 0 ? header : '') +
  Array.from({ length: LINES }, (_, i) => {
    const minute = new Date((piece * LINES + i) * 60_000).toISOString().slice(0, 16)
    return `OWN,${minute}:00Z,10,12,9,11,${i},${comment}\n`
  }).join('')

test(`a pipe of ${MEGABYTES} MB is imported in less than ${MOST_MEMORY_MB} MB`, async () => {
  const { code, said, flowed, memoryMb } = await pipe({ interval: '1m' }, wide)
  expect(flowed).toBeGreaterThanOrEqual(MEGABYTES * 2 ** 20)
  expect(said).toMatch(/own-prices \S+ is served: [\d,]+ rows, 1970-01-01 to/)
  expect(code).toBe(0)
  expect(memoryMb).toBeLessThan(MOST_MEMORY_MB)
}, 600_000)

test('a pipe with more rows than the limit stops at once, names the line, and publishes nothing', async () => {
  const { code, said, memoryMb } = await pipe({ interval: '1m', limits: { rows: 1000 } }, wide)
  expect(code).toBe(1)
  expect(said).toContain('standard input line 1002: more than 1,000 rows. Raise limits.rows if this is intended.')
  expect(memoryMb).toBeLessThan(MOST_MEMORY_MB)
  expect(await published()).toEqual([])
})

test('an endless line stops at a million characters, names the line, and publishes nothing', async () => {
  const { code, said, memoryMb } = await pipe({}, (piece) => (piece === 0 ? header : 'x'.repeat(65_536)))
  expect(code).toBe(1)
  expect(said).toContain('Line 2 is longer than 1000000 characters')
  expect(memoryMb).toBeLessThan(MOST_MEMORY_MB)
  expect(await published()).toEqual([])
})

/** All files left behind by an import. */
async function published(): Promise<string[]> {
  const left = await readdir(join(folder.path, 'datasets'), { recursive: true }).catch(() => [])
  return left.filter((name) => /\.(bin|json|gz)$/.test(name))
}
