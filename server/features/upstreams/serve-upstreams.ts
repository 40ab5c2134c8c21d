import type { Deps } from '../../deps.ts'
import type { Lookup } from '../../net/checked-addresses.ts'
import type { Tool } from '../tools/define-tool.ts'
import { createAnswerCache } from './cache/answer-cache.ts'
import { openMcpVersion } from './mcp/open-mcp-version.ts'
import type { OpenDeps, OpenedVersion } from './open-parts.ts'
import { openVersion } from './open-version.ts'
import { parseManifest } from './read-manifest.ts'
import { createCallerNames } from './request/call-upstream.ts'
import { secretName } from './request/credential.ts'
import type { Health } from './request/upstream-client.ts'
import { credentialEnv, readSealed, type SealedSecret, storedName } from './secrets/stored-secrets.ts'
import { createAnnouncement } from './serving/announce.ts'
import { readVersion, servedVersions, UPSTREAMS_CHANGED, type UpstreamVersion } from './store.ts'

const LOOK_AGAIN_MS = 2_000

/** What each kind of upstream makes of a version. */
export const openAnyVersion = (deps: OpenDeps, { manifest, ...version }: UpstreamVersion): OpenedVersion =>
  manifest.kind === 'mcp' ? openMcpVersion(deps, { ...version, manifest }) : openVersion(deps, { ...version, manifest })

interface Served {
  version: number
  /** The name of its credential in the secret store, and the revision that it was opened with. */
  secret: string | null
  revision: string | undefined
  tools: Tool[]
  health?: () => Health
  close: () => Promise<void>
  /** Why it is not this version that is served. */
  problem: string | null
}
const NOTHING = { tools: [], close: async () => {} }

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
 * Serves the published version of each upstream as tools, and takes over changes, also of stored secrets, when the database tells of them. A version that cannot
 * be opened changes nothing: the one before it stays, and the log has the reason. A look that fails as a whole is repeated, the first one too.
 */
export async function serveUpstreams(deps: ServeDeps): Promise<ServedUpstreams> {
  const { db, listener, log, tools } = deps
  const openDeps: OpenDeps = {
    ...deps,
    namesOf: createCallerNames(db),
    cache: createAnswerCache(),
  }
  let served = new Map<string, Served>()
  const announcement = createAnnouncement(deps, (id) => served.get(id)?.health?.())
  /** Of operations that cannot be served, by upstream. */
  let refused = new Map<string, string>()

  const openOne = async (
    id: string,
    version: number,
    before: Served | undefined,
    sealed: ReadonlyMap<string, SealedSecret>,
  ): Promise<Served> => {
    // Outside: when the database cannot be read, the look is repeated.
    const stored = await readVersion(db.kysely, id, version)
    let secret: string | null = null
    let revision: string | undefined
    try {
      if (!stored) throw new Error('this version is gone')
      const manifest = parseManifest(stored.manifest)
      const named = secretName(manifest.auth)
      secret = storedName(named)
      revision = secret === null ? undefined : sealed.get(secret)?.revision
      const env = credentialEnv(named, deps.env, sealed, deps.secrets)
      return {
        version,
        secret,
        revision,
        problem: null,
        ...openAnyVersion({ ...openDeps, env }, { ...stored, manifest }),
      }
    } catch (error) {
      const { message } = error as Error
      log.error({ upstream: id, version, error: message }, 'could not serve a published version')
      // Remembered, so that it is not tried again until something changes.
      return { ...(before ?? NOTHING), version, secret, revision, problem: message }
    }
  }

  const lookOnce = async (): Promise<void> => {
    const next = new Map<string, Served>()
    const sealed = await readSealed(db.kysely)
    const wanted = await servedVersions(db)
    for (const { id, version } of wanted) {
      const before = served.get(id)
      const same = before?.version === version && before.revision === sealed.get(before.secret ?? '')?.revision
      next.set(id, same ? before : await openOne(id, version, before, sealed))
    }
    if (next.size !== served.size || [...next].some(([id, one]) => served.get(id) !== one)) await takeOver(next)
    void announcement.tell(
      Object.fromEntries(
        wanted.map(({ id, version, changed }) => [
          id,
          { version, changed, problem: next.get(id)!.problem ?? refused.get(id) ?? null },
        ]),
      ),
    )
  }

  const takeOver = async (next: Map<string, Served>): Promise<void> => {
    const all = [...next.values()].flatMap((one) => one.tools)
    const problems = tools.problems('upstreams', all)
    for (const { tool, problem } of problems) log.error({ tool, problem }, 'an operation is not served')
    const bad = new Set(problems.map(({ tool }) => tool))
    await tools.replace(
      'upstreams',
      all.filter(({ name }) => !bad.has(name)),
    )
    refused = new Map(
      all.flatMap(({ name, upstream }) => {
        const problem = problems.find(({ tool }) => tool === name)?.problem
        return problem === undefined ? [] : [[upstream!.id, problem] as const]
      }),
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
      await announcement.close()
      await Promise.allSettled([...served.values()].map((one) => one.close()))
    },
  }
}
