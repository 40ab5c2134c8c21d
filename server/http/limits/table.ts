/**
 * Every limit of the product. The server does not start if a route has no row (enforce.ts); `npm run verify` reports it
 * earlier (scripts/check-limits.ts). Reasons: docs/decisions/0080-limits-as-data.md.
 */
const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const KB = 1024

/** A number per window of seconds. Windows are fixed and start with the first request. A name is a setting that has the number. */
export type Rate = readonly [most: number | 'AUTH_MAILS_PER_HOUR', seconds: number]

/** What a rate is counted by. IPv6 addresses count by /64; an installation is all instances that share one Redis. */
export const subjects = ['address', 'personAtAddress', 'person', 'recipient', 'installation'] as const
export type Subject = (typeof subjects)[number]

export interface LimitRow extends Partial<Record<Subject, Rate>> {
  /** Largest request body. */
  bodyBytes?: number
  /** `METHOD /path`, counted together. `*` is any text without a slash, `**` any text. Absent: feature code counts. */
  routes?: readonly string[]
  /** The maximum at the same time for one person, in one instance. */
  parallel?: number
  /** What is counted, for the refusal; "requests" unless stated. */
  what?: string
  /** Limits that other code enforces, or why nothing is counted. */
  note?: string
}

/** A client that reads no byte of its response for this long is disconnected. MAX_CONNECTIONS limits how many there are. */
export const UNREAD_RESPONSE_MS = 30_000

/** In the same time, a slow client must take this much of a response that waits for it, or all of it. */
export const LEAST_READ_BYTES = 256 * KB

/** The largest body unless a row states another. */
export const BODY_BYTES = 64 * KB

const auth = (...paths: string[]) => paths.map((path) => path.replace(' /', ' /auth/v1/'))
const perAddress = { address: [30, 5 * MINUTE] } as const

