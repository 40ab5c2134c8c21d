import type { ProviderName } from '../../lib/settings.ts'

export const providerLabel: Record<ProviderName, string> = { google: 'Google', github: 'GitHub' }

export const authText = {
  title: 'Welcome',
  about: 'Sign in to your account to continue',
  continueWith: (provider: ProviderName) => `Continue with ${providerLabel[provider]}`,
  failedWith: (provider: ProviderName) => `Failed to sign in with ${providerLabel[provider]}`,
  completing: 'Completing sign in...',
  settingUp: 'Setting up your account...',
  connected: (provider: string) => `${providerLabel[provider as ProviderName] ?? 'Account'} connected`,
  connectFailed: (reason?: string) =>
    `The account could not be connected${reason ? ` (${reason})` : ''}. Please try again.`,
  signingOut: 'Signing out...',
  recover: 'Lost access to these accounts?',
  recoverLink: 'Get a sign-in link by mail',
  confirmed: 'Your address is confirmed',
  confirmedAbout: 'Log in to go on.',
  noProviders: 'No sign-in provider is configured on this installation.',
}

export const recoverText = {
  title: 'Recover access',
  off: 'This installation sends no sign-in mails. Log in with Google or GitHub, or ask its operator for help.',
  about: 'Enter the e-mail address of your account. We mail you a link that signs you in.',
  email: 'E-mail address',
  emailWrong: 'Enter an e-mail address.',
  send: 'Send link',
  sending: 'Sending...',
  sendFailed: 'The mail could not be sent.',
  sent: (email: string) =>
    `If ${email} belongs to an account, a mail is on its way. Open its link in this browser, or enter its code.`,
  codeHint: '6 digits, good for 10 minutes.',
  logIn: 'Log in',
  loggingIn: 'Signing in...',
  codeFailed: 'The code could not be checked.',
  again: 'Use another address',
  back: 'Back to log in',
  done: 'You are signed in',
  doneAbout: 'Connect Google or GitHub in Connected accounts, so that you can sign in with them again.',
}

/** What the callback's error codes mean to the person who sees them on the login page. */
const callbackErrors: Record<string, string> = {
  auth_failed: 'The sign-in was not accepted. Please try again.',
  no_session: 'The sign-in ended without a session. Please try again.',
  callback_failed: 'Something went wrong while completing the sign-in. Please try again.',
}

/** The text for `?error=` of the login page; null without one. Unknown codes are not echoed. */
export function callbackErrorText(code: string | undefined): string | null {
  if (!code) return null
  return callbackErrors[code] ?? 'The sign-in failed. Please try again.'
}
