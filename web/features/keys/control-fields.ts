import type { ApiKey, KeyScope } from '#contract/keys.ts'

/** The limits of a key as form fields: text as typed, empty for no limit. */
export interface ControlFields {
  use: 'both' | KeyScope
  /** Local time, in the format of the browser's date field. */
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
    expiresAt: expires === '' ? null : new Date(expires).toISOString(),
    monthlyBudget: budget === '' ? null : Number(budget),
    rateLimit: rate === '' ? null : Number(rate),
    allowedNetworks: list.length === 0 ? null : list,
  }
}

/** The form fields for a key's limits. */
export function toFields(key: ApiKey): ControlFields {
  return {
    use: key.scopes?.length === 1 ? key.scopes[0]! : 'both',
    expires: key.expires_at === null ? '' : localInput(new Date(key.expires_at)),
    budget: key.monthly_budget === null ? '' : String(key.monthly_budget),
    rate: key.rate_limit === null ? '' : String(key.rate_limit),
    networks: key.allowed_networks?.join('\n') ?? '',
  }
}

/** `YYYY-MM-DDTHH:MM` in the reader's time zone. */
function localInput(time: Date): string {
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}
