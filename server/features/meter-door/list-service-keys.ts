import type { Queryable } from '../../db/database.ts'

/** A service key as operators see it. */
export interface ListedServiceKey {
  id: number
  /** Its first characters. */
  start: string
  /** Null for every operation. */
  upstreams: string[] | null
  createdAt: Date
  revokedAt: Date | null
}

/** All service keys ever made, oldest first. */
export const listServiceKeys = (db: Queryable): Promise<ListedServiceKey[]> =>
  db
    .selectFrom('service_keys')
    .select(['id', 'start', 'upstreams', 'created_at as createdAt', 'revoked_at as revokedAt'])
    .orderBy('id')
    .execute()
