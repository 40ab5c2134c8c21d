import { sql } from 'kysely'
import type { z } from 'zod'
import type { customerKey } from '#contract/operator/customers.ts'
import type { Database } from '../../../db/database.ts'
import { keyUsage } from '../../keys/key-usage.ts'
import { masked } from '../../keys/present.ts'
import { openCustomer } from './customer-facts.ts'

interface Row {
  number: number
  id: string
  name: string
  start: string
  created_at: Date
  created_by: string | null
  expires_at: Date | null
  deleted_at: Date | null
  last_used_client: string | null
  rate_limit_per_minute: number | null
  monthly_budget: number | null
  budget_left: number | null
  allowed_networks: string[] | null
}

/** At most this many: live keys first, then those that were deleted last. */
const MOST = 200

/** The customer's keys, masked. Their values are not read at all. Throws not_found. */
export async function listKeysOfCustomer(db: Database, publicId: string): Promise<z.input<typeof customerKey>[]> {
  const { found, home } = await openCustomer(db, publicId)
  const [{ rows }, usage] = await Promise.all([
    sql<Row>`
      select k.id as number, k.public_id as id, k.name, k.start, k.created_at, k.expires_at, k.deleted_at, k.rate_limit_per_minute,
        nullif(p.email, '') as created_by, u.client as last_used_client, m.monthly_budget, k.allowed_networks::text[] as allowed_networks,
        case when m.budget_until <= app_now() then m.monthly_budget when m.monthly_budget is not null then m.budget_left end as budget_left
      from api_keys k left join profiles p on p.user_id = k.created_by
      left join meter_keys m on m.key_id = k.id left join key_last_use u on u.key_id = k.id
      where k.account_id = ${found.number} order by k.deleted_at desc nulls first, k.id limit ${MOST}`.execute(home),
    keyUsage(home, found.number),
  ])
  return rows.map(({ number, start, ...row }) => ({
    ...row,
    masked: masked(start),
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    deleted_at: row.deleted_at?.toISOString() ?? null,
    calls: usage.get(number)?.usageCount ?? 0,
    last_used_at: usage.get(number)?.lastUsedAt.toISOString() ?? null,
  }))
}
