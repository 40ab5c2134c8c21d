import type { Machine } from './machine.ts'
import type { Noise } from './noise.ts'
import type { Target, TargetId, Work } from './target.ts'
import type { Slice } from './wire.ts'

/** One line of the table: medians over the rounds. */
export interface Line {
  id: TargetId
  work: Work
  label: string
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** Relative to the bare server of the same work, round by round. */
  toBare: Ratio
}

export interface Ratio {
  median: number
  least: number
  greatest: number
}

/** A promised ratio. */
export interface Floor {
  text: string
  ratio: Ratio
  floor: number
  target: number
}

export interface Results {
  machine: Machine
  noise: Noise
  /** When the run ended: YYYY-MM-DD, UTC. */
  day: string
  rounds: number
  sliceSeconds: number
  connections: number
  accounts: number
  /** MCP tools registered; absent: Finmeter's own. */
  tools: number | undefined
  lines: Line[]
  floors: Floor[]
  /** Every slice as measured, by target, in the order of the rounds. */
  slices: Record<string, Slice[]>
  /** 252 bars requested at a steady 1,000 calls a second; latency counts from when each call was due. */
  steady: Slice
  /** `peerFaults`: requests that peers without a usage count refused or dropped. */
  proof: { answers: number; usageRows: number; creditsCharged: number; problems: string[]; peerFaults: string[] }
}

/** Medians and ratios of the measured slices. Ratios are computed within a round, under the same conditions. */
export function summarize(targets: Target[], slices: Record<string, Slice[]>): { lines: Line[]; floors: Floor[] } {
  const rates = (id: TargetId) => slices[id]!.map((slice) => slice.perSecond)
  const lines = targets.map(
    ({ id, work, label }): Line => ({
      id,
      work,
      label,
      perSecond: median(rates(id)),
      p50Ms: median(slices[id]!.map((slice) => slice.p50Ms)),
      p99Ms: median(slices[id]!.map((slice) => slice.p99Ms)),
      toBare: ratio(rates(id), rates(`${work}-bare`)),
    }),
  )
  const floors: Floor[] = [
    {
      text: 'metered REST call / bare node:http',
      ratio: ratio(rates('rest-finmeter'), rates('rest-bare')),
      floor: 0.2,
      target: 0.45,
    },
    {
      text: 'metered REST call / Better Auth verifyApiKey',
      ratio: ratio(rates('rest-finmeter'), rates('rest-better-auth')),
      floor: 15,
      target: 20,
    },
    {
      text: 'metered MCP call / MCP SDK server, not metered',
      ratio: ratio(rates('mcp-finmeter'), rates('mcp-sdk')),
      floor: 3,
      target: 3,
    },
    {
      text: '252 metered bars / bare node:http',
      ratio: ratio(rates('bars-finmeter'), rates('bars-bare')),
      floor: 0.2,
      target: 0.45,
    },
  ]
  return { lines, floors }
}

/** Of rates that were measured in the same rounds. */
export function ratio(rates: number[], others: number[]): Ratio {
  const all = rates.map((rate, round) => rate / others[round]!)
  return { median: median(all), least: Math.min(...all), greatest: Math.max(...all) }
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
