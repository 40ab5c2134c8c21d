import type { UserContext } from '../context.ts'
import type { Database } from '../db/database.ts'
import { keyUsage } from '../features/keys/key-usage.ts'
import type { ToolRegistry } from '../features/tools/registry.ts'
import { readKeyAnalytics, readUsage } from '../features/usage/analytics.ts'
import { readCreditHistory } from '../features/usage/credit-history.ts'
import { findReceipt, listReceipts } from '../features/usage/receipts.ts'
import type { UsageRows } from './usage-rows.ts'

/** The usage page's queries for the busiest account, by name: every function that reads usage, with every filter. */
export function usagePage(
  db: Database,
  tools: ToolRegistry,
  { busy, busyKeys, quiet }: UsageRows,
): Record<string, () => Promise<unknown>> {
  const context = (accountId: number) =>
    ({ actor: { accountId, bucket: 0 }, deps: { db, tools } }) as unknown as UserContext
  const ctx = context(busy)
  const keyId = busyKeys[0]!.publicId
  const latest = () => listReceipts(ctx, { limit: 10 })
  return {
    'usage, 24 hours': () => readUsage(ctx, '24h'),
    'usage, 7 days': () => readUsage(ctx, '7d'),
    'usage, 30 days': () => readUsage(ctx, '30d'),
    'usage, 90 days': () => readUsage(ctx, '90d'),
    'usage of a quiet account, 90 days': () => readUsage(context(quiet), '90d'),
    'one key, 90 days': () => readKeyAnalytics(ctx, keyId, '90d'),
    'counts in the key list': () => keyUsage(db.kysely, busy),
    'credit history': () => readCreditHistory(ctx),
    'latest calls': latest,
    'calls, 100 per page': () => listReceipts(ctx, { limit: 100 }),
    'calls, second page': async () => listReceipts(ctx, { limit: 10, cursor: (await latest()).nextCursor! }),
    'calls of one key': () => listReceipts(ctx, { limit: 10, keyId }),
    'failed calls': () => listReceipts(ctx, { limit: 10, status: 'failed' }),
    'calls of one tool': () => listReceipts(ctx, { limit: 10, tool: tools.current().all[0]!.tool.name }),
    'calls of an unused tool': () => listReceipts(ctx, { limit: 10, tool: tools.current().all.at(-1)!.tool.name }),
    'calls of a day 60 days ago': () =>
      listReceipts(ctx, {
        limit: 10,
        from: new Date(Date.now() - 61 * 86_400_000).toISOString(),
        to: new Date(Date.now() - 60 * 86_400_000).toISOString(),
      }),
    'calls of a quiet account': () => listReceipts(context(quiet), { limit: 10 }),
    'one receipt': async () => findReceipt(ctx, (await latest()).receipts[0]!.id),
  }
}
