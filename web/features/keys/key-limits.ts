import type { ApiKey } from '#contract/keys.ts'
import { formatUtcMoment, formatWhole } from '../../lib/format.ts'

const onlyFor = { rest: 'REST only', mcp: 'MCP only', read: 'Reading only' }

/** The limits of a key in a few words each: use, budget, rate, addresses, expiry. Empty without limits. */
export function limitsOf(key: ApiKey): string[] {
  const { scopes, monthly_budget: budget, budget_left: left, rate_limit: rate, allowed_networks: networks } = key
  return [
    scopes?.length === 1 && onlyFor[scopes[0]!],
    budget && `${formatWhole(left ?? budget)} of ${formatWhole(budget)} credits left this month`,
    rate && `${formatWhole(rate)} requests/min`,
    networks?.length &&
      (networks.length === 1 ? '1 allowed address' : `${formatWhole(networks.length)} allowed addresses`),
    key.expires_at && `expires ${formatUtcMoment(key.expires_at)}`,
  ].filter((limit) => typeof limit === 'string')
}
