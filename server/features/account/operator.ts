import type { Actor } from '../../context.ts'

/** Anyone with a shell on the machine. The audit log cannot identify them further. */
export const operator: Actor = { kind: 'system', name: 'operator' }
