import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { routes } from '#contract/routes.ts'
import { startTestServer } from '#server/testing/harness.ts'
import { joinWorkspace, startSession, type TestSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'

/**
 * Who may call what. `read`: everybody in the workspace. `manage`: owner and admins. `own`: the owner. `person`: acts on
 * the person, whatever their role. A route of the contract that is missing here fails the first test.
 */
const rules: Record<string, 'read' | 'manage' | 'own' | 'person'> = {
  getProfile: 'read',
  listWorkspaces: 'person',
  listSessions: 'person',
  endSession: 'person',
  listAudit: 'manage',
  listExports: 'person',
  requestExport: 'person',
  getDeletion: 'person',
  requestDeletion: 'person',
  cancelDeletion: 'person',
  getTeam: 'read',
  inviteMember: 'manage',
  resendInvitation: 'manage',
  revokeInvitation: 'manage',
  acceptInvitation: 'person',
  changeRole: 'own',
  removeMember: 'manage',
  leaveTeam: 'person',
  transferOwnership: 'own',
  listKeys: 'read',
  createKey: 'manage',
  getKey: 'read',
  updateKey: 'manage',
  rotateKey: 'manage',
  deleteKey: 'manage',
  listPlans: 'read',
  getPlan: 'read',
  subscribeFreePlan: 'manage',
  takeFirstKey: 'manage',
  startCheckout: 'manage',
  openPortal: 'manage',
  getTopupOffer: 'read',
  startTopup: 'manage',
  setAutoTopup: 'manage',
  getSubscription: 'read',
  getCredits: 'read',
  getCreditHistory: 'read',
  getUpcomingInvoice: 'read',
  getPreferences: 'read',
  setPreferences: 'manage',
  getAlertWebhook: 'manage',
  setAlertWebhook: 'manage',
  listInvoices: 'read',
  getTaxDetails: 'read',
  setBillingAddress: 'manage',
  addTaxId: 'manage',
  removeTaxId: 'manage',
  getUsage: 'read',
  getKeyAnalytics: 'read',
  listReceipts: 'read',
  linkReceiptsCsv: 'read',
  listUsageTools: 'read',
  takeChatTurn: 'read',
  getReceipt: 'read',
  logUsage: 'read',
  getConsentRequest: 'read',
  approveConsentRequest: 'manage',
  denyConsentRequest: 'read',
  findDeviceRequest: 'read',
  approveDevice: 'manage',
  denyDevice: 'read',
  listPlaygroundServers: 'read',
  connectPlaygroundServer: 'read',
  disconnectPlaygroundServer: 'read',
  getPlaygroundSignIn: 'read',
  finishPlaygroundSignIn: 'read',
  listPlaygroundTools: 'read',
  callPlaygroundTool: 'read',
  acceptPlaygroundChanges: 'read',
  completePlaygroundArgument: 'read',
  listPlaygroundResources: 'read',
  getPlaygroundResource: 'read',
  listPlaygroundPrompts: 'read',
  getPlaygroundPrompt: 'read',
  getPlaygroundHealth: 'read',
  createStreamTicket: 'read',
}

type Name = keyof typeof routes
const names = (Object.keys(routes) as Name[]).filter((name) => routes[name].auth === 'session')

let keyId: string
let invitationId: string

const server = await closeAfterTests(startTestServer())
const [owner, admin, member, stranger] = await Promise.all([1, 2, 3, 4].map(() => startSession(server)))
const people = { owner: owner!, admin: admin!, member: member!, stranger: stranger! }
const workspaceId = await joinWorkspace(server, people.owner, people.admin, 'admin')
beforeAll(async () => {
  await joinWorkspace(server, people.owner, people.member, 'member')
  keyId = (await people.owner.call('POST', '/api/keys', { body: { name: 'Matrix' } })).body.data.apiKey.id
  const invited = await people.owner.call('POST', '/api/team/invitations', { body: { email: 'matrix@example.com' } })
  invitationId = invited.body.data.invitation.id
})

/** A request that the schemas accept, so that only the role can refuse it; acts on things that exist, or on none. */
const bodies: Partial<Record<string, unknown>> = {
  acceptInvitation: { token: 'none' },
  changeRole: { role: 'member' },
  transferOwnership: { userId: randomUUID() },
  createKey: { name: 'Matrix' },
  updateKey: { name: 'Matrix' },
  rotateKey: {},
  subscribeFreePlan: { priceId: 'price_none' },
  startCheckout: { priceId: 'price_none' },
  openPortal: {},
  startTopup: { packs: 1 },
  setAutoTopup: { enabled: false },
  setBillingAddress: { name: 'Matrix', country: 'US' },
  addTaxId: { type: 'eu_vat', value: 'DE123456789' },
  setPreferences: { alertThreshold: 90 },
  setAlertWebhook: { url: null },
  logUsage: { event: 'matrix' },
  approveConsentRequest: {},
  findDeviceRequest: { code: 'BBBB-BBBB' },
  approveDevice: { code: 'BBBB-BBBB' },
  denyDevice: { code: 'BBBB-BBBB' },
  connectPlaygroundServer: {},
  finishPlaygroundSignIn: { state: 'none', code: 'none' },
  callPlaygroundTool: {},
  getPlaygroundResource: { uri: 'finmeter://none' },
  getPlaygroundPrompt: { name: 'none' },
  completePlaygroundArgument: { ref: { type: 'ref/prompt', name: 'none' }, argument: { name: 'none', value: '' } },
}

async function ask(person: TestSession, name: string) {
  const { method, path } = routes[name as Name]
  const id = name.includes('Key') ? keyId : name.includes('Invitation') ? invitationId : randomUUID()
  const body = name === 'inviteMember' ? { email: `${randomUUID()}@example.com` } : bodies[name]
  return person.call(method, path.replace('{id}', id).replace('{server}', 'finmeter').replace('{tool}', 'timestamp'), {
    body,
    headers: { 'x-workspace-id': workspaceId },
  })
}

test('the table names every route of the contract that needs a session', () => {
  expect(Object.keys(rules).sort()).toEqual([...names].sort())
})

test.each(names.filter((name) => rules[name] === 'manage'))('%s is refused to members', async (name) => {
  const answer = await ask(people.member, name)
  expect([answer.status, answer.body.code]).toEqual([403, 'forbidden'])
})

test.each(names.filter((name) => rules[name] === 'own'))('%s is refused to members and admins', async (name) => {
  for (const person of [people.member, people.admin]) {
    const answer = await ask(person, name)
    expect([answer.status, answer.body.code]).toEqual([403, 'forbidden'])
  }
})

test.each(names.filter((name) => rules[name] === 'read'))('%s is open to every role', async (name) => {
  for (const role of ['owner', 'admin', 'member'] as const) {
    const answer = await ask(people[role], name)
    expect(answer.body.code, role).not.toBe('forbidden')
    expect(answer.status, role).toBeLessThan(500)
  }
})

test.each(names.filter((name) => rules[name] !== 'person'))(
  '%s does not know the workspace for a stranger',
  async (name) => {
    const answer = await ask(people.stranger, name)
    expect([answer.status, answer.body]).toEqual([
      404,
      { success: false, error: 'This workspace does not exist, or you are not a member of it.', code: 'not_found' },
    ])
  },
)

// Last, because it changes what the others look at.
test.each(names.filter((name) => rules[name] === 'manage' || rules[name] === 'own'))(
  '%s is not refused to those who may',
  async (name) => {
    const allowed = rules[name] === 'own' ? (['owner'] as const) : (['admin', 'owner'] as const)
    for (const role of allowed) expect((await ask(people[role], name)).body.code, role).not.toBe('forbidden')
  },
)
