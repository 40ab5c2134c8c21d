import { z } from 'zod'

const time = z.iso.datetime()

/** A call with what explains its charge. */
export const operatorReceipt = z.object({
  id: z.string(),
  /** In UTC, to the microsecond. */
  at: z.string(),
  customer: z.object({ id: z.uuid(), name: z.string(), owner_email: z.string().nullable(), unlimited: z.boolean() }),
  /** Null: a call in the playground. */
  key: z.object({ id: z.uuid(), name: z.string(), masked: z.string(), deleted_at: time.nullable() }).nullable(),
  tool: z.string(),
  /** voided: the caller got a 503. unknown: failed or voided, which is forgotten after some hours. */
  status: z.enum(['success', 'failed', 'voided', 'unknown']),
  duration_ms: z.int(),
  /** The rule of the tool at the time of the call. Null: it is not known, and the tool is gone. */
  price: z
    .object({
      text: z.string(),
      /** Since when it was so. Null: the call is older than what is noted, so this is today's rule. */
      since: time.nullable(),
      /** What was counted: `portions`, of `credits_each`. Null: nothing is, or it is not known. */
      units: z
        .object({
          name: z.string(),
          /** Both are the stored number, or what the charge and the rule tell of it. */
          from: z.int(),
          to: z.int(),
          /** Whether the call stored it, as all do since this release. */
          stored: z.boolean(),
          portions: z.int(),
          credits_each: z.int(),
        })
        .nullable(),
      /** Whether the rule can give this charge. False: the price is another one, or the call was free or cached. */
      fits: z.boolean(),
    })
    .nullable(),
  credits: z.int(),
  from_credits: z.int(),
  from_payg: z.int(),
  balance_before: z.int(),
  balance_after: z.int(),
  /** What took it from the grants, together with other calls. Null: not settled yet, or nothing to settle. */
  settlement: z
    .object({
      at: time,
      /** Charged calls since the settlement before, this one included; null: more than can be counted here. */
      calls: z.int().nullable(),
      burned: z.array(
        z.object({
          ledger_id: z.int(),
          grant_id: z.int(),
          grant_kind: z.string(),
          credits: z.int(),
          before: z.int(),
          after: z.int(),
          invoice_id: z.string().nullable(),
          invoice_number: z.string().nullable(),
        }),
      ),
    })
    .nullable(),
  restored_credits: z.int(),
  /** Whether an Idempotency-Key was sent and a repeat answered; null: none, or forgotten. */
  idempotency: z.object({ replayed: z.boolean() }).nullable(),
  reports: z.array(z.object({ at: time, event: z.string(), message: z.string().nullable() })),
  batch: z.object({
    id: z.string(),
    n: z.int(),
    calls: z.int(),
    accounts: z.int(),
    median_ms: z.int(),
    longest_ms: z.int(),
  }),
  archived: z.boolean(),
})
