import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'

/** SQL: the session of the console `s` has not ended, nor has the sign-in behind it where that is ours. */
export const isConsoleOpen = ({ config }: Pick<Deps, 'config'>) => sql<boolean>`(s.expires_at > app_now()
  and (${config.AUTH_URL !== undefined} or exists (select from auth.sessions a join auth.users u on u.id = a.user_id
    where a.id = s.auth_session and u.deleted_at is null and (u.banned_until is null or u.banned_until <= app_now()))))`
