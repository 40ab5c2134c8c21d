import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { start } from './child.ts'
import type { Slice } from './wire.ts'

/** A limit, not a pace: the generator is ended as soon as its last answer has come. */
const DRAIN_SECONDS = 60

export interface Load {
  /** The generator's name and version. */
  generator: string
  /** Keeps `connections` busy with the requests, in turn, for about `seconds`, then waits for the last answers. */
  run: (slice: { port: number; requests: string[]; seconds: number; script?: WrkScript }) => Promise<Slice>
  close: () => Promise<void>
}

/** Another script of `generators` than wrk.lua, and its words. Only wrk itself runs it. */
export interface WrkScript {
  file: 'checked.lua' | 'pairs.lua'
  words: string[]
}

/** wrk's version; undefined if it is not installed. */
export const wrkVersion = (): string | undefined =>
  spawnSync('wrk', ['--version'], { encoding: 'utf8' }).stdout ?? undefined

/** wrk where it is installed, else autocannon, which costs more of the machine for each request. */
export async function createLoad(connections: number): Promise<Load> {
  const version = wrkVersion()
  if (version === undefined) return autocannon(connections)
  const dir = await mkdtemp(join(tmpdir(), 'finmeter-bench-requests-'))
  const files = new Map<string[], string>()
  return {
    generator: /wrk \S+/.exec(version)?.[0].replace('debian/', '') ?? 'wrk',
    async run({ port, requests, seconds, script }) {
      const file = files.get(requests) ?? join(dir, `${files.size}.requests`)
      if (!files.has(requests)) await writeFile(file, requests.map((text) => `${text}\0`).join(''))
      files.set(requests, file)
      return runWrk(connections, port, file, seconds, script)
    },
    close: () => rm(dir, { recursive: true, force: true }),
  }
}

function runWrk(connections: number, port: number, file: string, seconds: number, script?: WrkScript): Promise<Slice> {
  const words = [
    '-t1',
    `-c${connections}`,
    `-d${Math.ceil(seconds + DRAIN_SECONDS)}s`,
    '-s',
    join(import.meta.dirname, 'generators', script?.file ?? 'wrk.lua'),
    `http://127.0.0.1:${port}`,
    '--',
    file,
    String(seconds),
    String(connections),
    ...(script?.words ?? []),
  ]
  return new Promise((done, failed) => {
    const child = spawn('wrk', words, { stdio: ['ignore', 'pipe', 2] })
    let output = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes('@silent')) child.kill('SIGINT')
    })
    child.once('error', failed)
    child.once('close', () => {
      const line = /^@bench(.*)$/m.exec(output)?.[1]
      if (!line) return failed(new Error(`wrk said nothing that can be read: ${output}`))
      const counts = JSON.parse(line) as Omit<Slice, 'perSecond'>
      done({ ...counts, perSecond: counts.answered / seconds })
    })
  })
}

function autocannon(connections: number): Load {
  const rates = new Map<number, number>()
  return {
    generator: 'autocannon 9',
    async run({ port, requests, seconds }) {
      // Autocannon stops after a number of requests, not after a time, so the number is computed from the last rate.
      const amount = Math.max(200, Math.round((rates.get(port) ?? 500) * seconds))
      const slice = await start<Slice>('generators/autocannon.ts', { port, requests, amount, connections })
      rates.set(port, slice.perSecond)
      return slice
    },
    close: async () => {},
  }
}
