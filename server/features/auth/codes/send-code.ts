import type { Queryable } from '../../../db/database.ts'
import type { Mailer } from '../../../mail/send-mail.ts'
import type { AuthDeps } from '../deps.ts'
import { type MailKind, mailFor } from './mail-texts.ts'
import { issueToken, type NewToken, type SentToken } from './one-time-tokens.ts'
import { verifyLink } from './verify-link-url.ts'

interface CodeMail extends NewToken {
  kind: MailKind
  /** `type` of the link and of POST /verify. */
  verifyType: string
  redirectTo: string
}

/** Makes a one-time token and mails it, in the caller's transaction. The caller has counted the mail. */
export async function mailCode(
  tx: Queryable,
  deps: Pick<AuthDeps, 'config' | 'secrets'> & { mail: Mailer },
  code: CodeMail,
): Promise<SentToken> {
  const sent = await issueToken(tx, deps.secrets, code)
  // Without PKCE the link would carry tokens in its target, so it only confirms the address: see verify-link.ts.
  const link = verifyLink(deps.config, {
    linkToken: sent.linkToken,
    type: code.verifyType,
    redirectTo: code.redirectTo,
  })
  await deps.mail.send(tx, {
    to: code.relatesTo,
    kind: code.kind,
    ...mailFor(code.kind, { code: sent.code, link, shop: deps.mail.shopName() }),
  })
  return sent
}
