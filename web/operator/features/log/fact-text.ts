import { count } from '../../lib/format.ts'

/** The name of a fact in the operators' log: `credits left`. */
export const factName = (name: string): string => name.replaceAll('_', ' ')

/** Its value. A number has its thousands apart. */
export function factValue(value: unknown): string {
  if (value === null || value === undefined) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return count(value)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
