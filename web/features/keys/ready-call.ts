import { useQuery } from '@tanstack/react-query'
import { useSettings } from '../../lib/settings.ts'
import { telling } from '../answer/telling.ts'
import type { Operation } from '../snippets/read-request.ts'
import { firstCallPath } from '../snippets/snippets.ts'
import { callAddress, type Sold, soldQuery } from '../snippets/sold-calls.ts'

/** A call that works as it is: nothing is left to fill in. */
export interface ReadyCall {
  path: string
  operation: Operation
  /** What it answers, without a period. */
  about: string
}

const demonstration: ReadyCall = {
  path: firstCallPath,
  operation: { tool: 'get_economic_series', template: '/v1/series/{id}' },
  about: 'A month of oil prices',
}

/** The call to begin with, of what this shop sells. Undefined until it is known, null if there is none. */
export function useReadyCall(): ReadyCall | null | undefined {
  const { demo } = useSettings().shop
  const { data, isError } = useQuery({ ...soldQuery, select: readyCall, enabled: !demo })
  return demo ? demonstration : isError ? null : data
}

/** A call that has a value for every input it needs: of the operator's own API if possible, and of those the one that shows most. */
export function readyCall({ calls }: Sold): ReadyCall | null {
  const needed = calls.map((call) => ({ ...call, inputs: call.inputs.filter(({ required }) => required) }))
  const ready = needed.filter(({ inputs }) => inputs.every(({ value }) => value !== ''))
  const [own] = ready.filter(({ isOwn }) => isOwn).toSorted((a, b) => telling(b.example) - telling(a.example))
  const call = own ?? ready.find(({ path }) => path === '/v1/datasets') ?? ready[0]
  if (!call) return null
  const { operation: tool, path: template, title } = call
  return { path: callAddress('', call, {}), operation: { tool, template }, about: title.replace(/\.$/, '') }
}
