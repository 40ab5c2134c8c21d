import type { Claim, Settlement } from '../method.ts'
import type { Chain, Libraries } from './load-libraries.ts'

/** Public nodes answer no more at once. */
const BLOCKS_AT_ONCE = 5_000n
const MOST_STEPS = 200
/** How far the clock of a chain may be behind. */
const MARGIN_SECONDS = 120

type Hex = `0x${string}`

/**
 * Finds out on the chain what became of a payment: used for a transfer to us, by whomever it was sent; used or expired otherwise; or not
 * decided yet (`unknown`; the reason `unused`: nobody has used it so far). Never throws.
 */
export function createLook(
  { parseAbi }: Libraries,
  chain: Chain,
  chainId: number,
): (claim: Claim) => Promise<Settlement> {
  const abi = parseAbi(['function authorizationState(address authorizer, bytes32 nonce) view returns (bool)'])
  const [used, canceled, transfer] = parseAbi([
    'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
    'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
    'event Transfer(address indexed from, address indexed to, uint256 value)',
  ])

  let isRight = false
  const look = async (claim: Claim): Promise<Settlement> => {
    isRight ||= (await chain.getChainId()) === chainId
    if (!isRight) return { kind: 'unknown', reason: 'wrong_chain' }
    const address = claim.asset as Hex
    // The state of that very block: an answer may come from a node that is behind, which has the block not yet, and says so.
    const latest = await chain.getBlock()
    const isUsed = await chain.readContract({
      blockNumber: latest.number,
      address,
      abi,
      functionName: 'authorizationState',
      args: [claim.payer, claim.nonce],
    })
    if (!isUsed) {
      const isOver = Number(latest.timestamp) * 1000 > claim.validBefore.getTime() + MARGIN_SECONDS * 1000
      return isOver ? { kind: 'failed', reason: 'expired' } : { kind: 'unknown', reason: 'unused' }
    }
    const since = BigInt(Math.floor(claim.claimedAt.getTime() / 1000) - MARGIN_SECONDS)
    const authorization = { authorizer: claim.payer as Hex, nonce: claim.nonce as Hex }
    let toBlock = latest.number
    for (let step = 0; step < MOST_STEPS; step++) {
      const fromBlock = toBlock > BLOCKS_AT_ONCE ? toBlock - BLOCKS_AT_ONCE : 0n
      const range = { address, fromBlock, toBlock }
      const [use] = await chain.getLogs({ ...range, event: used, args: authorization })
      if (use) {
        const args = { from: claim.payer as Hex, to: claim.payTo as Hex }
        const paid = await chain.getLogs({ ...range, event: transfer, args })
        // A transaction may have other transfers to us, which pay for something else: the token's own record comes right after the use.
        const isPaid = paid.some(
          ({ transactionHash, logIndex, args: { value } }) =>
            transactionHash === use.transactionHash && logIndex === use.logIndex + 1 && value === BigInt(claim.amount),
        )
        return isPaid
          ? { kind: 'settled', reference: use.transactionHash }
          : { kind: 'failed', reason: 'used_otherwise' }
      }
      const [end] = await chain.getLogs({ ...range, event: canceled, args: authorization })
      if (end) return { kind: 'failed', reason: 'canceled' }
      const { timestamp } = await chain.getBlock({ blockNumber: fromBlock })
      if (fromBlock === 0n || timestamp < since) break
      toBlock = fromBlock
    }
    // Nodes may be behind one another: what was not found may yet be there.
    return { kind: 'unknown', reason: 'not_found' }
  }
  return (claim) => look(claim).catch(() => ({ kind: 'unknown', reason: 'chain_not_answered' }))
}
