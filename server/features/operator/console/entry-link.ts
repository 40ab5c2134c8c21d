import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { hashOf, newSecret } from './cookie.ts'

export const ENTRY_DAYS = 7

/**
 * A link that lets an operator in once, by the address that it is given or sent to; it replaces an earlier one. Null: they have entered
 * already, so their user is known. The code is in the fragment, which browsers keep to themselves.
 */
export async function newEntryLink(tx: Queryable, email: string, publicUrl: string): Promise<string | null> {
  const code = newSecret()
  const { rows } = await sql`
    update operators set entry_hash = ${hashOf(code)}, entry_until = app_now() + make_interval(days => ${ENTRY_DAYS})
    where email = lower(${email}) and user_id is null returning 1`.execute(tx)
  return rows.length > 0 ? `${publicUrl}/login?next=/operator#${code}` : null
}

/** Mails it, in the caller's transaction. Where no mail is sent, the command line prints one: operator add. */
export async function mailEntryLink(tx: Queryable, { mail, config }: Pick<Deps, 'mail' | 'config'>, email: string) {
  const url = mail.enabled ? await newEntryLink(tx, email, config.PUBLIC_URL) : null
  if (url === null) return
  await mail.send(tx, {
    to: email,
    kind: 'operator',
    subject: `You are an operator of ${mail.shopName()}`,
    heading: `You are an operator of ${mail.shopName()}`,
    paragraphs: [`Open the console with this link within ${ENTRY_DAYS} days, and sign in as ${email}.`],
    action: { label: 'Open the console', url },
    note: 'You received this email because an owner of this installation added you.',
  })
}
