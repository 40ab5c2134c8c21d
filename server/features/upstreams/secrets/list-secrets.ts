import type { Queryable } from '../../../db/database.ts'
import { usesOfSecrets } from './uses-of-secrets.ts'

/** The secret store for the operator: a line for each name, with its dates and who uses it. Values are never shown. */
export async function secretLines(db: Queryable): Promise<string[]> {
  const [all, uses] = await Promise.all([
    db.selectFrom('upstream_secrets').select(['name', 'created_at', 'changed_at']).orderBy('name').execute(),
    usesOfSecrets(db),
  ])
  if (all.length === 0) return ['The secret store is empty.']
  return all.map(({ name, created_at, changed_at }) => {
    const by = uses.filter((one) => one.name === name && one.served).map(({ upstream }) => upstream)
    const used = by.length > 0 ? `used by ${by.join(', ')}` : 'used by no version that is served'
    return `${name}  stored ${created_at.toISOString()}  changed ${changed_at.toISOString()}  ${used}`
  })
}
