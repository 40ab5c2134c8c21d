import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { publishedPlace } from '../published-place.ts'
import { fetchConnector, requireKey } from './fetch-connector.ts'
import { connectors } from './list.ts'
import { connectorsRoot, type RunReport } from './run-state.ts'

/** Connectors that servers run by themselves, with the contact that is named to the source. */
export type Schedule = Record<string, { contact: string | null }>

const fileOf = (root: string) => join(root, 'schedule.json')

export async function readSchedule(root: string): Promise<Schedule> {
  const text = await readFile(fileOf(root), 'utf8').catch(() => '{}')
  return JSON.parse(text) as Schedule
}

/** Turns a connector on or off. Throws for an unknown one, and to turn one on without the contact or key it needs. */
export async function changeSchedule(
  config: { FINMETER_DATA_DIR: string },
  name: string,
  on: boolean,
  contact: string | null,
): Promise<void> {
  const root = connectorsRoot(config)
  const connector = connectors.get(name)
  if (!connector) throw new Error(`There is no connector ${name}. Available: ${[...connectors.keys()].join(', ')}.`)
  if (on && connector.manifest.contactRequired && !contact)
    throw new Error(`${connector.manifest.title}: the source asks for your address. Write --contact you@example.com.`)
  if (on) requireKey(config, connector.manifest)
  await mkdir(root, { recursive: true })
  const draft = `${fileOf(root)}.lock`
  await claim(draft)
  try {
    const { [name]: _, ...others } = await readSchedule(root)
    await writeFile(draft, JSON.stringify(on ? { ...others, [name]: { contact } } : others))
    await rename(draft, fileOf(root))
  } catch (error) {
    await rm(draft)
    throw error
  }
}

const CLAIM_MS = 5_000

/** Makes the next schedule's file, which only one process at a time has: two changes at once follow each other. */
async function claim(draft: string): Promise<void> {
  const untilMs = Date.now() + CLAIM_MS
  while (!(await isMade(draft))) {
    if (Date.now() > untilMs) throw new Error(`Another change is under way. If that cannot be, remove ${draft}.`)
    await sleep(20)
  }
}

const isMade = (file: string): Promise<boolean> =>
  writeFile(file, '', { flag: 'wx' }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
      return false
    },
  )

/**
 * The run of a scheduled connector; null if it is not scheduled. Throws when nothing could be published, so that the job
 * counts as failed and is tried again.
 */
export async function fetchScheduled(
  config: { FINMETER_DATA_DIR: string },
  name: string,
  sources: Parameters<typeof fetchConnector>[1]['sources'] = null,
): Promise<RunReport | null> {
  const entry = (await readSchedule(connectorsRoot(config)))[name]
  if (!entry) return null
  const { contact } = entry
  const published = publishedPlace(config)
  const report = await fetchConnector(name, { config, published, contact, selection: [], sources })
  if (report.outcome !== 'published' && report.outcome !== 'unchanged')
    throw new Error(`${name}: ${report.outcome}. ${report.reasons.join(' ')}`.slice(0, 500))
  return report
}
