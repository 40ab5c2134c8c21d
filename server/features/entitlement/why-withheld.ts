/** plan: it needs another plan. ai_clients: the terms of its source forbid giving it to AI clients. */
export type WhyWithheld = 'plan' | 'ai_clients'

/** What the manifest of data says of who may read it. */
export interface DataTerms {
  redistribution: string
  /** The plans that it is reserved for; absent: all. */
  plans?: readonly string[] | undefined
  ai_clients?: boolean | undefined
}

export interface Reader {
  /** Null for a caller without an account, such as one with the demo key, who gets only what is public. */
  plans: ReadonlySet<string> | null
  /** An AI client gets the answer. */
  forAi: boolean
}

/** Why a reader may not have data; `secret`: it is not told that there is any. Null: the reader may. */
export function whyWithheld(
  { redistribution, plans, ai_clients }: DataTerms,
  reader: Reader,
): WhyWithheld | 'secret' | null {
  const own = reader.plans
  if (own === null) {
    if (plans || (redistribution !== 'open' && redistribution !== 'demo-only')) return 'secret'
  } else if (plans && !plans.some((plan) => own.has(plan))) return 'plan'
  return reader.forAi && ai_clients === false ? 'ai_clients' : null
}
