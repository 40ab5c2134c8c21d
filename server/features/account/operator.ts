import type { Actor } from '../../context.ts'

/** Whoever has a shell on the machine; the audit log knows no more of them. */
export const operator: Actor = { kind: 'system', name: 'operator' }
