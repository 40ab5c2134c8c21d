import { z } from 'zod'
import { route } from './route.ts'

const id = z.object({ id: z.string() })

/** What an MCP client requests, as shown on the consent page. */
export const consentRequest = z.object({
  clientName: z.string(),
  /** The client's website; null for one that registered itself under a name of its choice. */
  clientHost: z.string().nullable(),
  /** The redirect target. */
  redirectHost: z.string(),
  scopes: z.array(z.string()),
})
export type ConsentRequest = z.infer<typeof consentRequest>

/** What a program that shows a code asks for, as shown on the page where the code is typed. */
export const deviceRequest = z.object({
  clientName: z.string(),
  /** Where the program asked from. */
  address: z.string(),
  requestedAt: z.iso.datetime(),
  scopes: z.array(z.string()),
})
export type DeviceRequest = z.infer<typeof deviceRequest>

/** 8 letters; the server ignores case, spaces and hyphens. In the body, so that no log has it. */
const code = z.string('is required').max(40, 'must be at most 40 characters')

/** Credits per month; null: no budget. */
const monthlyCredits = z
  .int('must be a whole number of credits, or null')
  .min(0, 'must be at least 0')
  .max(1_000_000_000, 'must be at most 1000000000')
  .nullable()
  .default(null)

/** Operations of the pages where a person connects a program. */
export const oauthRoutes = {
  getConsentRequest: route({
    method: 'GET',
    path: '/api/oauth/requests/{id}',
    auth: 'session',
    summary: 'What an MCP client requests',
    params: id,
    status: 200,
    data: z.object({ request: consentRequest }),
    errors: ['not_found'],
  }),
  approveConsentRequest: route({
    method: 'POST',
    path: '/api/oauth/requests/{id}/approve',
    auth: 'session',
    summary: 'Approves the client: creates an API key for it, with its own budget',
    params: id,
    body: z.strictObject({ monthlyCredits }),
    status: 200,
    data: z.object({ redirectTo: z.string() }),
    errors: ['invalid_parameter', 'forbidden', 'account_suspended', 'not_found', 'conflict'],
  }),
  denyConsentRequest: route({
    method: 'POST',
    path: '/api/oauth/requests/{id}/deny',
    auth: 'session',
    summary: "Denies the client's request",
    params: id,
    status: 200,
    data: z.object({ redirectTo: z.string() }),
    errors: ['not_found'],
  }),
  findDeviceRequest: route({
    method: 'POST',
    path: '/api/oauth/device/find',
    auth: 'session',
    summary: 'What the program with this code asks for',
    body: z.strictObject({ code }),
    status: 200,
    data: z.object({ request: deviceRequest }),
    errors: ['invalid_parameter', 'not_found'],
  }),
  approveDevice: route({
    method: 'POST',
    path: '/api/oauth/device/approve',
    auth: 'session',
    summary: 'Approves the program with this code: creates an API key for it, with its own budget',
    body: z.strictObject({ code, monthlyCredits }),
    status: 200,
    data: z.object({ approved: z.literal(true) }),
    errors: ['invalid_parameter', 'forbidden', 'account_suspended', 'not_found', 'conflict'],
  }),
  denyDevice: route({
    method: 'POST',
    path: '/api/oauth/device/deny',
    auth: 'session',
    summary: 'Denies the program with this code',
    body: z.strictObject({ code }),
    status: 200,
    data: z.object({ denied: z.literal(true) }),
    errors: ['invalid_parameter', 'not_found'],
  }),
} as const
