import { z } from 'zod'
import { flag, setting, url } from './setting.ts'

const flagHint = 'on or off'

/** Variables of the auth service; part of `settings` in `config.ts`. */
export const authSettings = {
  AUTH_JWT_KEYS: setting(
    z.string().optional(),
    'JSON array of JWKs that sign and check access tokens (same format as GOTRUE_JWT_KEYS): EC with P-256, RSA, or oct, whose tokens clients cannot check by themselves. Absent: generated once and stored in the database.',
    'a JSON array of JWKs, one of them with key_ops including "sign"',
  ),
  AUTH_REDIRECT_URLS: setting(
    z.string().optional(),
    'Where a sign-in may return to besides PUBLIC_URL: globs separated by commas. * stops at dots and slashes, ** does not.',
    'for example https://app.example.com/auth/callback,https://*.preview.example.com/**',
  ),
  AUTH_URL: setting(
    url.optional(),
    'Another service that speaks the Supabase Auth protocol (a hosted project) handles sign-in. Its URL without /auth/v1.',
    'a URL such as https://project.supabase.co',
  ),
  AUTH_ANON_KEY: setting(
    z.string().optional(),
    'Publishable key of that service, sent as apikey. Needed with AUTH_URL.',
    'the anon or publishable key of the project',
  ),
  AUTH_JWKS_URL: setting(
    url.optional(),
    'Where that service publishes its keys. Default AUTH_URL/auth/v1/.well-known/jwks.json.',
    'a URL',
  ),
  AUTH_EMAIL: setting(
    flag.default('on'),
    'Whether clients of /auth/v1 may sign in by email (password, code, link) where a mail server is set up. The login page offers Google and GitHub, and recovery by email to those who cannot use them.',
    flagHint,
    'on',
  ),
  AUTH_PASSWORD_LENGTH: setting(
    z.coerce.number().int().min(6).max(64).default(8),
    'Fewest characters of a new password.',
    'a number from 6 to 64',
    '8',
  ),
  AUTH_WEBAUTHN: setting(
    flag.default('off'),
    'Whether security keys and passkeys may be second factors, for clients of /auth/v1. The web app asks for codes only, so a person with no other factor cannot enter it.',
    flagHint,
    'off',
  ),
  AUTH_SIGNUP: setting(flag.default('on'), 'Whether new people may sign up.', flagHint, 'on'),
  AUTH_PASSWORD_SIGNUP: setting(
    flag.default('off'),
    'Whether people may sign up with a password, or add one to an account without. off: existing passwords, codes, links and recovery keep working, and admin calls can still set passwords.',
    flagHint,
    'off',
  ),
  AUTH_AUTOCONFIRM: setting(
    flag.default('off'),
    'Whether addresses count as confirmed without a mail. For tests of other software; never in production.',
    flagHint,
    'off',
  ),
  AUTH_ANONYMOUS: setting(flag.default('off'), 'Whether people may sign in anonymously.', flagHint, 'off'),
  AUTH_LINKING: setting(
    flag.default('on'),
    'Whether a signed-in person may link and unlink further accounts.',
    flagHint,
    'on',
  ),
  AUTH_IMPLICIT: setting(
    flag.default('off'),
    'Whether sign-ins without PKCE are allowed; they put tokens in URLs.',
    flagHint,
    'off',
  ),
  AUTH_PASSWORD_UPDATE: setting(
    z.enum(['open', 'reauthentication', 'current-password']).default('reauthentication'),
    'What a password change requires: nothing more, an emailed code when the session is older than a day, or the old password.',
    'open, reauthentication or current-password',
    'reauthentication',
  ),
  AUTH_SESSION_HOURS: setting(
    z.coerce.number().positive().optional(),
    'Maximum lifetime of a session. Absent: no limit.',
    'a number of hours',
  ),
  AUTH_SESSION_IDLE_HOURS: setting(
    z.coerce.number().positive().optional(),
    'A session ends when it was not refreshed for this long. Absent: no limit.',
    'a number of hours',
  ),
  AUTH_SESSION_SINGLE: setting(
    flag.default('off'),
    "Whether a sign-in ends the person's earlier sessions at their next refresh.",
    flagHint,
    'off',
  ),
  AUTH_SESSION_AAL1_HOURS: setting(
    z.coerce.number().positive().optional(),
    "Maximum lifetime of a session without the person's second factor. Absent: no limit.",
    'a number of hours',
  ),
  AUTH_REFRESH_REUSE_HOURS: setting(
    z.coerce.number().positive().optional(),
    'How long the previous refresh token is accepted from a client that lost the response. Absent: no limit.',
    'a number of hours',
  ),
  AUTH_SMS_URL: setting(
    url.optional(),
    'Receives phone codes as a signed POST (Standard Webhooks) and sends them. Absent: no phone sign-in.',
    'a URL',
  ),
  AUTH_SMS_SECRET: setting(
    z
      .string()
      .regex(/^whsec_[A-Za-z0-9+/=]{24,}$/)
      .optional(),
    'Signs those requests. Needed with AUTH_SMS_URL.',
    'whsec_ and 24 or more characters of base64; make one with: echo whsec_$(openssl rand -base64 32)',
  ),
  AUTH_RATE_LIMITS: setting(
    flag.default('on'),
    'Limits on sign-in requests per address and person, and the pause between two codes by text message. off only for load tests.',
    flagHint,
    'on',
  ),
  AUTH_MAILS_PER_HOUR: setting(
    z.coerce.number().int().positive().default(1000),
    'Maximum sign-in emails per hour. Instances that share a Redis count together.',
    'a whole number',
    '1000',
  ),
}
