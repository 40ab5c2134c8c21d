import { withoutKeys } from '../../lib/mask.ts'

interface Named {
  name: string
  value: string
}

/**
 * The page's query with the filled fields, for sharing; other parameters stay. If nothing differs from the example, the
 * URL has no fields. A key in a field is replaced.
 */
export function sharedQuery(current: string, fields: Named[], isExample: boolean): string {
  const query = new URLSearchParams(current)
  for (const { name } of fields) query.delete(name)
  if (!isExample)
    for (const { name, value } of fields) if (value.trim() !== '') query.append(name, withoutKeys(value.trim()))
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}

/** The values of a shared URL by field name; null if it names no field, and the example stays. */
export function sharedValues(query: string, names: string[]): Map<string, string> | null {
  const given = new URLSearchParams(query)
  if (!names.some((name) => given.has(name))) return null
  return new Map(names.map((name) => [name, given.get(name) ?? '']))
}
