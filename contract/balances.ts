import { z } from 'zod'
import { workspace } from './account.ts'
import { route } from './route.ts'

/** The part of a link after its #. */
const linkToken = z.strictObject({ token: z.string('is required').min(1).max(200) })

/** A balance that an agent bought, to whoever is signed in and has its link. */
const offeredBalance = z.object({
  credits: z.int(),
  /** The newest first, at most 20. */
  purchases: z.array(z.object({ payment: z.uuid(), at: z.iso.datetime(), credits: z.int(), cents: z.int() })),
  expires_at: z.iso.datetime(),
  /** The person owns it already: its workspace. */
  workspace: workspace.nullable(),
})
export type OfferedBalance = z.infer<typeof offeredBalance>

/** Apart from the other routes: they exist only where payments of agents are taken. */
export const balanceRoutes = {
  previewBalance: route({
    method: 'POST',
    path: '/api/agent-balances/preview',
    auth: 'session',
    summary: 'What the link of an agent leads to',
    body: linkToken,
    status: 200,
    data: z.object({ balance: offeredBalance }),
    errors: ['invalid_parameter', 'not_found'],
  }),
  claimBalance: route({
    method: 'POST',
    path: '/api/agent-balances/claim',
    auth: 'session',
    summary: 'Makes the user the owner of a balance, once',
    body: linkToken,
    status: 200,
    data: z.object({ workspace }),
    errors: ['invalid_parameter', 'account_suspended', 'not_found'],
  }),
} as const
