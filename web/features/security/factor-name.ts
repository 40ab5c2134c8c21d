import type { Factor } from '@supabase/auth-js'
import { securityText as text } from './text.ts'

/** The name the user gave it; a factor from another client may have none. */
export function nameOf(factor: Factor & { phone?: string }): string {
  if (factor.friendly_name) return factor.friendly_name
  return factor.factor_type === 'phone' ? text.phone(factor.phone ?? '') : text.authenticator
}
