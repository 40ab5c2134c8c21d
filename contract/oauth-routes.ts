import { z } from 'zod'
import { route } from './route.ts'

const id = z.object({ id: z.string() })

/** What an MCP client asks for, as the consent page names it. */
export const consentRequest = z.object({
  clientName: z.string(),
  /** The site that the client says it is; null for one that registered itself under a name of its choice. */
  clientHost: z.string().nullable(),
  /** Where the answer goes. */
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
    summary: 'What an MCP client asks for',
    params: id,
    status: 200,
    data: z.object({ request: consentRequest }),
    errors: ['not_found'],
  }),
  approveConsentRequest: route({
    method: 'POST',
    path: '/api/oauth/requests/{id}/approve',
    auth: 'session',
    summary: 'Lets the client in: makes an API key for it, with a budget of its own',
    params: id,
    body: z.strictObject({
      /** Credits a month; null: no budget of its own. */
      monthlyCredits: z
        .int('must be a whole number of credits, or null')
        .min(0, 'must be at least 0')
        .max(1_000_000_000, 'must be at most 1000000000')
        .nullable()
        .default(null),
    }),
    status: 200,
    data: z.object({ redirectTo: z.string() }),
    errors: ['invalid_parameter', 'forbidden', 'not_found', 'conflict'],
  }),
  denyConsentRequest: route({
    method: 'POST',
    path: '/api/oauth/requests/{id}/deny',
    auth: 'session',
    summary: 'Sends the client away',
    params: id,
    status: 200,
    data: z.object({ redirectTo: z.string() }),
    errors: ['not_found'],
  }),
} as const
