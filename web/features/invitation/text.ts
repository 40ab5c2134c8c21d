export const invitationText = {
  title: 'Invitation',
  loading: 'Loading invitation...',
  gone: 'This invitation is no longer valid',
  goneAbout:
    'It was accepted, revoked or replaced, or it expired after 7 days. Ask the person who invited you for a new one.',
  failed: 'The invitation could not be loaded',
  heading: (workspace: string) => `Join ${workspace}`,
  by: (inviter: string | null, role: string) => `${inviter ?? 'Someone'} invited you as ${role}.`,
  roles: { admin: 'an admin', member: 'a member' },
  forAddress: (email: string) => `The invitation is for ${email}.`,
  signIn: 'Sign in to accept',
  accept: 'Accept invitation',
  accepting: 'Joining...',
  acceptFailed: 'The invitation could not be accepted.',
  joined: (workspace: string) => `You joined ${workspace}`,
  otherAccount: (email: string) =>
    `You are signed in as ${email}. Sign out, then sign in with the account that was invited.`,
  noEmail: 'an account without an email address',
  signOut: 'Sign out',
  toDashboard: 'Go to the dashboard',
}
