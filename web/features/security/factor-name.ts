import type { Factor } from '@supabase/auth-js'
import { securityText as text } from './text.ts'

/** What the person called it; a factor of another client may have no name. */
export function nameOf(factor: Factor & { phone?: string }): string {
  if (factor.friendly_name) return factor.friendly_name
  return factor.factor_type === 'phone' ? text.phone(factor.phone ?? '') : text.authenticator
}
