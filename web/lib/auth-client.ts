import AuthClient from '@supabase/auth-js/dist/module/AuthClient'
import type { Settings } from './settings.ts'

/**
 * The unmodified Supabase Auth client against our own `/auth/v1`, or the service that the operator named. `kept`: its
 * session is the browser's; else it lives as long as this object.
 */
export const createAuthClient = (auth: Settings['auth'], storageKey: string, kept = true) =>
  new AuthClient({
    url: `${auth?.url ?? location.origin}/auth/v1`,
    ...(auth && { headers: { apikey: auth.anonKey } }),
    storageKey,
    flowType: 'pkce',
    // The callback page exchanges the code itself, so that each outcome leads where it should.
    detectSessionInUrl: false,
    autoRefreshToken: kept,
    persistSession: kept,
  })
