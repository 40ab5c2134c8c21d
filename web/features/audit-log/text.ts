export const auditText = {
  title: 'Audit log',
  about: 'Who did what in this workspace, and your own sign-ins. Nothing here can be changed.',
  loading: 'Loading audit log...',
  failed: 'The audit log could not be loaded',
  none: 'Nothing here yet',
  noneAbout: 'What is done with keys, members, plans and settings appears here.',
  membersOnly: 'Only owners and admins of this workspace can read its audit log.',
  more: 'Show older entries',
  area: 'Show',
  you: 'You',
  times: (count: number) => `${count} times`,
  areas: [
    ['', 'Everything'],
    ['key', 'API keys'],
    ['member', 'Members'],
    ['invitation', 'Invitations'],
    ['auth', 'Sign-ins'],
    ['plan', 'Plans'],
    ['preferences', 'Preferences'],
    ['account', 'Account'],
  ] as const,
}

const sentences: Record<string, string> = {
  'account.created': 'Account created',
  'account.deletion_cancelled': 'Account deletion called off',
  'account.deletion_requested': 'Account deletion requested',
  'account.export_requested': 'Data export requested',
  'auth.identity_linked': 'Sign-in method linked',
  'auth.refresh_token_reused': 'A used session token was presented again',
  'auth.session_ended_by_reuse': 'Session ended because its token was used twice',
  'auth.signed_in': 'Signed in',
  'auth.signed_out': 'Signed out',
  'auth.signed_up': 'Signed up',
  'credits.granted': 'Credits granted',
  'invitation.accepted': 'Invitation accepted',
  'invitation.revoked': 'Invitation revoked',
  'invitation.sent': 'Invitation sent',
  'key.created': 'API key created',
  'key.deleted': 'API key deleted',
  'key.revealed': 'API keys shown',
  'limits.changed': 'Limits changed',
  'member.left': 'Left the workspace',
  'member.removed': 'Member removed',
  'member.role_changed': 'Role changed',
  'ownership.transferred': 'Ownership transferred',
  'plan.redeemed': 'Free plan redeemed',
  'preferences.changed': 'Preferences changed',
}

/** An action in words; one that this release does not know by its own name, which is readable enough. */
export function actionText(action: string): string {
  const known = sentences[action]
  if (known) return known
  const words = action.replaceAll(/[._]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
