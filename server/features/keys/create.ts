import { randomUUID } from 'node:crypto'
import type { ApiKey, NewKeyInput } from '#contract/keys.ts'
import type { Config } from '../../config/config.ts'
import type { Actor, UserContext } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import { AppError } from '../../http/errors.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import { audit } from '../account/audit.ts'
import { lockAccount } from '../account/lock-account.ts'
import { requireActive } from '../account/require-active.ts'
import { requireManager } from '../account/require-role.ts'
import { openMeterKey } from '../metering/keys.ts'
import { readKeyPrefix } from '../shop/read-key-prefix.ts'
import { hashBytes, hashKey, makeKey, startOf } from './key-format.ts'
import { CIPHER_PURPOSE } from './present.ts'
import { presentNewKey } from './present-new-key.ts'
import { writeControls } from './write-controls.ts'

/** Bounds the cost of listing, which decrypts every key. */
export const MAX_KEYS = 1_000

/**
 * Creates a key; the response contains it in full. Owners and admins only. Throws forbidden, account_suspended,
 * invalid_parameter (networks, a past time), or conflict when the workspace already has 1,000 keys or is being deleted.
 */
export async function createKey(ctx: UserContext, { name, ...controls }: NewKeyInput): Promise<ApiKey> {
  requireManager(ctx.actor)
  return ctx.deps.db.kysely.transaction().execute(async (tx) => {
    await lockAccount(tx, ctx.actor.accountId)
    await requireActive(tx, ctx)
    if ((await countKeys(tx, ctx.actor.accountId)) >= MAX_KEYS) {
      throw new AppError('conflict', `This workspace has ${MAX_KEYS} API keys, which is the maximum. Delete one first.`)
    }
    const made = await addKey(tx, newKeyOf(ctx), name)
    const set = Object.fromEntries(Object.entries(controls).filter(([, value]) => value !== null))
    await writeControls(tx, { id: made.id, accountId: ctx.actor.accountId }, set)
    return presentNewKey(tx, ctx.actor.accountId, made)
  })
}

export interface NewKey {
  accountId: number
  actor: Actor
  secrets: Secrets
  /** always: an encrypted copy is stored, so the key can be shown again. once: it is not. */
  reveal: Config['KEYS_REVEAL']
}

export interface MadeKey {
  id: number
  public_id: string
  name: string
  created_at: Date
  /** The whole key. */
  secret: string
}

/** Creates a key inside the caller's transaction, with its meter row and audit log entry. */
export async function addKey(
  tx: Queryable,
  { accountId, actor, secrets, reveal }: NewKey,
  name: string,
): Promise<MadeKey> {
  const secret = makeKey(await readKeyPrefix(tx))
  const publicId = randomUUID()
  const row = await tx
    .insertInto('api_keys')
    .values({
      public_id: publicId,
      account_id: accountId,
      name,
      hash: hashBytes(hashKey(secret)),
      ciphertext: reveal === 'always' ? secrets.encrypt(CIPHER_PURPOSE, secret, publicId) : null,
      start: startOf(secret),
      created_by: actor.kind === 'user' ? actor.userId : null,
    })
    .returning(['id', 'public_id', 'name', 'created_at'])
    .executeTakeFirstOrThrow()
  await openMeterKey(tx, { keyId: row.id, accountId })
  await audit(tx, { accountId, actor, action: 'key.created', target: publicId })
  return { ...row, secret }
}

/** The part of a signed-in person's request that `addKey` needs. */
export const newKeyOf = ({ actor, deps }: UserContext): NewKey => ({
  accountId: actor.accountId,
  actor,
  secrets: deps.secrets,
  reveal: deps.config.KEYS_REVEAL,
})

/** Number of the account's live keys. */
export async function countKeys(db: Queryable, accountId: number): Promise<number> {
  const { count } = await db
    .selectFrom('api_keys')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}
