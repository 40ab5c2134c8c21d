import type { Database } from '../../../db/database.ts'
import { checkBillingInvariants } from '../../billing/billing-invariants.ts'
import { checkInvariants } from '../../metering/invariants.ts'
import { OPERATOR, type PaidWorld } from './paid-world.ts'

/** Of the event `Transfer(address,address,uint256)`. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** The number of the newest block. */
export const newestBlock = ({ chain }: PaidWorld) =>
  chain.wallet.request({ method: 'eth_blockNumber' }) as Promise<string>

/**
 * What differs between the transfers to the operator in the blocks after `block`, the payments, and the ledger; nothing may. `block`: hex.
 */
export async function comparePaid(world: PaidWorld, { pool, ...db }: Database, block: string): Promise<string[]> {
  const rows = async (text: string) => (await pool.query<{ text: string }>(text)).rows.map(({ text }) => text)
  const only = (some: string[], others: string[], what: string) => {
    const left = [...others]
    return some.flatMap((one) => {
      const at = left.indexOf(one)
      if (at >= 0) left.splice(at, 1)
      return at < 0 ? [`${what}: ${one}`] : []
    })
  }
  const transfers = await transfersSince(world, block)
  const settled = await rows(
    `select reference || ' ' || payer || ' ' || atomic as text from agent_payments where state = 'settled'`,
  )
  const violations = [...(await checkInvariants({ pool, ...db })), ...(await checkBillingInvariants({ pool, ...db }))]
  return [
    ...only(transfers, settled, 'a transfer without a settled payment'),
    ...only(settled, transfers, 'a settled payment without a transfer'),
    ...(await rows(`
      select format('payment %s (%s, %s credits) has grants of %s', p.id, p.state, p.credits, coalesce(g.amounts::text, 'nothing')) as text
      from agent_payments p full join (
        select source_id, array_agg(amount) as amounts from credit_grants where source_type = 'agent_payment' group by 1) g on g.source_id = p.id::text
      where (p.state = 'settled') is distinct from (g.source_id is not null) or g.amounts <> array[p.credits]`)),
    ...(await rows(`
      select format('payer %s paid for %s credits of calls and used %s', payer, paid, used) as text from (
        select a.payer, coalesce((select sum(credits) from agent_payments p where p.account_id = a.account_id and product = 'call' and state = 'settled'), 0) as paid,
          coalesce((select sum(from_credits) from usage_events u where u.account_id = a.account_id and success), 0) as used from agent_accounts a) s
      where paid <> used`)),
    ...(await rows(`
      select format('balance %s of payment %s', b.account_id, b.payment_id) as text from agent_balances b
      left join agent_payments p on p.id = b.payment_id and p.account_id = b.account_id and p.product = 'balance' and p.state = 'settled' where p.id is null`)),
    ...violations.map((violation) => JSON.stringify(violation)),
  ]
}

/** `transaction payer amount` of each. */
async function transfersSince({ chain }: PaidWorld, block: string): Promise<string[]> {
  const fromBlock = `0x${(BigInt(block) + 1n).toString(16)}`
  const topics = [TRANSFER, null, `0x${OPERATOR.slice(2).padStart(64, '0')}`]
  const logs = (await chain.wallet.request({
    method: 'eth_getLogs',
    params: [{ address: chain.token, fromBlock, topics }],
  })) as { transactionHash: string; topics: string[]; data: string }[]
  return logs.map(
    ({ transactionHash, topics: [, from], data }) => `${transactionHash} 0x${from!.slice(-40)} ${BigInt(data)}`,
  )
}
