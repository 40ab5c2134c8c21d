import type { Deps } from '../../deps.ts'
import type { Lookup } from '../../net/checked-addresses.ts'
import { createPlansOfAccount } from '../market-data/plans-of-account.ts'
import type { Tool } from '../tools/define-tool.ts'
import { createCallerNames } from './caller-names.ts'
import { openMcpVersion } from './mcp/open-mcp-version.ts'
import type { OpenDeps } from './open-parts.ts'
import { openVersion } from './open-version.ts'
import { parseManifest } from './read-manifest.ts'
import { readVersion, servedVersions, UPSTREAMS_CHANGED, type UpstreamVersion } from './store.ts'

const LOOK_AGAIN_MS = 2_000

/** What each kind of upstream makes of a version. */
const open = (deps: OpenDeps, { manifest, ...version }: UpstreamVersion) =>
  manifest.kind === 'mcp' ? openMcpVersion(deps, { ...version, manifest }) : openVersion(deps, { ...version, manifest })

interface Served {
  version: number
  tools: Tool[]
  close: () => Promise<void>
}

export interface ServedUpstreams {
  /** Takes over what was published, paused or removed since. */
  look: () => Promise<void>
  close: () => Promise<void>
}

type ServeDeps = Pick<Deps, 'db' | 'listener' | 'log' | 'metrics' | 'secrets' | 'tools'> & {
  env: NodeJS.ProcessEnv
  lookup?: Lookup
}

/**
 * Serves the published version of each upstream as tools, and takes over changes when the database tells of them. A version that cannot
 * be opened changes nothing: the one before it stays, and the log has the reason. A look that fails as a whole is repeated, the first one too.
 */
export async function serveUpstreams(deps: ServeDeps): Promise<ServedUpstreams> {
  const { db, listener, log, tools } = deps
  const openDeps: OpenDeps = { ...deps, namesOf: createCallerNames(db), plansOf: createPlansOfAccount(deps) }
  let served = new Map<string, Served>()

  const openOne = async (id: string, version: number, before: Served | undefined): Promise<Served | undefined> => {
    // Outside: when the database cannot be read, the look is repeated.
    const stored = await readVersion(db.kysely, id, version)
    try {
      if (!stored) throw new Error('this version is gone')
      const manifest = parseManifest(stored.manifest)
      return { version, ...open(openDeps, { ...stored, manifest }) }
    } catch (error) {
      log.error({ upstream: id, version, error: (error as Error).message }, 'could not serve a published version')
      // Remembered, so that it is not tried again until something changes.
      return before && { ...before, version }
    }
  }

  const lookOnce = async (): Promise<void> => {
    const next = new Map<string, Served>()
    for (const { id, version } of await servedVersions(db)) {
      const before = served.get(id)
      const now = before?.version === version ? before : await openOne(id, version, before)
      if (now) next.set(id, now)
    }
    if (next.size === served.size && [...next].every(([id, one]) => served.get(id) === one)) return
    const all = [...next.values()].flatMap((one) => one.tools)
    const problems = tools.problems('upstreams', all)
    for (const { tool, problem } of problems) log.error({ tool, problem }, 'an operation is not served')
    const bad = new Set(problems.map(({ tool }) => tool))
    await tools.replace(
      'upstreams',
      all.filter(({ name }) => !bad.has(name)),
    )
    // Calls under way end on the version that they began with: its connections close by themselves when they are idle.
    served = next
  }

  let last = Promise.resolve()
  const look = (): Promise<void> => {
    const looked = last.then(lookOnce)
    last = looked.catch((error: Error) =>
      log.error({ error: error.message }, 'could not check for published upstreams'),
    )
    return looked
  }

  // What changed while nothing was heard is looked for as soon as the database can be heard again.
  let missed = false
  listener.on(
    UPSTREAMS_CHANGED,
    () =>
      void look().catch(() => {
        missed = true
      }),
  )
  listener.onLost(() => {
    missed = true
  })
  const timer = setInterval(() => {
    if (!missed || !listener.connected) return
    missed = false
    look().catch(() => {
      missed = true
    })
  }, LOOK_AGAIN_MS)
  timer.unref()
  // Our own tools are served without those of upstreams.
  await look().catch(() => {
    missed = true
  })
  return {
    look,
    async close() {
      clearInterval(timer)
      await last
      await Promise.allSettled([...served.values()].map((one) => one.close()))
    },
  }
}
