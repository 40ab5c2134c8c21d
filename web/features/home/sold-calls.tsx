import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient } from '../../lib/http/query-client.ts'
import { Badge } from '../../ui/badge.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { RestAnswer } from '../answer/rest-answer.tsx'
import { telling } from '../answer/telling.ts'
import { callAddress, type SoldCall, soldQuery } from '../snippets/sold-calls.ts'
import { CallCode } from './call-code.tsx'
import { ChoiceButtons } from './choice-buttons.tsx'
import type { Choice } from './choices.ts'
import { homeText as text } from './text.ts'

const MOST = 6

/** Calls of the operator's own API: the code, the price, and the response that its description gives as an example. */
export default function SoldCalls() {
  return (
    <QueryClientProvider client={queryClient}>
      <Calls />
    </QueryClientProvider>
  )
}

function Calls() {
  const { data, isError } = useQuery(soldQuery)
  const [chosen, choose] = useState<string | null>(null)
  const own = (data?.calls ?? []).filter(({ isOwn }) => isOwn)
  const calls = own.toSorted((one, other) => telling(other.example) - telling(one.example)).slice(0, MOST)
  const call = calls.find(({ operation }) => operation === chosen) ?? calls[0]
  if (isError || (data && !call)) return null
  return (
    <section
      aria-label={text.tryIt}
      className="min-h-90 min-w-0 rounded-card border border-line bg-surface shadow-raised lg:grid lg:grid-cols-[1fr_1.15fr] lg:divide-x lg:divide-line"
    >
      {call ? (
        <>
          <div className="flex min-w-0 flex-col">
            <div className="border-b border-line p-3">
              <ChoiceButtons
                label={text.choose}
                className="grid grid-cols-2"
                options={calls.map(({ operation, title }) => ({
                  name: title.replace(/\.$/, ''),
                  chosen: operation === call.operation,
                  choose: () => choose(operation),
                }))}
              />
            </div>
            <div className="flex flex-1 flex-col px-3 pt-3 lg:pb-3">
              <CallCode call={choiceOf(call)} apiKey="YOUR_API_KEY" action={<Badge>{call.price}</Badge>} />
            </div>
          </div>
          <div className="min-w-0 px-3 pb-3">
            <RestAnswer
              answer={exampleOf(call)}
              badge={text.example}
              recorded={call.example === null ? text.noExample : text.recordedOnly}
            />
          </div>
        </>
      ) : (
        <Skeleton className="m-3 h-84" />
      )}
    </section>
  )
}

function choiceOf(call: SoldCall): Choice {
  const { operation, title, inputs } = call
  const needed = inputs.filter(({ required }) => required)
  return {
    label: title,
    path: callAddress('', { ...call, inputs: needed }, {}),
    tool: operation,
    arguments: Object.fromEntries(needed.map(({ name, value }) => [name, value])),
  }
}

const exampleOf = ({ example }: SoldCall) => ({
  status: 200,
  at: null,
  durationMs: 0,
  charged: null,
  remaining: null,
  receipt: null,
  body: example,
})
