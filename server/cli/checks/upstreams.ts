import { outdatedVersions } from '../../features/upstreams/outdated-versions.ts'
import { secretName, secretProblem } from '../../features/upstreams/request/credential.ts'
import { credentialEnv, readSealed } from '../../features/upstreams/secrets/stored-secrets.ts'
import { readUpstreams, readVersion } from '../../features/upstreams/store.ts'
import type { Connection } from '../connect.ts'
import type { Report } from './report.ts'

/** Whether published upstreams have their credentials here, and versions that this release serves safely. Nothing without upstreams. */
export async function checkUpstreams(
  { db, secrets }: Pick<Connection, 'db' | 'secrets'>,
  report: Report,
): Promise<void> {
  const published = (await readUpstreams(db.kysely)).filter((one) => one.published !== null)
  if (published.length === 0) return
  const sealed = await readSealed(db.kysely)
  let sound = true
  const wrong = (text: string): void => {
    sound = false
    report.wrong(text)
  }
  for (const { id, published: version } of published) {
    const stored = await readVersion(db.kysely, id, version!)
    const secret = secretName(stored?.manifest.auth)
    try {
      const problem = secretProblem(secret, credentialEnv(secret, process.env, sealed, secrets))
      if (problem !== null) wrong(`upstream ${id}: ${problem}`)
    } catch (error) {
      wrong(`upstream ${id}: ${(error as Error).message}`)
    }
  }
  for (const { id, version, problem } of await outdatedVersions(db.kysely))
    wrong(`upstream ${id}: version ${version} ${problem}`)
  if (sound)
    report.ok(
      published.length === 1
        ? '1 upstream, with its credential'
        : `${published.length} upstreams, with their credentials`,
    )
}
