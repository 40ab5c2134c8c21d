import { z } from 'zod'

const MAX_NAME_CHARACTERS = 200

/** A name that a person gives: any Unicode, trimmed, 1 to 200 characters (code points), no control characters. */
export const keyName = z
  .string('is required')
  .refine((text) => text.isWellFormed(), 'is not valid Unicode')
  .trim()
  .refine((text) => text.length > 0, 'must not be empty')
  .refine((text) => [...text].length <= MAX_NAME_CHARACTERS, `must be at most ${MAX_NAME_CHARACTERS} characters`)
  .refine((text) => !/\p{Cc}/u.test(text), 'must not contain control characters')

export const newKey = z.strictObject({ name: keyName })

/**
 * An API key. `unkey` and `apiKey` hold the same text: the whole key, or its first 8 characters and '...' where it must
 * not be shown (KEYS_REVEAL=once after creation, or a reader whose role may not see keys).
 */
export const apiKey = z.object({
  id: z.uuid(),
  name: z.string(),
  unkey: z.string(),
  apiKey: z.string(),
  created_at: z.iso.datetime(),
  /** Calls that were answered with success, since the key exists. */
  usage_count: z.int(),
  last_used_at: z.iso.datetime().nullable(),
})
export type ApiKey = z.infer<typeof apiKey>
