import { FinmeterError } from '../errors.ts'
import type { Customer } from './meter-door.ts'

/** How long a repeat is free: the handler does its work again each time, so a constant key must not make calls free. */
const REPEAT_SLOT_MS = 300_000

/** The customer who sent a request with these headers. Throws key_missing. `target`: method and address of the request. */
export async function customerOf(
  header: (name: string) => string | null | undefined,
  target: string,
  address: string | undefined,
): Promise<Customer> {
  const key = header('x-api-key')?.trim() || /^bearer +(.+)$/i.exec(header('authorization') ?? '')?.[1]?.trim()
  if (!key)
    throw new FinmeterError(
      { code: 'key_missing', detail: 'An API key is required. Send it as Authorization: Bearer or X-API-Key.' },
      401,
    )
  const given = header('idempotency-key')
  // Only a request without a body is whole in its address: another body with the same key is another call.
  const repeatable = given && /^(GET|HEAD) /.test(target)
  return {
    key,
    idempotencyKey: repeatable
      ? await digest(`${Math.floor(Date.now() / REPEAT_SLOT_MS)} ${target}\n${given}`)
      : undefined,
    address,
    client: header('user-agent')?.slice(0, 500),
  }
}

async function digest(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
