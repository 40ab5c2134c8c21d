import AuthClient from '@supabase/auth-js/dist/module/AuthClient'

export const authStorageKey = 'supabase.auth.token'

/** The unmodified Supabase Auth client against our own `/auth/v1`. Loaded only when there is a session or a sign-in. */
export const authClient = new AuthClient({
  url: `${location.origin}/auth/v1`,
  storageKey: authStorageKey,
  flowType: 'pkce',
  // The callback page exchanges the code itself, so that each outcome leads where it should.
  detectSessionInUrl: false,
  autoRefreshToken: true,
  persistSession: true,
})
