import { getBars } from '../operations.gen.ts'
import type { Call } from './command.ts'
import { printRows } from './rows.ts'

/** The prices of one symbol. */
export async function bars(call: Call): Promise<void> {
  const { range, interval, from, to, adjust, limit } = call.options
  await printRows(call, getBars as never, {
    symbol: call.positionals[0],
    ...given({ range, interval, from, to, adjust, limit: limit === undefined ? undefined : Number(limit) }),
  })
}

const given = (all: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
