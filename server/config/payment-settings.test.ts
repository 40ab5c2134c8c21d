import { describe, expect, test } from 'vitest'
import { loadConfig } from './config.ts'

const paid = {
  AGENT_PAYMENTS: 'x402',
  AGENT_CREDIT_MICRO_USD: '1000',
  X402_ADDRESS: '0x00000000000000000000000000000000000f1a1e',
  X402_NETWORK: 'eip155:8453',
  X402_FACILITATOR: 'https://facilitator.acme.dev',
  X402_RPC_URL: 'https://node.acme.dev',
}
const production = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://finmeter@db/finmeter',
  KEYS_SECRET: '5e6a2cf28ab1d09c7f30b4e6139d8a57c2f41b8e60d7395aa41c0f9be2773d18',
  PUBLIC_URL: 'https://api.acme.dev',
  GOOGLE_CLIENT_ID: 'id',
  GOOGLE_CLIENT_SECRET: 'secret',
}
const problemOf = (env: NodeJS.ProcessEnv): string => {
  try {
    loadConfig(env)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

describe('payments of agents', () => {
  test('are off by default, whatever else is set', () => {
    expect(loadConfig({}).AGENT_PAYMENTS).toBe('off')
    expect(problemOf({ X402_ADDRESS: paid.X402_ADDRESS })).toBe('')
  })

  test.each(['AGENT_CREDIT_MICRO_USD', 'X402_ADDRESS', 'X402_NETWORK', 'X402_FACILITATOR', 'X402_RPC_URL'])(
    'need %s',
    (name) => {
      expect(problemOf(paid)).toBe('')
      expect(problemOf({ ...paid, [name]: '' })).toContain(`${name} is missing: AGENT_PAYMENTS=x402 needs`)
    },
  )

  test.each([
    [{ X402_ADDRESS: `0x${'0'.repeat(40)}` }, 'X402_ADDRESS belongs to nobody'],
    [{ X402_ADDRESS: '0x12' }, 'X402_ADDRESS is not valid'],
    [{ X402_NETWORK: 'base' }, 'X402_NETWORK is not valid'],
    [{ AGENT_CREDIT_MICRO_USD: '0' }, 'AGENT_CREDIT_MICRO_USD is not valid'],
    [{ AGENT_DENIED_COUNTRIES: 'KP' }, 'AGENT_DENIED_COUNTRIES needs AGENT_COUNTRY_HEADER'],
    [{ AGENT_DENIED_PAYERS: 'somebody' }, 'AGENT_DENIED_PAYERS is not valid'],
  ])('%j is refused', (env, problem) => {
    expect(problemOf({ ...paid, ...env })).toContain(problem)
  })

  test('in production, only real networks and encrypted connections are accepted', () => {
    expect(problemOf({ ...production, ...paid })).toBe('')
    for (const network of ['eip155:84532', 'eip155:31337', 'eip155:11155111'])
      expect(problemOf({ ...production, ...paid, X402_NETWORK: network })).toContain(
        'X402_NETWORK is no network with real money',
      )
    expect(problemOf({ ...production, ...paid, X402_FACILITATOR: 'http://facilitator.acme.dev' })).toContain(
      'X402_FACILITATOR must be an https address in production.',
    )
  })
})
