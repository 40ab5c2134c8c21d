import { clsx } from 'clsx'
import { Check, X } from '../../ui/icons/public.ts'
import type { ExampleCall } from './example-calls.ts'
import { type ExampleState, isRunning, STAGES } from './example-state.ts'
import { exampleText as text } from './example-text.ts'

/** The last call, step by step, and its response, which is there only after the charge. */
export function CallSteps({ state }: { state: ExampleState }) {
  const { api, chosen, calls, stage } = state
  const call = calls.at(-1)!
  const words = call.status === 200 ? text.call.steps : text.call.refused
  return (
    <>
      <p className="truncate font-mono text-small">
        GET /v1/{api.id}
        {api.operations[chosen]?.example}
      </p>
      <ol className="mt-3 space-y-1">
        {STAGES.map((name, index) => (
          <li
            key={name}
            className={clsx(
              'flex items-center gap-2 transition-opacity duration-200',
              index > stage ? 'opacity-0' : name === 'charge' ? 'font-strong text-accent' : 'text-ink',
            )}
          >
            {call.status === 402 && (name === 'credits' || name === 'api') ? (
              <X aria-hidden="true" className="size-4 shrink-0 text-danger" />
            ) : (
              <Check aria-hidden="true" className="size-4 shrink-0 text-success" />
            )}
            {name === 'charge' ? words.charge(text.endpoint.credits(call.charged)) : words[name]}
          </li>
        ))}
      </ol>
      <pre
        className={clsx(
          'mt-3 overflow-hidden rounded-control bg-sunken p-2.5 font-mono text-small leading-5 transition-opacity duration-200',
          isRunning(state) && 'opacity-0',
        )}
      >
        {responseOf(call)}
      </pre>
    </>
  )
}

/** The headers that a call through Finmeter has; its receipt is an example. */
const responseOf = ({ status, charged, remaining, receipt }: ExampleCall): string =>
  [
    status === 200 ? 'HTTP/1.1 200 OK' : 'HTTP/1.1 402 Payment Required',
    `X-Credits-Charged: ${charged}`,
    `X-Credits-Remaining: ${remaining}`,
    receipt === null ? '{"code": "insufficient_credits", …' : `X-Receipt-Id: example-${receipt}`,
  ].join('\n')
