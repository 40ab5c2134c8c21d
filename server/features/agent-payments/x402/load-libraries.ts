import { createRequire } from 'node:module'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../../../../packages/agent-payments')

type Hex = `0x${string}`

/** A reader of a chain: the part of viem's public client that is used. */
export interface Chain {
  getChainId: () => Promise<number>
  readContract: (call: {
    address: Hex
    abi: unknown
    functionName: string
    args: unknown[]
    blockNumber: bigint
  }) => Promise<unknown>
  getBlock: (block?: { blockNumber: bigint }) => Promise<{ number: bigint; timestamp: bigint }>
  getLogs: (filter: {
    address: Hex
    event: unknown
    args: Record<string, Hex>
    fromBlock: bigint
    toBlock: bigint
  }) => Promise<{ transactionHash: Hex; logIndex: number; args: { value?: bigint } }[]>
}

/** What is used of the packages in `packages/agent-payments`. */
export interface Libraries {
  getDefaultAsset: (network: string) => { asset: string; name: string; version: string; decimals: number }
  authorizationTypes: unknown
  createPublicClient: (config: unknown) => Chain
  http: (url: string, config?: { timeout?: number; retryCount?: number }) => unknown
  parseAbi: (lines: readonly string[]) => unknown[]
  recoverTypedDataAddress: (typed: {
    domain: Record<string, unknown>
    types: unknown
    primaryType: string
    message: Record<string, unknown>
    signature: Hex
  }) => Promise<string>
}

/** Loads them now, and never in a server that takes no payments of agents. Throws an Error that says how to install them. */
export function loadLibraries(): Libraries {
  const load = createRequire(join(folder, 'package.json'))
  try {
    const evm = load('@x402/evm')
    const viem = load('viem')
    const { getDefaultAsset, authorizationTypes } = evm
    const { createPublicClient, http, parseAbi, recoverTypedDataAddress } = viem
    return {
      getDefaultAsset,
      authorizationTypes,
      createPublicClient,
      http,
      parseAbi,
      recoverTypedDataAddress,
    }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw cause
    throw new Error(
      'AGENT_PAYMENTS needs its own packages. Install them with: npm ci --prefix packages/agent-payments',
      {
        cause,
      },
    )
  }
}
