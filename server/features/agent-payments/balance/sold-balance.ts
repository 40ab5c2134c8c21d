import { sql } from 'kysely'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import { linkToken } from '../../../secrets/link-token.ts'
import { CIPHER_PURPOSE } from '../../keys/present.ts'
import { usdText } from '../attempt.ts'
import { linkEnd } from './open-balance.ts'

/** The answer to a purchase. */
export interface SoldBalance {
  /** The payment's id. */
  payment: string
  usd: string
  credits: number
  /** Of a new balance: its key. Null: the credits were added to that of the request's key. */
  key: string | null
  /** With it, a person who is signed in becomes the owner, once. Null: somebody is. */
  claim_link: string | null
  claim_link_expires_at: string | null
}

interface Row {
  payment: string
  micro_usd: number
  credits: number
  opened: boolean
  key_id: string
  ciphertext: Buffer | null
  account: string
  links: number
  link_until: Date
  claimed: boolean
}

type SoldDeps = Pick<Deps, 'config' | 'db' | 'secrets'>

/** What a settled payment bought, the same each time. Throws payment_reused where the key is not the agent's alone any more. */
export async function readSold({ config, db, secrets }: SoldDeps, paymentId: number): Promise<SoldBalance> {
  const { rows } = await sql<Row>`
    select p.public_id as payment, p.micro_usd, p.credits, b.payment_id = p.id as opened, k.public_id as key_id, k.ciphertext,
      a.public_id as account, b.links, b.link_until, b.claimed_at is not null as claimed
    from agent_payments p join agent_balances b using (account_id) join accounts a on a.id = account_id
    join api_keys k on k.id = b.key_id where p.id = ${paymentId}`.execute(db.kysely)
  const row = rows[0]!
  if (row.opened && (row.claimed || row.ciphertext === null))
    throw new AppError('payment_reused', 'This payment bought a balance whose key is not shown any more.')
  return {
    payment: row.payment,
    usd: usdText(BigInt(row.micro_usd)).slice(1),
    credits: row.credits,
    key: row.opened ? secrets.decrypt(CIPHER_PURPOSE, row.ciphertext!, row.key_id) : null,
    claim_link: row.claimed ? null : linkOf(config.PUBLIC_URL, secrets, row),
    claim_link_expires_at: row.claimed ? null : row.link_until.toISOString(),
  }
}

/** A new link to claim a balance; the one before stops working. Throws conflict: a person owns it. */
export async function renewLink(
  { config, db, secrets }: SoldDeps,
  accountId: number,
): Promise<Pick<SoldBalance, 'claim_link' | 'claim_link_expires_at'>> {
  const { rows } = await sql<Pick<Row, 'account' | 'links' | 'link_until'>>`
    update agent_balances b set links = links + 1, link_until = ${linkEnd} from accounts a
    where a.id = b.account_id and b.account_id = ${accountId} and claimed_at is null
    returning a.public_id as account, links, link_until`.execute(db.kysely)
  const [row] = rows
  if (!row) throw new AppError('conflict', 'A person owns this balance already.')
  return {
    claim_link: linkOf(config.PUBLIC_URL, secrets, row),
    claim_link_expires_at: row.link_until.toISOString(),
  }
}

/** The secret is after the #, which browsers send to no server. */
const linkOf = (publicUrl: string, secrets: Deps['secrets'], { account, links }: Pick<Row, 'account' | 'links'>) =>
  `${publicUrl}/claim#${linkToken(secrets, 'agent_balances.link', account, links)}`
