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

/** Operations of the consent page. */
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
    body: z.strictObject({
      /** Credits per month; null: no budget. */
      monthlyCredits: z
        .int('must be a whole number of credits, or null')
        .min(0, 'must be at least 0')
        .max(1_000_000_000, 'must be at most 1000000000')
        .nullable()
        .default(null),
    }),
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
} as const