// biome-ignore format: a table
export const limitTable = {
  // The product API, for signed-in people.
  reads: { person: [600, MINUTE], routes: [
    'GET /api/auth/profile', 'GET /api/auth/sessions', 'GET /api/workspaces', 'GET /api/audit', 'GET /api/team',
    'GET /api/account/exports', 'GET /api/account/deletion', 'GET /api/keys', 'GET /api/keys/{id}',
    'GET /api/keys/{id}/analytics', 'GET /api/usage', 'GET /api/usage/tools', 'GET /api/usage/receipts',
    'GET /api/usage/receipts/{id}', 'GET /api/usage/receipts/csv', 'GET /api/billing/plans', 'GET /api/billing/plans/{id}',
    'GET /api/billing/subscription', 'GET /api/billing/preferences', 'GET /api/billing/alert-webhook',
    'GET /api/billing/credits', 'GET /api/billing/credits/history', 'GET /api/billing/credits/topup', 'GET /billing/invoices', 'GET /api/billing/tax-details',
    'GET /api/oauth/requests/{id}', 'GET /api/playground/health', 'GET /api/playground/servers',
    'GET /api/playground/servers/{server}/sign-in',
  ] },
  writes: { person: [120, MINUTE], note: 'an export every 10 minutes; an invitation again after a minute', routes: [
    'DELETE /api/auth/sessions/{id}', 'POST /api/account/exports', 'POST /api/account/deletion', 'DELETE /api/account/deletion', 'POST /api/team/invitations',
    'POST /api/agent-balances/*', 'POST /api/team/invitations/{id}/resend', 'DELETE /api/team/invitations/{id}', 'POST /api/invitations/accept',
    'PUT /api/team/members/{id}', 'DELETE /api/team/members/{id}', 'POST /api/team/leave', 'POST /api/team/transfer',
    'POST /api/keys', 'PUT /api/keys/{id}', 'POST /api/keys/{id}/rotate', 'DELETE /api/keys/{id}',
    'POST /api/billing/subscribe-free-plan', 'POST /api/billing/first-key', 'POST /api/billing/credits/auto-topup', 'PUT /api/billing/preferences',
    'PUT /api/billing/alert-webhook', 'POST /api/oauth/requests/{id}/approve', 'POST /api/oauth/requests/{id}/deny',
  ] },
  stripeCalls: { person: [60, MINUTE], routes: [
    'POST /api/billing/checkout', 'POST /api/billing/portal', 'POST /api/billing/credits/topup',
    'GET /api/billing/upcoming-invoice', 'PUT /api/billing/address', 'POST /api/billing/tax-ids', 'DELETE /api/billing/tax-ids/{id}',
  ] },
  usageReports: { person: [300, MINUTE], note: '1,000 reports in 24 hours for each account', routes: ['POST /api/usage/log'] },
  playground: { bodyBytes: 256 * KB, person: [300, MINUTE], routes: [
    'POST /api/playground/servers/{server}/connect', 'POST /api/playground/servers/{server}/disconnect',
    'POST /api/playground/servers/{server}/definitions/accept', 'POST /api/playground/sign-in',
    'GET /api/playground/servers/{server}/tools', 'POST /api/playground/servers/{server}/tools/{tool}/call',
    'GET /api/playground/servers/{server}/resources', 'POST /api/playground/servers/{server}/resources/get',
    'GET /api/playground/servers/{server}/prompts', 'POST /api/playground/servers/{server}/prompts/get',
    'POST /api/playground/servers/{server}/complete', 'POST /api/playground/stream/ticket',
  ] },
  chat: { bodyBytes: 1024 * KB, person: [120, MINUTE], note: 'CHAT_MODEL_TURNS a minute for each account', routes: ['POST /api/playground/chat'] },
  playgroundStream: { address: [120, MINUTE], parallel: 10, what: 'event streams', routes: ['GET /api/playground/stream'] },

  // Open to everybody.
  publicReads: { address: [600, MINUTE], routes: [
    'GET /api/public/plans', 'GET /api/public/faq', 'GET /api/public/legal/{page}', 'GET /shop/{file}',
  ] },
  invitationPreview: { address: [60, MINUTE], routes: ['POST /api/invitations/preview'] },
  signInCallback: { address: [120, MINUTE], routes: ['POST /api/auth/callback'] },
  downloads: { address: [120, MINUTE], parallel: 2, what: 'downloads', routes: [
    'GET /api/account/exports/{id}/file', 'GET /api/usage/receipts.csv', 'GET /billing/invoices/{id}/pdf',
    'GET /billing/invoices/{id}/receipt',
  ] },
  stripeEvents: { bodyBytes: 512 * KB, note: 'signed by Stripe, which repeats what is refused', routes: ['POST /webhooks/stripe'] },
  texts: { note: 'fixed texts from memory, and probes', routes: [
    'GET /healthz', 'GET /readyz', 'GET /openapi.json', 'GET /server.json', 'GET /config.json', 'GET /favicon.ico',
    'GET /oauth/playground-client.json', 'GET /.well-known/oauth-protected-resource', 'GET /.well-known/oauth-protected-resource/mcp',
    'GET /.well-known/oauth-authorization-server', 'OPTIONS /.well-known/*', 'OPTIONS /oauth/*', 'OPTIONS /auth/v1**',
    'GET /docs', 'GET /docs/**', 'GET /assets/**', 'GET /*.*',
  ] },

  // The operator's console. Its guard counts the person; the entrance takes a customer's token.
  operator: { bodyBytes: 1024 * KB, note: '1,200 a minute for each operator', routes: ['ANY /operator/api/**'] },
  operatorActs: { person: [1_200, MINUTE] },
  supportViewEnd: { bodyBytes: 1 * KB, address: [60, MINUTE], routes: ['POST /api/support-view/end'] },
  operatorEntrance: { bodyBytes: 1 * KB, address: [60, MINUTE], routes: ['POST /operator/session'] },
  operatorPages: { address: [1_200, MINUTE], routes: ['GET /operator', 'GET /operator/**'] },

  // Metered calls: the requests per minute of plan and key are counted by the meter (features/metering/count-request.ts).
  metered: { bodyBytes: 256 * KB, parallel: 256, what: 'calls of this key', note: 'the plan\'s and the key\'s requests per minute; 30 a minute per address with the demo key', routes: [
    'ANY /v1/**', 'ANY /mcp', 'ANY /mcp/',
  ] },

  // Requests without a key that ask how to pay, or pay.
  agentRequests: { address: [600, MINUTE], what: 'requests without a key' },
  // Payments of agents without a key, counted before their signature is checked, which takes 2 ms. Nobody is proven to be the payer then.
  agentSignatures: { address: [120, MINUTE], installation: [6_000, MINUTE], what: 'payments' },
  agentPayments: { person: [120, MINUTE], installation: [1_200, MINUTE], what: 'payments', note: 'counted when their payer is proven' },

  // The authorization server for MCP clients. Hosted clients connect all their users from a few addresses.
  'oauth.authorize': { address: [120, 10 * MINUTE], installation: [20_000, 10 * MINUTE], routes: ['GET /oauth/authorize'] },
  'oauth.clientDocument': { address: [30, 10 * MINUTE], installation: [2_000, 10 * MINUTE], what: 'client documents' },
  'oauth.register': { bodyBytes: 16 * KB, address: [3_000, HOUR], what: 'registrations', routes: ['POST /oauth/register'] },
  'oauth.newClient': { address: [1_000, DAY], installation: [10_000, DAY], what: 'new clients' },
  'oauth.token': { bodyBytes: 16 * KB, address: [6_000, MINUTE], routes: ['POST /oauth/token', 'POST /oauth/revoke'] },

  'oauth.device': { bodyBytes: 16 * KB, address: [120, 10 * MINUTE], installation: [20_000, 10 * MINUTE], routes: ['POST /oauth/device_authorization'] },
  // Right codes count as well as wrong ones: nobody types more.
  'oauth.userCode': { person: [30, 10 * MINUTE], what: 'codes', routes: [
    'POST /api/oauth/device/find', 'POST /api/oauth/device/approve', 'POST /api/oauth/device/deny',
  ] },

  // Invitation mails stay counted when the invitation is revoked.
  invitationMail: { person: [50, DAY], recipient: [3, DAY], installation: [1_000, DAY], what: 'invitations' },

  // Sign-in. AUTH_RATE_LIMITS=off leaves these uncounted.
  'auth.reads': { address: [1_200, 5 * MINUTE], routes: auth(
    'GET /settings', 'GET /health', 'GET /.well-known/jwks.json', 'GET /user', 'GET /authorize', 'GET /callback',
    'POST /callback', 'GET /user/identities/authorize', 'DELETE /user/identities/{id}', 'POST /logout', 'POST /factors',
    'DELETE /factors/{id}', 'GET /reauthenticate', 'POST /sso', 'GET /sso/saml/metadata', 'POST /sso/saml/acs',
  ) },
  'auth.admin': { address: [1_200, 5 * MINUTE], routes: auth(
    'GET /admin/users', 'POST /admin/users', 'GET /admin/users/{id}', 'PUT /admin/users/{id}', 'DELETE /admin/users/{id}',
    'GET /admin/users/{id}/factors', 'DELETE /admin/users/{id}/factors/{factorId}', 'POST /admin/generate_link', 'POST /invite',
  ) },
  'auth.person': { person: [300, 5 * MINUTE] },
  'auth.token': { address: [150, 5 * MINUTE], routes: auth('POST /token') },
  'auth.verify': { ...perAddress, routes: auth('POST /verify', 'GET /verify', 'GET /undo', 'POST /undo') },
  'auth.signup': { ...perAddress, routes: auth('POST /signup') },
  'auth.anonymous': { address: [30, HOUR] },
  'auth.otp': { ...perAddress, routes: auth('POST /otp') },
  'auth.magiclink': { ...perAddress, routes: auth('POST /magiclink') },
  'auth.recover': { ...perAddress, routes: auth('POST /recover') },
  'auth.resend': { ...perAddress, routes: auth('POST /resend') },
  'auth.updateUser': { ...perAddress, routes: auth('PUT /user') },
  'auth.challengeFactor': { address: [15, MINUTE], routes: auth('POST /factors/{id}/challenge') },
  'auth.verifyFactor': { address: [15, MINUTE], routes: auth('POST /factors/{id}/verify') },
  // Wrong passwords only. Beyond the limit per person, addresses from which they have signed in before still work.
  'auth.wrongPassword': { address: [60, 5 * MINUTE], personAtAddress: [20, 5 * MINUTE] },
  'auth.wrongPasswords': { person: [100, HOUR] },
  'auth.currentPassword': { person: [20, 5 * MINUTE] },
  // A recipient is a mailbox, however its address is written.
  'auth.code': { address: [100, HOUR], recipient: [20, HOUR], note: '10 an hour for each address and purpose' },
  'auth.mail': { installation: ['AUTH_MAILS_PER_HOUR', HOUR], note: 'codes are counted in auth.code, too' },
} as const satisfies Record<string, LimitRow>

export type LimitName = keyof typeof limitTable
