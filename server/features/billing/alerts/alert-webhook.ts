import { randomBytes } from 'node:crypto'
import type { AlertWebhook } from '#contract/billing.ts'
import type { UserContext } from '../../../context.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import { urlProblem } from '../../../net/guarded-fetch.ts'
import { audit } from '../../account/audit.ts'
import { requireManager } from '../../account/require-role.ts'

const PURPOSE = 'alert_webhooks.secret'
/** A release that runs during a rollout derives the same secret from the salt. */
const MAC_PURPOSE = 'alert-webhook'

/** The webhook that alerts are posted to, with its signing secret. Owners and admins only. Throws forbidden. */
export async function readAlertWebhook({ actor, deps }: UserContext): Promise<AlertWebhook | null> {
  requireManager(actor)
  const row = await deps.db.kysely
    .selectFrom('alert_webhooks')
    .select(['account_id', 'url', 'salt', 'secret'])
    .where('account_id', '=', actor.accountId)
    .executeTakeFirst()
  return row ? { url: row.url, secret: alertSecret(deps, row) } : null
}

/**
 * Sets the alert webhook; null removes it. A new URL gets a new secret. Owners and admins only. Throws forbidden and
 * invalid_parameter (an address that we would never post to).
 */
export async function setAlertWebhook(ctx: UserContext, url: string | null): Promise<AlertWebhook | null> {
  const { actor, deps } = ctx
  requireManager(actor)
  if (url !== null) refuseUnsafe(deps, url)
  const salt = randomBytes(24).toString('hex')
  const made = { salt, secret: sealed(deps, actor.accountId, deps.secrets.mac(MAC_PURPOSE, salt)) }
  await deps.db.kysely.transaction().execute(async (tx) => {
    if (url === null) await tx.deleteFrom('alert_webhooks').where('account_id', '=', actor.accountId).execute()
    else
      await tx
        .insertInto('alert_webhooks')
        .values({ account_id: actor.accountId, url, ...made })
        .onConflict((conflict) =>
          conflict
            .column('account_id')
            .doUpdateSet({ url, ...made })
            .where('alert_webhooks.url', '<>', url),
        )
        .execute()
    await audit(tx, { accountId: actor.accountId, actor, action: 'alert_webhook.changed' })
  })
  return readAlertWebhook(ctx)
}

function refuseUnsafe(deps: Pick<Deps, 'config'>, url: string): void {
  if (urlProblem(new URL(url), allowsPrivateNetworks(deps)) === null) return
  throw new AppError(
    'invalid_parameter',
    'url: must be an https address on the public internet, port 443 or 8443, without a user name',
    { param: 'url' },
  )
}

/**
 * A sandbox on a laptop may post to itself. A sandbox that is open to others must not: anyone can sign in there, and
 * could reach its private network.
 */
export const allowsPrivateNetworks = ({ config }: Pick<Deps, 'config'>): boolean =>
  config.sandbox && config.SANDBOX !== 'on'

/** A signing secret in Standard Webhooks format. */
export function alertSecret(
  { secrets }: Pick<Deps, 'secrets'>,
  { account_id: accountId, salt, secret }: { account_id: number; salt: string; secret: Buffer | null },
): string {
  const base64 = secret
    ? secrets.decrypt(PURPOSE, secret, String(accountId))
    : secrets.mac(MAC_PURPOSE, salt).toString('base64')
  return `whsec_${base64}`
}

/**
 * Stores the signing secrets of a release that derived them from the KEYS_SECRET `inForce`, so that they outlive a
 * change of it. Before anything else reads them: at each start.
 */
export async function keepAlertSecrets(
  { db, secrets }: Pick<Deps, 'db' | 'secrets'>,
  inForce: 'present' | 'previous',
): Promise<void> {
  const derive = inForce === 'present' ? secrets.mac : secrets.previousMac
  const derived = await db.kysely
    .selectFrom('alert_webhooks')
    .select(['account_id', 'salt'])
    .where('secret', 'is', null)
    .execute()
  for (const { account_id: accountId, salt } of derived)
    await db.kysely
      .updateTable('alert_webhooks')
      .set({ secret: sealed({ secrets }, accountId, derive(MAC_PURPOSE, salt)) })
      .where('account_id', '=', accountId)
      .where('salt', '=', salt)
      .where('secret', 'is', null)
      .execute()
}

const sealed = ({ secrets }: Pick<Deps, 'secrets'>, accountId: number, secret: Buffer): Buffer =>
  secrets.encrypt(PURPOSE, secret.toString('base64'), String(accountId))
