import { createHash } from 'node:crypto'

const MOST = 63

/** `acme_get_price` for the operation getPrice of acme. A name that would be too long ends with a part of its hash. */
export function toolName(upstream: string, operation: string): string {
  const words = operation
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase()
  const name = `${upstream.replaceAll('-', '_')}_${words}`
  if (name.length <= MOST) return name
  return `${name.slice(0, MOST - 9).replace(/_+$/, '')}_${createHash('sha256').update(operation).digest('hex').slice(0, 8)}`
}
