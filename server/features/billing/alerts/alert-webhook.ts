import { createHmac, randomBytes } from 'node:crypto'
import type { AlertWebhook } from '#contract/billing.ts'
import type { UserContext } from '../../../context.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import { urlProblem } from '../../../net/guarded-fetch.ts'
import { audit } from '../../account/audit.ts'
import { requireManager } from '../../account/require-role.ts'

/** The webhook that alerts are posted to, with its signing secret. Owners and admins only. Throws forbidden. */
export async function readAlertWebhook({ actor, deps }: UserContext): Promise<AlertWebhook | null> {
  requireManager(actor)
  const row = await deps.db.kysely
    .selectFrom('alert_webhooks')
    .select(['url', 'salt'])
    .where('account_id', '=', actor.accountId)
    .executeTakeFirst()
  return row ? { url: row.url, secret: alertSecret(deps, row.salt) } : null
}

/**
 * Sets the alert webhook; null removes it. A new URL gets a new secret. Owners and admins only. Throws forbidden and
 * invalid_parameter (an address that we would never post to).
 */
export async function setAlertWebhook(ctx: UserContext, url: string | null): Promise<AlertWebhook | null> {
  const { actor, deps } = ctx
  requireManager(actor)
  if (url !== null) refuseUnsafe(deps, url)
  await deps.db.kysely.transaction().execute(async (tx) => {
    if (url === null) await tx.deleteFrom('alert_webhooks').where('account_id', '=', actor.accountId).execute()
    else
      await tx
        .insertInto('alert_webhooks')
        .values({ account_id: actor.accountId, url, salt: randomBytes(24).toString('hex') })
        .onConflict((conflict) =>
          conflict
            .column('account_id')
            .doUpdateSet({ url, salt: randomBytes(24).toString('hex') })
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
export const alertSecret = ({ secrets }: Pick<Deps, 'secrets'>, salt: string): string =>
  `whsec_${createHmac('sha256', secrets.derive('alert-webhook')).update(salt).digest('base64')}`
