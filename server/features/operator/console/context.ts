import type { OperatorRole } from '#contract/operator/route.ts'
import type { Deps } from '../../../deps.ts'

/** Who acts, and by which session. */
export interface OperatorContext {
  deps: Deps
  operator: { id: number; email: string; role: OperatorRole }
  session: {
    /** The cookie's value. Never logged, never sent back. */
    secret: string
    expiresAt: Date
    secondFactor: 'fresh' | 'stale' | 'read_only' | 'not_needed'
    /** Until then, the second factor is too new for acts on money and people; null: it is not. */
    factorCountsFrom: Date | null
  }
  /** What a form asked for, without its reason; null: no form was sent. */
  input: string | null
  requestId: string
  ip: string
}
