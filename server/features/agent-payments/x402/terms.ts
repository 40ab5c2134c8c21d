import type { Config } from '../../../config/config.ts'
import type { Quote } from '../method.ts'

export const X402_VERSION = 2
/** What is left of a payment's validity when the work has taken its longest time. */
export const SETTLE_SECONDS = 30
/** A client signs when it has read the terms, and its clock may be behind. */
const SLACK_SECONDS = 90

export interface Token {
  address: string
  name: string
  version: string
}

/** An entry of `accepts`. */
export interface Terms {
  scheme: 'exact'
  network: string
  amount: string
  asset: string
  payTo: string
  maxTimeoutSeconds: number
  extra: { name: string; version: string }
}

export type PaymentConfig = Pick<
  Config,
  'X402_ADDRESS' | 'X402_NETWORK' | 'X402_FACILITATOR' | 'X402_FACILITATOR_TOKEN' | 'X402_RPC_URL' | 'X402_TOKEN'
>

/** The token's decimals, so one micro-dollar is one atomic unit. */
export const TOKEN_DECIMALS = 6

/** The terms of a quote. A stablecoin counts as US dollars, one to one. */
export const termsOf = (config: PaymentConfig, token: Token, quote: Quote): Terms => ({
  scheme: 'exact',
  network: config.X402_NETWORK!,
  amount: String(quote.microUsd),
  asset: token.address,
  payTo: config.X402_ADDRESS!,
  maxTimeoutSeconds: Math.ceil(quote.timeoutMs / 1000) + SETTLE_SECONDS + SLACK_SECONDS,
  extra: { name: token.name, version: token.version },
})

/** `address,name,version` of X402_TOKEN. */
export function readToken(text: string): Token {
  const [address = '', name = '', version = ''] = text.split(',').map((part) => part.trim())
  return { address, name, version }
}
