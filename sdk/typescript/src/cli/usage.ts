import { Client } from '../client.ts'
import { getUsage as today } from '../operations.gen.ts'
import type { Call } from './command.ts'
import { addressOf, dataToken, loginToken } from './credentials.ts'
import { printFacts, printJson, printTable } from './print.ts'
import { productApi } from './request.ts'

async function readToday(call: Call) {
  const url = await addressOf(call.globals)
  const { data } = await new Client({ key: await dataToken(call.globals), url }).value(today, {})
  return data
}

/** What can still be spent. Free. */
export async function credits(call: Call): Promise<void> {
  const { credits_remaining, unlimited } = await readToday(call)
  if (call.globals.json) printJson({ credits_remaining, unlimited })
  else printFacts({ credits: unlimited ? 'unlimited' : credits_remaining })
}

interface Totals {
  totalRequests: number
  successfulRequests: number
  failedRequests: number
  refusedRequests: number
  topApiKeys: { name: string; requests: number }[]
}

/** Today by tool, for anybody with a key; a longer range by key, after login. */
export async function usage(call: Call): Promise<void> {
  const { json } = call.globals
  const { range } = call.options
  if (range === undefined) {
    const { used_today } = await readToday(call)
    if (json) return printJson(used_today)
    return printTable(
      ['tool', 'calls', 'failed', 'credits'],
      used_today.map((one) => [one.tool, one.calls, one.failed, one.credits]),
    )
  }
  const url = await addressOf(call.globals)
  const path = `/api/usage?range=${encodeURIComponent(String(range))}`
  const totals = await productApi<Totals>(url, await loginToken(url), 'GET', path)
  if (json) return printJson(totals)
  const { totalRequests, successfulRequests, failedRequests, refusedRequests, topApiKeys } = totals
  printFacts({
    calls: totalRequests,
    successful: successfulRequests,
    failed: failedRequests,
    refused: refusedRequests,
  })
  if (topApiKeys.length > 0)
    printTable(
      ['key', 'calls'],
      topApiKeys.map(({ name, requests }) => [name, requests]),
    )
}
