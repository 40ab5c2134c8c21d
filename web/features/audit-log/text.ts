import type { AuditEntry } from '#contract/account-data.ts'

export const auditText = {
  loading: 'Loading audit log...',
  failed: 'The audit log could not be loaded',
  none: 'Nothing here yet',
  noneAbout: 'Changes to keys, members, plans and settings appear here.',
  membersOnly: 'Only owners and admins of this workspace can read its audit log.',
  more: 'Show older entries',
  showAll: 'Show everything',
  area: 'Show',
  search: 'Search',
  searchHint: 'Search entries',
  noneFound: 'No entry here has these words',
  noneFoundAbout: 'Only the entries that are loaded are searched. Load older ones to search them, too.',
  entries: 'Entries',
  what: 'What',
  details: 'Details',
  who: 'Who',
  time: (zone: string) => `Time (${zone})`,
  today: 'Today',
  yesterday: 'Yesterday',
  you: 'You',
  operator: 'Operator',
  serviceKey: 'Service key',
  times: (count: number, since: string) => `${count} times since ${since}`,
  areas: [
    ['', 'Everything'],
    ['key', 'API keys'],
    ['member', 'Members'],
    ['invitation', 'Invitations'],
    ['auth', 'Sign-ins'],
    ['plan', 'Billing'],
    ['preferences', 'Preferences'],
    ['account', 'Account'],
  ] as const,
}

const sentences: Record<string, string> = {
  'account.resumed': 'Account resumed by the operator',
  'account.suspended': 'Account suspended by the operator',
  'account.view_ended': 'View by support ended',
  'account.viewed_by_support': 'Viewed by support',
  'alert_webhook.changed': 'Webhook for usage alerts changed',
  'account.created': 'Account created',
  'account.deletion_cancelled': 'Account deletion canceled',
  'account.deletion_requested': 'Account deletion requested',
  'account.export_requested': 'Data export requested',
  'auth.code_refused': 'Wrong code entered',
  'auth.code_sent': 'Code sent',
  'auth.email_change_agreed': 'Email change confirmed by one address',
  'auth.email_change_requested': 'Email change requested',
  'auth.email_changed': 'Email address changed',
  'auth.email_confirmed': 'Email address confirmed',
  'auth.factor_deleted': 'Second factor removed',
  'auth.factor_deleted_by_admin': 'Second factor removed by the operator',
  'auth.factor_enrolled': 'Second factor added, not yet confirmed',
  'auth.factor_refused': 'Wrong second-factor code entered',
  'auth.factor_verified': 'Second factor verified',
  'auth.identity_linked': 'Sign-in method linked',
  'auth.identity_unlinked': 'Sign-in method disconnected',
  'auth.link_made_by_admin': 'Sign-in link created by the operator',
  'auth.metadata_changed': 'Profile details changed',
  'auth.password_changed': 'Password changed',
  'auth.phone_changed': 'Phone number changed',
  'auth.refresh_token_reused': 'Session token reused',
  'auth.session_ended_by_reuse': 'Session ended after token reuse',
  'auth.sign_in_failed': 'Sign-in failed',
  'auth.signed_in': 'Signed in',
  'auth.signed_out': 'Signed out',
  'auth.signed_up': 'Signed up',
  'auth.unproven_cleared': 'Data from an unconfirmed sign-up removed',
  'auth.user_changed_by_admin': 'Account changed by the operator',
  'auth.user_deleted_by_admin': 'Account deleted by the operator',
  'auto_topup.changed': 'Automatic top-up changed',
  'balance.claimed': 'Balance of an agent claimed',
  'billing_address.changed': 'Billing address changed',
  'checkout.started': 'Checkout opened',
  'credits.claimed': 'Credits from a refunded payment reclaimed',
  'credits.granted': 'Credits granted',
  'credits.voided': 'Credits voided',
  'invitation.accepted': 'Invitation accepted',
  'invitation.revoked': 'Invitation revoked',
  'invitation.sent': 'Invitation sent',
  'key.created': 'API key created',
  'key.deleted': 'API key deleted',
  'key.listed': 'API keys viewed with their values',
  'key.revealed': 'API key viewed with its value',
  'key.rotated': 'API key rotated',
  'key.updated': 'API key limits changed',
  'limits.changed': 'Limits changed',
  'member.left': 'Left the workspace',
  'member.removed': 'Member removed',
  'member.role_changed': 'Role changed',
  'ownership.transferred': 'Ownership transferred',
  'plan.redeemed': 'Free plan redeemed',
  'plan.set': 'Plan set by the operator',
  'portal.opened': 'Billing portal opened',
  'preferences.changed': 'Preferences changed',
  'tax_id.added': 'Tax ID added',
  'tax_id.removed': 'Tax ID removed',
  'topup.started': 'Top-up checkout opened',
}

/** What an act changed, where it changed one thing. */
const changes: Record<string, string> = {
  name: 'API key renamed',
  scopes: 'Use of API key changed',
  expiresAt: 'Expiry of API key changed',
  monthlyBudget: 'Budget of API key changed',
  rateLimit: 'Rate limit of API key changed',
  allowedNetworks: 'Addresses of API key changed',
  rateLimitPerMinute: 'Rate limit changed',
  alertThreshold: 'Usage alert changed',
  spendCapCents: 'Spend cap changed',
}
const ofChanges = ['key.updated', 'limits.changed', 'preferences.changed']

/** An action in words; an unknown action is shown by its name. Lists of keys once had the name of a single key's. */
export function actionText({ action, target, detail }: Pick<AuditEntry, 'action' | 'target' | 'detail'>): string {
  const changed = Object.keys(detail).filter((name) => name !== 'formerName')
  const only = ofChanges.includes(action) && changed.length === 1 && changes[changed[0]!]
  if (only) return only
  if (action === 'key.updated' && 'name' in detail) return 'API key renamed, limits changed'
  const isList = target === null && (action === 'key.listed' || action === 'key.revealed')
  const known = sentences[isList ? (detail.keys === 1 ? 'key.revealed' : 'key.listed') : action]
  if (known) return known
  const words = action.replaceAll(/[._]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
