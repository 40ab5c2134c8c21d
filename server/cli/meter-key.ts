import { listServiceKeys } from '../features/meter-door/list-service-keys.ts'
import { makeServiceKey } from '../features/meter-door/make-service-key.ts'
import { revokeServiceKey } from '../features/meter-door/revoke-service-key.ts'
import type { Connection } from './connect.ts'
import { print } from './print.ts'

/** npm run admin -- meter-key [--upstream <id>]... | list | revoke <number> */
export async function manageServiceKeys({ db }: Connection, words: string[], upstreams?: string[]): Promise<void> {
  const [verb, number, ...more] = words
  if (verb === undefined) {
    const { id, value } = await makeServiceKey(db.kysely, upstreams ?? null)
    print(`Service key ${id} for ${upstreams?.join(', ') ?? 'every operation'}. The key is not shown again:`)
    print(value)
  } else if (verb === 'list' && number === undefined) {
    const keys = await listServiceKeys(db.kysely)
    if (keys.length === 0) print('There are no service keys.')
    for (const { id, start, upstreams, createdAt, revokedAt } of keys) {
      const facts = [id, `${start}...`, upstreams?.join(', ') ?? 'every operation', `since ${createdAt.toISOString()}`]
      print([...facts, ...(revokedAt ? [`REVOKED ${revokedAt.toISOString()}`] : [])].join('  '))
    }
  } else if (verb === 'revoke' && /^\d{1,9}$/.test(number ?? '') && more.length === 0) {
    const revoked = await revokeServiceKey(db.kysely, Number(number))
    print(revoked ? 'The key is now refused everywhere.' : 'There is no such key, or it was already revoked.')
  } else throw new Error('npm run admin -- meter-key [--upstream <id>]... | list | revoke <number>')
}
