import type { KeyName } from '../keys/list.ts'

/** The display name of a usage row's key; calls without a key are the playground's. */
export function describeKey(
  keyId: number | null,
  names: Map<number, KeyName>,
): { publicId: string | null; name: string } {
  if (keyId === null) return { publicId: null, name: 'Playground' }
  return names.get(keyId) ?? { publicId: null, name: 'Removed key' }
}
