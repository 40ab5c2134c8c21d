import { appendFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Validators } from './fetch-answer.ts'
import type { Summary } from './summarize.ts'

export const connectorsRoot = ({ FINMETER_DATA_DIR }: { FINMETER_DATA_DIR: string }): string =>
  join(resolve(FINMETER_DATA_DIR), 'connectors')

export interface HeldPart {
  fetchedAt: string
  validators: Validators
}

/** published: a new version is served. unchanged: nothing new. refused: a check failed, the last good version stays.
 * failed: the source did not answer properly. stopped: the source asked to wait; the next run goes on. */
export type Outcome = 'published' | 'unchanged' | 'refused' | 'failed' | 'stopped'

export interface RunReport {
  connector: string
  startedAt: string
  finishedAt: string
  outcome: Outcome
  /** Why nothing was published, and what was left out otherwise. */
  reasons: string[]
  requests: number
  bytes: number
  rows: number
  /** Versions that are served after the run, by dataset. */
  versions: Record<string, string>
  /** When to try again, if the source said so. */
  retryAt: string | null
}

export interface ConnectorState {
  selection: string[]
  learned: Record<string, string>
  parts: Record<string, HeldPart>
  summaries: Record<string, Summary>
  versions: Record<string, string>
  /** When the source was last read without a problem. */
  lastGoodAt: string | null
  lastRun: RunReport | null
}

/** One line of the journal of a run that is not finished. */
export interface DonePart extends HeldPart {
  part: string
  unchanged: boolean
  learned: Record<string, string>
}

const empty: ConnectorState = {
  selection: [],
  learned: {},
  parts: {},
  summaries: {},
  versions: {},
  lastGoodAt: null,
  lastRun: null,
}

const locked = new Set<string>()

/** The files of a connector: what it holds, and how far its current run is. */
export function connectorFiles(root: string, name: string) {
  const directory = join(root, name)
  const at = (file: string) => join(directory, file)
  return {
    directory,
    parts: at('parts'),
    next: at('next'),
    staged: at('staged'),
    download: at('download'),

    async readState(): Promise<ConnectorState> {
      const text = await readFile(at('state.json'), 'utf8').catch(() => null)
      return text === null ? empty : { ...empty, ...(JSON.parse(text) as ConnectorState) }
    },
    async writeState(state: ConnectorState): Promise<void> {
      await mkdir(directory, { recursive: true })
      await writeFile(at('state.json.draft'), JSON.stringify(state))
      await rename(at('state.json.draft'), at('state.json'))
    },

    /** The unfinished run; null if there is none. A line that a kill cut short does not count. */
    async readJournal(): Promise<{ startedAt: string; done: DonePart[] } | null> {
      const text = await readFile(at('run.ndjson'), 'utf8').catch(() => '')
      const lines = text.split('\n').slice(0, -1)
      if (lines.length === 0) return null
      const [head, ...done] = lines.map((line) => JSON.parse(line) as { startedAt: string } & DonePart)
      return { startedAt: head!.startedAt, done }
    },
    async beginJournal(startedAt: string): Promise<void> {
      await mkdir(directory, { recursive: true })
      await rm(at('next'), { recursive: true, force: true })
      await writeFile(at('run.ndjson'), `${JSON.stringify({ startedAt })}\n`)
    },
    /** Also repairs a line that a kill cut short: it is written again in full. */
    async note(done: DonePart): Promise<void> {
      const text = await readFile(at('run.ndjson'), 'utf8')
      if (!text.endsWith('\n')) await writeFile(at('run.ndjson'), text.slice(0, text.lastIndexOf('\n') + 1))
      await appendFile(at('run.ndjson'), `${JSON.stringify(done)}\n`)
    },
    async endJournal(): Promise<void> {
      for (const file of ['run.ndjson', 'next', 'staged', 'download'])
        await rm(at(file), { recursive: true, force: true })
    },

    /** Throws while another run of this connector is going on. Returns the function that lets others run it again. */
    async lock(): Promise<() => Promise<void>> {
      const path = at('lock')
      const busy = (by: string) => new Error(`${name} is already being fetched${by}.`)
      if (locked.has(path)) throw busy('')
      locked.add(path)
      await mkdir(directory, { recursive: true })
      const owner = Number(await readFile(path, 'utf8').catch(() => '0'))
      // After a restart, a container's new process has the number of the one that died.
      if (owner && owner !== process.pid && lives(owner)) {
        locked.delete(path)
        throw busy(` by process ${owner}`)
      }
      await writeFile(path, String(process.pid))
      return async () => {
        locked.delete(path)
        await rm(path, { force: true })
      }
    },
  }
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
