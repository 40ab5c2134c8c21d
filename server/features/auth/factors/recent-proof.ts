import { sql } from 'kysely'

/** The methods in `amr` that make a session aal2. */
export const SECOND_FACTORS = ['totp', 'mfa/phone', 'mfa/webauthn'] as const

const RECENT = '10 minutes'

/** Whether the session `s` of a query verified a second factor in the last ten minutes. */
export const provedRecently = sql<boolean>`exists (select from auth.session_methods m where m.session_id = s.id
  and m.method in (${sql.join([...SECOND_FACTORS])}) and m.at > app_now() - ${RECENT}::interval)`
