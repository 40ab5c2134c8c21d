import type { Config } from '../../../config/config.ts'

/** The address in a mail. Made from PUBLIC_URL alone: no request header can redirect users elsewhere. */
export function verifyLink(
  { PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>,
  { linkToken, type, redirectTo }: { linkToken: string; type: string; redirectTo: string },
): string {
  const url = new URL(`${PUBLIC_URL}/auth/v1/verify`)
  url.search = new URLSearchParams({ token: linkToken, type, redirect_to: redirectTo }).toString()
  return url.toString()
}
