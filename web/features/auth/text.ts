import type { ProviderName } from '../../lib/settings.ts'

export const providerLabel: Record<ProviderName, string> = { google: 'Google', github: 'GitHub' }

export const authText = {
  title: 'Welcome',
  about: 'Sign in to your account to continue',
  continueWith: (provider: ProviderName) => `Continue with ${providerLabel[provider]}`,
  failedWith: (provider: ProviderName) => `Failed to sign in with ${providerLabel[provider]}`,
  denied: 'Access was denied',
  canceled: 'You canceled sign-in. Try again.',
  enterFailed: 'This page could not be opened.',
  completing: 'Completing sign in...',
  settingUp: 'Setting up your account...',
  connected: (provider: string) => `${providerLabel[provider as ProviderName] ?? 'Account'} connected`,
  connectFailed: (reason?: string) =>
    `The account could not be connected${reason ? ` (${reason})` : ''}. Please try again.`,
  signingOut: 'Signing out...',
  recover: 'Lost access to these accounts?',
  recoverLink: 'Email me a sign-in link',
  confirmed: 'Your address is confirmed',
  confirmedAbout: 'Sign in to continue.',
  emailChanged: 'Email address changed',
  emailChangedElsewhere: 'Sign in to continue.',
  emailHalf: 'This address is confirmed',
  emailHalfAbout: 'Now open the link in the email to the other address.',
  emailVoid: 'The link is invalid or has expired',
  emailVoidAbout: 'Change the address again to get new links.',
  noProviders: 'No sign-in provider is configured on this installation.',
}

export const recoverText = {
  title: 'Recover access',
  off: 'This installation does not send sign-in emails. Sign in with Google or GitHub, or ask the operator for help.',
  about: 'Enter the email address of your account. We email you a link that signs you in.',
  email: 'Email address',
  emailWrong: 'Enter an email address.',
  send: 'Send link',
  sending: 'Sending...',
  sendFailed: 'The email could not be sent.',
  sent: (email: string) =>
    `If ${email} belongs to an account, an email is on its way. Open its link in this browser, or enter its code.`,
  codeHint: '6 digits, valid for 10 minutes.',
  signIn: 'Sign in',
  signingIn: 'Signing in...',
  codeFailed: 'The code could not be verified.',
  again: 'Use another address',
  back: 'Back to sign-in',
  done: 'You are signed in',
  doneAbout: 'Connect Google or GitHub under Connected accounts to sign in with them again.',
}

/** Texts for the callback's error codes. */
const callbackErrors: Record<string, string> = {
  auth_failed: 'Sign-in was not accepted. Please try again.',
  no_session: 'Sign-in ended without a session. Please try again.',
  callback_failed: 'Something went wrong while completing sign-in. Please try again.',
}

/** The text for `?error=` of the login page; null without one. Unknown codes are not echoed. */
export function callbackErrorText(code: string | undefined): string | null {
  if (!code) return null
  return callbackErrors[code] ?? 'Sign-in failed. Please try again.'
}
