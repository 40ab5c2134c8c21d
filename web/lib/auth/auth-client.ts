import AuthClient from '@supabase/auth-js/dist/module/AuthClient'
import type { Settings } from '../settings.ts'

/**
 * The unmodified Supabase Auth client against our `/auth/v1`, or the operator's auth service. `kept`: the session is
 * stored in the browser; otherwise it lasts as long as this object.
 */
export const createAuthClient = (auth: Settings['auth'], storageKey: string, kept = true) =>
  new AuthClient({
    url: `${auth?.url ?? location.origin}/auth/v1`,
    ...(auth && { headers: { apikey: auth.anonKey } }),
    storageKey,
    flowType: 'pkce',
    // The callback page exchanges the code itself, to handle each outcome.
    detectSessionInUrl: false,
    autoRefreshToken: kept,
    persistSession: kept,
  })
