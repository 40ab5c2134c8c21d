import type { balanceRoutes } from '#contract/balances.ts'
import type { RouteData, RouteRequest } from '#contract/route.ts'
import type { routes } from '#contract/routes.ts'

type Routes = typeof routes & typeof balanceRoutes

/**
 * Method and path of every operation the application calls, by its name in the contract, whose types check each entry.
 */
export const endpoints = {
  acceptInvitation: 'POST /api/invitations/accept',
  acceptPlaygroundChanges: 'POST /api/playground/servers/{server}/definitions/accept',
  addTaxId: 'POST /api/billing/tax-ids',
  approveConsentRequest: 'POST /api/oauth/requests/{id}/approve',
  approveDevice: 'POST /api/oauth/device/approve',
  callPlaygroundTool: 'POST /api/playground/servers/{server}/tools/{tool}/call',
  cancelDeletion: 'DELETE /api/account/deletion',
  changeRole: 'PUT /api/team/members/{id}',
  claimBalance: 'POST /api/agent-balances/claim',
  completePlaygroundArgument: 'POST /api/playground/servers/{server}/complete',
  connectPlaygroundServer: 'POST /api/playground/servers/{server}/connect',
  createKey: 'POST /api/keys',
  createStreamTicket: 'POST /api/playground/stream/ticket',
  deleteKey: 'DELETE /api/keys/{id}',
  denyConsentRequest: 'POST /api/oauth/requests/{id}/deny',
  denyDevice: 'POST /api/oauth/device/deny',
  disconnectPlaygroundServer: 'POST /api/playground/servers/{server}/disconnect',
  findDeviceRequest: 'POST /api/oauth/device/find',
  finishPlaygroundSignIn: 'POST /api/playground/sign-in',
  getAlertWebhook: 'GET /api/billing/alert-webhook',
  getConsentRequest: 'GET /api/oauth/requests/{id}',
  getCreditHistory: 'GET /api/billing/credits/history',
  getCredits: 'GET /api/billing/credits',
  getDeletion: 'GET /api/account/deletion',
  getKey: 'GET /api/keys/{id}',
  getKeyAnalytics: 'GET /api/keys/{id}/analytics',
  getPlaygroundPrompt: 'POST /api/playground/servers/{server}/prompts/get',
  getPlaygroundResource: 'POST /api/playground/servers/{server}/resources/get',
  getPlaygroundSignIn: 'GET /api/playground/servers/{server}/sign-in',
  getPreferences: 'GET /api/billing/preferences',
  getProfile: 'GET /api/auth/profile',
  getSubscription: 'GET /api/billing/subscription',
  getTaxDetails: 'GET /api/billing/tax-details',
  getTeam: 'GET /api/team',
  getTopupOffer: 'GET /api/billing/credits/topup',
  getUpcomingInvoice: 'GET /api/billing/upcoming-invoice',
  getUsage: 'GET /api/usage',
  inviteMember: 'POST /api/team/invitations',
  leaveTeam: 'POST /api/team/leave',
  linkReceiptsCsv: 'GET /api/usage/receipts/csv',
  listAudit: 'GET /api/audit',
  listExports: 'GET /api/account/exports',
  listInvoices: 'GET /billing/invoices',
  listKeys: 'GET /api/keys',
  listPlans: 'GET /api/billing/plans',
  listPlaygroundPrompts: 'GET /api/playground/servers/{server}/prompts',
  listPlaygroundResources: 'GET /api/playground/servers/{server}/resources',
  listPlaygroundServers: 'GET /api/playground/servers',
  listPlaygroundTools: 'GET /api/playground/servers/{server}/tools',
  listReceipts: 'GET /api/usage/receipts',
  listSessions: 'GET /api/auth/sessions',
  endSession: 'DELETE /api/auth/sessions/{id}',
  listUsageTools: 'GET /api/usage/tools',
  listWorkspaces: 'GET /api/workspaces',
  openPortal: 'POST /api/billing/portal',
  previewBalance: 'POST /api/agent-balances/preview',
  previewInvitation: 'POST /api/invitations/preview',
  removeMember: 'DELETE /api/team/members/{id}',
  removeTaxId: 'DELETE /api/billing/tax-ids/{id}',
  requestDeletion: 'POST /api/account/deletion',
  requestExport: 'POST /api/account/exports',
  resendInvitation: 'POST /api/team/invitations/{id}/resend',
  revokeInvitation: 'DELETE /api/team/invitations/{id}',
  rotateKey: 'POST /api/keys/{id}/rotate',
  setAlertWebhook: 'PUT /api/billing/alert-webhook',
  setAutoTopup: 'POST /api/billing/credits/auto-topup',
  setBillingAddress: 'PUT /api/billing/address',
  setPreferences: 'PUT /api/billing/preferences',
  startCheckout: 'POST /api/billing/checkout',
  startTopup: 'POST /api/billing/credits/topup',
  subscribeFreePlan: 'POST /api/billing/subscribe-free-plan',
  takeChatTurn: 'POST /api/playground/chat',
  takeFirstKey: 'POST /api/billing/first-key',
  transferOwnership: 'POST /api/team/transfer',
  updateKey: 'PUT /api/keys/{id}',
} as const satisfies { [N in keyof Routes]?: `${Routes[N]['method']} ${Routes[N]['path']}` }

/** An operation name. */
export type Endpoint = keyof typeof endpoints

/** The `data` of an operation's response envelope. */
export type Answer<N extends keyof Routes> = RouteData<Routes[N]>

/** The path of an operation, for the few pages that do not load this table. */
export type PathOf<N extends keyof Routes> = Routes[N]['path']

/** The input of an operation before it is parsed. */
export type Input<N extends Endpoint> = RouteRequest<Routes[N]>

/** The method and URL of an operation, with path parameters encoded. */
export function requestLine(
  name: Endpoint,
  params: Readonly<Record<string, string>> = {},
): [method: string, path: string] {
  const [method, path] = endpoints[name].split(' ') as [string, string]
  return [method, path.replaceAll(/\{(\w+)\}/g, (_, param: string) => encodeURIComponent(params[param] ?? ''))]
}
