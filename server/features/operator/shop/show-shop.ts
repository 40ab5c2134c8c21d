import type { z } from 'zod'
import type { shopRoutes } from '#contract/operator/shop-routes.ts'
import type { Deps } from '../../../deps.ts'
import { toolGroups } from '../../../product-tools.ts'
import { builtinNames } from '../../shop/builtins.ts'
import { shownSettings } from '../../shop/export-shop.ts'
import { openShop } from '../../shop/read-shop-file.ts'
import { unnamedShop } from '../../shop/shop.ts'
import { listVersions, servedShop } from '../../shop/store.ts'

export type ShownShop = z.input<typeof shopRoutes.getShop.data>

/** The shop that the database says is served: this server takes it over within two seconds. */
export async function showShop({ db, config }: Pick<Deps, 'db' | 'config'>): Promise<ShownShop> {
  const [served, versions] = await Promise.all([servedShop(db.kysely), listVersions(db.kysely)])
  const unnamed = unnamedShop(config)
  const shop = served ? openShop(served, unnamed) : unnamed
  const { stored, senderConfirmed } = served ?? {}
  const waits = stored?.sender !== undefined && !senderConfirmed
  return {
    version: served?.version ?? 0,
    applied_at: served?.createdAt.toISOString() ?? null,
    settings: stored ? shownSettings(stored) : {},
    logo: stored && !stored.drawn ? shop.logo!.path : null,
    logo_dark: shop.logoDark?.path ?? null,
    pages: stored?.pages ?? {},
    sender: {
      used: shop.sender.address,
      waiting: waits ? stored.sender! : null,
      sends: sendsMail(config),
    },
    versions: versions.map(({ version, name, createdAt }) => ({
      version,
      name,
      applied_at: createdAt.toISOString(),
      served: version === served?.version,
    })),
    builtins: builtinNames(toolGroups),
  }
}

export const sendsMail = ({ SMTP_URL, sandbox }: Deps['config']): boolean => SMTP_URL !== undefined || sandbox
