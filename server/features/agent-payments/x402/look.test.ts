import { expect, test } from 'vitest'
import type { Chain, Libraries } from './load-libraries.ts'
import { createLook } from './look.ts'

const END = Date.UTC(2026, 0, 1) / 1000
const claim = {
  network: 'eip155:1',
  asset: '0xa',
  payer: '0xb',
  nonce: '0xc',
  payTo: '0xd',
  amount: '1000',
  claimedAt: new Date((END - 100) * 1000),
  validBefore: new Date(END * 1000),
}

test('a node that is behind, and does not know of the payment yet, is not believed that it has expired', async () => {
  const chain = {
    getChainId: async () => 1,
    getBlock: async () => ({ number: 100n, timestamp: BigInt(END + 1_000) }),
    // Another node of the same address answers, which has 90 blocks so far.
    async readContract({ blockNumber = 90n }: { blockNumber?: bigint }) {
      if (blockNumber > 90n) throw new Error('header not found')
      return false
    },
    getLogs: async () => [],
  } as Chain
  const look = createLook({ parseAbi: (lines: readonly string[]) => [...lines] } as unknown as Libraries, chain, 1)
  expect(await look(claim)).toEqual({ kind: 'unknown', reason: 'chain_not_answered' })
})
