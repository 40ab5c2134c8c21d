import type { ApiKey, KeyScope } from '#contract/keys.ts'

/** The limits of a key as form fields: text as typed, empty for no limit. */
export interface ControlFields {
  use: 'both' | KeyScope
  /** UTC, like the budget, in the format of the browser's date field. */
  expires: string
  budget: string
  rate: string
  networks: string
}

export const noControls: ControlFields = { use: 'both', expires: '', budget: '', rate: '', networks: '' }

/** The request body. Invalid numbers are sent unchanged, so that the server explains what is wrong. */
export function toControls({ use, expires, budget, rate, networks }: ControlFields) {
  const list = networks.split(/[\s,]+/).filter(Boolean)
  return {
    scopes: use === 'both' ? null : [use],
    expiresAt: expires === '' ? null : new Date(`${expires}Z`).toISOString(),
    monthlyBudget: budget === '' ? null : Number(budget),
    rateLimit: rate === '' ? null : Number(rate),
    allowedNetworks: list.length === 0 ? null : list,
  }
}

type Controls = ReturnType<typeof toControls>

/** What the fields change of a key's limits: a budget that is sent starts over, and the audit log says what was sent. */
export function changedControls(fields: ControlFields, key: ApiKey): Partial<Controls> {
  const before = toControls(toFields(key))
  return Object.fromEntries(
    Object.entries(toControls(fields)).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Controls]),
    ),
  )
}

/** The form fields for a key's limits. */
export function toFields(key: ApiKey): ControlFields {
  return {
    use: key.scopes?.length === 1 ? key.scopes[0]! : 'both',
    expires: key.expires_at === null ? '' : key.expires_at.slice(0, 16),
    budget: key.monthly_budget === null ? '' : String(key.monthly_budget),
    rate: key.rate_limit === null ? '' : String(key.rate_limit),
    networks: key.allowed_networks?.join('\n') ?? '',
  }
}
