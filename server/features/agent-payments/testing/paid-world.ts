import { createRequire } from 'node:module'
import { join } from 'node:path'
import { CHAIN_ID, type SandboxChain, startChain } from '#sandbox/chain/start-chain.ts'
import { type SandboxFacilitator, startFacilitator } from '#sandbox/chain/start-facilitator.ts'
import { installPackage } from '../../../../scripts/install-package.ts'

const packages = join(import.meta.dirname, '../../../../packages')
/** The operator's address in tests. */
export const OPERATOR = '0x00000000000000000000000000000000000F1A1e'.toLowerCase()
export const MICRO_USD = 1_000

/** Whether the packages that these tests need could be installed. Where not, tests are skipped, and counted as such. */
export const canPay: boolean = ['agent-payments', 'agent-payments-testing'].every((name) => {
  try {
    installPackage(join(packages, name))
    return true
  } catch (error) {
    console.error(`Tests with payments are skipped: ${(error as Error).message}`)
    return false
  }
})

const load = createRequire(join(packages, 'agent-payments-testing/package.json'))

export interface PaymentRequired {
  x402Version: number
  error?: string
  resource: { url: string; description?: string; mimeType?: string }
  accepts: {
    scheme: string
    network: string
    amount: string
    asset: string
    payTo: string
    maxTimeoutSeconds: number
    extra: Record<string, string>
  }[]
}

// biome-ignore lint/suspicious/noExplicitAny: a payment that tests change in every way
export type Payment = any

/** An agent with a wallet, and the official client. */
export interface Payer {
  address: string
  /** Asks, pays what is asked for, and asks again: `@x402/fetch`. */
  fetch: typeof globalThis.fetch
  /** Signs a payment for terms, without sending it. */
  sign: (terms: PaymentRequired) => Promise<Payment>
  /** Signs any transfer of the token. Returns the arguments that send it. */
  signTransfer: (authorization: Payment) => Promise<unknown[]>
}

export interface PaidWorld {
  chain: SandboxChain
  facilitator: SandboxFacilitator
  /** What a server needs to be paid in this world. */
  env: Record<string, string>
  /** A new agent with so many micro-dollars. */
  payer: (microUsd?: bigint) => Promise<Payer>
  /** What the operator has received. */
  received: () => Promise<bigint>
  stop: () => Promise<void>
}

/** A chain with a stablecoin, the official facilitator, and agents with the official client. */
export async function startPaidWorld(): Promise<PaidWorld> {
  const folder = join(packages, 'agent-payments-testing')
  const chain = await startChain(folder)
  const facilitator = await startFacilitator(folder, chain)
  const { generatePrivateKey, privateKeyToAccount } = load('viem/accounts')
  const { x402Client } = load('@x402/core/client')
  const { ExactEvmScheme } = load('@x402/evm/exact/client')
  const { authorizationTypes } = load('@x402/evm')
  const domain = { name: 'Test Dollar', version: '1', chainId: CHAIN_ID, verifyingContract: chain.token }
  const { wrapFetchWithPayment } = load('@x402/fetch')
  return {
    chain,
    facilitator,
    env: {
      AGENT_PAYMENTS: 'x402',
      AGENT_CREDIT_MICRO_USD: String(MICRO_USD),
      X402_ADDRESS: OPERATOR,
      X402_NETWORK: `eip155:${CHAIN_ID}`,
      X402_FACILITATOR: facilitator.url,
      X402_RPC_URL: chain.rpcUrl,
      X402_TOKEN: `${chain.token},Test Dollar,1`,
    },
    async payer(microUsd = 1_000_000n) {
      const account = privateKeyToAccount(generatePrivateKey())
      if (microUsd > 0n) await chain.mint(account.address, microUsd)
      // The client refuses tokens that it does not know, unless it is told otherwise.
      const client = new x402Client().register(`eip155:${CHAIN_ID}`, new ExactEvmScheme(account))
      client.setSpendControls(false)
      return {
        address: account.address.toLowerCase(),
        fetch: wrapFetchWithPayment(globalThis.fetch, client),
        sign: (terms) => client.createPaymentPayload(terms),
        async signTransfer(message) {
          const typed = { domain, types: authorizationTypes, primaryType: 'TransferWithAuthorization', message }
          return transferArguments({ authorization: message, signature: await account.signTypedData(typed) })
        },
      }
    },
    received: () => chain.balanceOf(OPERATOR),
    async stop() {
      await facilitator.stop()
      await chain.stop()
    },
  }
}

/** What the token's function takes to send a signed payment. */
export const transferArguments = ({ authorization: a, signature }: Payment): unknown[] => [
  ...[a.from, a.to, a.value, a.validAfter, a.validBefore, a.nonce],
  signature,
]

/** JSON of a header in base64. */
export const decoded = (header: string | null): Payment =>
  header === null ? null : JSON.parse(Buffer.from(header, 'base64').toString())
export const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')
