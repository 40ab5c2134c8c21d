import type { Deps } from '../../deps.ts'

const LIFETIME_S = 15 * 60
const PURPOSE = 'export-link'

type Needs = Pick<Deps, 'config' | 'secrets'>

/**
 * A link that works for fifteen minutes without a session, since a browser download sends no bearer token. Bound to
 * person and export; refused while the person is banned.
 */
export function signExportLink(deps: Needs, userId: string, exportId: string, nowMs: number): string {
  const expires = Math.floor(nowMs / 1000) + LIFETIME_S
  const signature = deps.secrets.mac(PURPOSE, signedText(userId, exportId, expires)).toString('base64url')
  return `${deps.config.PUBLIC_URL}/api/account/exports/${exportId}/file?expires=${expires}&signature=${signature}`
}

/** Whether the link was signed for this person's export and has not expired. `expires` in unix seconds. */
export function isExportLink(
  deps: Needs,
  userId: string,
  link: { exportId: string; expires: number; signature: string },
  nowMs: number,
): boolean {
  const text = signedText(userId, link.exportId, link.expires)
  const given = Buffer.from(link.signature, 'base64url')
  return deps.secrets.isMac(PURPOSE, text, given) && link.expires * 1000 >= nowMs
}

const signedText = (userId: string, exportId: string, expires: number): string => `${userId}\n${exportId}\n${expires}`
