import { z } from 'zod'
import { setting, url } from './setting.ts'

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/)
const list = (item: RegExp) => z.string().refine((text) => text.split(',').every((one) => item.test(one.trim())))
const purchase = () => z.enum(['off', 'text', 'link', 'protocol']).default('protocol')
const purchaseHint = 'off, text, link or protocol'
const dollars = z.coerce.number().int().min(0).max(1_000_000)

/** Payments of agents that have no account. */
export const paymentSettings = {
  AGENT_PAYMENTS: setting(
    z.enum(['off', 'x402']).default('off'),
    'x402: agents without an account pay for single calls in a stablecoin. Needs the X402_ settings, AGENT_CREDIT_MICRO_USD, and: npm ci --prefix packages/agent-payments. See docs/agent-payments.md.',
    'off or x402',
    'off',
  ),
  AGENT_CREDIT_MICRO_USD: setting(
    z.coerce.number().int().min(1).max(1_000_000_000).optional(),
    'What agents pay for one credit, in millionths of a US dollar.',
    'a whole number such as 1000, for $0.001',
  ),
  X402_ADDRESS: setting(
    address.optional(),
    'Your own address, which receives the payments.',
    'an address of 0x and 40 hexadecimal digits',
  ),
  X402_NETWORK: setting(
    z
      .string()
      .regex(/^eip155:[1-9]\d{0,14}$/)
      .optional(),
    'The network of the payments. Test networks are refused in production.',
    'eip155: and a chain id, such as eip155:8453 for Base',
  ),
  X402_FACILITATOR: setting(
    url.optional(),
    'The server that verifies and settles payments. It sees each payer, amount and URL.',
    'an https URL',
  ),
  X402_FACILITATOR_TOKEN: setting(
    z.string().min(1).optional(),
    'Bearer token for the facilitator, if it wants one.',
    'the token',
  ),
  X402_RPC_URL: setting(
    url.optional(),
    'A node of the network. It is asked what became of a payment if the facilitator does not answer.',
    'an https URL',
  ),
  X402_TOKEN: setting(
    z
      .string()
      .regex(/^0x[0-9a-fA-F]{40},[^,]{1,60},[^,]{1,20}$/)
      .optional(),
    'The stablecoin: a token of US dollars with 6 decimals and signed transfers (EIP-3009). Default: USDC of the network.',
    'address,name,version of the EIP-712 domain of the token',
  ),
  AGENT_PAYER_DAILY_USD: setting(
    dollars.default(100),
    'US dollars that one payer may pay in 24 hours.',
    'a whole number of dollars',
    '100',
  ),
  AGENT_DAILY_USD: setting(
    dollars.default(1_000),
    'US dollars that all agents together may pay in 24 hours.',
    'a whole number of dollars',
    '1000',
  ),
  AGENT_DENIED_PAYERS: setting(
    list(/^0x[0-9a-fA-F]{40}$/).optional(),
    'Addresses from which no payment is taken.',
    'addresses, separated by commas',
  ),
  MCP_PURCHASE: setting(
    purchase(),
    'What refusals over MCP say about buying. off: nothing. text: what the call costs. link: also the page to add credits. protocol: also how agents pay, with AGENT_PAYMENTS. /mcp?purchase=off is an address that never says anything, for directories that forbid it.',
    purchaseHint,
    'protocol',
  ),
  REST_PURCHASE: setting(
    purchase(),
    'The same for refusals of the Data API. Agents can pay for single calls only with protocol.',
    purchaseHint,
    'protocol',
  ),
  AGENT_COUNTRY_HEADER: setting(
    z
      .string()
      .regex(/^[A-Za-z0-9-]+$/)
      .optional(),
    'The header in which your proxy names the country of a request, for AGENT_DENIED_COUNTRIES. The proxy must replace what clients send.',
    'a header name such as CF-IPCountry',
  ),
  AGENT_DENIED_COUNTRIES: setting(
    list(/^[A-Za-z]{2}$/).optional(),
    'Countries from which no payment is taken. Needs AGENT_COUNTRY_HEADER.',
    'two-letter codes, separated by commas',
  ),
}

/** Real networks whose stablecoins x402 knows. Any other may be for tests. */
const REAL = ['1', '10', '137', '8453', '42161', '43114']
const NEEDED = ['AGENT_CREDIT_MICRO_USD', 'X402_ADDRESS', 'X402_NETWORK', 'X402_FACILITATOR', 'X402_RPC_URL'] as const

type PaymentConfig = { [K in keyof typeof paymentSettings]: z.output<(typeof paymentSettings)[K]['schema']> } & {
  production: boolean
}

/** Why agents' payments cannot be taken with these settings, a sentence each. */
export function paymentProblems(config: PaymentConfig): string[] {
  if (config.AGENT_PAYMENTS === 'off') return []
  const problems = NEEDED.filter((name) => config[name] === undefined).map(
    (name) => `${name} is missing: AGENT_PAYMENTS=x402 needs ${paymentSettings[name].hint}.`,
  )
  if (/^0x0{40}$/.test(config.X402_ADDRESS ?? ''))
    problems.push('X402_ADDRESS belongs to nobody: set your own address.')
  if (config.AGENT_DENIED_COUNTRIES && !config.AGENT_COUNTRY_HEADER)
    problems.push(
      'AGENT_DENIED_COUNTRIES needs AGENT_COUNTRY_HEADER: set the header in which your proxy names the country.',
    )
  if (!config.production) return problems
  if (config.X402_NETWORK && !REAL.includes(config.X402_NETWORK.slice('eip155:'.length)))
    problems.push(
      `X402_NETWORK is no network with real money: in production, set one of ${REAL.map((id) => `eip155:${id}`).join(', ')}.`,
    )
  for (const name of ['X402_FACILITATOR', 'X402_RPC_URL'] as const)
    if (config[name]?.startsWith('http:')) problems.push(`${name} must be an https address in production.`)
  return problems
}
