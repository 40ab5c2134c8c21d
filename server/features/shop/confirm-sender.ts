import { createHash, randomInt } from 'node:crypto'
import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import { queueMail } from '../../mail/queue-mail.ts'
import { writeMail } from '../../mail/write-mail.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import type { StoredShop } from './prepare-shop.ts'
import { changeShop, servedShop } from './store.ts'

const hashOf = (address: string, code: string): Buffer => createHash('sha256').update(`${address} ${code}`).digest()

/** Mails a code to the shop's sender, in the caller's transaction, unless it is confirmed. Returns whether it did. */
export async function sendSenderCode(
  tx: Queryable,
  { secrets, publicUrl }: { secrets: Secrets; publicUrl: string },
  { name, sender }: StoredShop,
): Promise<boolean> {
  if (sender === undefined || (await isConfirmed(tx, sender))) return false
  const code = String(randomInt(100_000, 1_000_000))
  const code_hash = hashOf(sender, code)
  await tx
    .insertInto('shop_senders')
    .values({ address: sender, code_hash })
    .onConflict((conflict) => conflict.column('address').doUpdateSet({ code_hash }))
    .execute()
  const content = {
    heading: 'Confirm the sender of emails',
    paragraphs: [
      `${name} wants to send its emails from this address. To confirm, type the code ${code} under Shop in the operator's console, or run this where you applied the shop:`,
      `npm run shop -- confirm ${code}`,
    ],
    note: 'If you do not run this shop, ignore this email.',
  }
  const written = writeMail(content, { version: 0, name, logo: null, support: sender, publicUrl })
  const mail = { to: sender, subject: 'Confirm the sender of emails', ...written }
  await queueMail(tx, secrets, mail, { kind: 'sender code' })
  return true
}

/** Lets mails come from the sender of the shop that is served. Returns it. Throws an Error if the code is not the one that was mailed to it last. */
export const confirmSender = (db: Queryable, code: string): Promise<string> =>
  changeShop(db, async (tx) => {
    const sender = (await servedShop(tx))?.stored.sender
    if (sender === undefined)
      throw new Error('The shop that is served has no sender: set one in shop.yaml and apply it.')
    const confirmed = await tx
      .updateTable('shop_senders')
      .set({ confirmed_at: sql`app_now()` })
      .where('address', '=', sender)
      .where('code_hash', '=', hashOf(sender, code.trim()))
      .executeTakeFirst()
    if (confirmed.numUpdatedRows === 0n)
      throw new Error(`This is not the code that was mailed to ${sender} last. Apply the shop again for a new one.`)
    return sender
  })

const isConfirmed = async (tx: Queryable, address: string): Promise<boolean> =>
  (await tx
    .selectFrom('shop_senders')
    .select('address')
    .where('address', '=', address)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst()) !== undefined
