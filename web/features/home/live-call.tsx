import { clsx } from 'clsx'
import { type FormEvent, lazy, Suspense, useRef, useState } from 'react'
import { useSettings } from '../../lib/settings.ts'
import { Button } from '../../ui/button.tsx'
import { controlClass } from '../../ui/form/control-class.ts'
import type { Answer } from '../answer/send-call.ts'
import { CallCode } from './call-code.tsx'
import { ChoiceButtons } from './choice-buttons.tsx'
import { type Choice, choices } from './choices.ts'
import { recorded } from './recorded.ts'
import { homeText as text } from './text.ts'

/** Rendered by the server; its script comes after that of the first screen. */
const RestAnswer = lazy(() => import('../answer/rest-answer.tsx').then(({ RestAnswer }) => ({ default: RestAnswer })))

const DEMO_KEY = 'demo'

/** A call that a visitor chooses and makes: the code for it, the chart, the JSON and what it costs. `chosen`: only the first, with curl. */
export function LiveCall({ chosen = false }: { chosen?: boolean }) {
  const { demoKey } = useSettings()
  const [choice, setChoice] = useState<Choice>(choices[0])
  const [answer, setAnswer] = useState<Answer>(recorded)
  const [waiting, setWaiting] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const latest = useRef<AbortController>(null)

  /** Only the last press counts: what an earlier one brings is dropped. */
  const begin = () => {
    latest.current?.abort()
    latest.current = new AbortController()
    setWaiting(true)
    setProblem(null)
    return latest.current.signal
  }
  const end = (signal: AbortSignal, change: () => void) => {
    if (signal.aborted) return
    setWaiting(false)
    change()
  }
  const run = async (find: (signal: AbortSignal) => Choice | Promise<Choice | null>, missing = '') => {
    const signal = begin()
    try {
      // Loaded when pressed: the page needs it only then.
      const { ask } = await import('./ask.ts')
      const next = await find(signal)
      const answered = next && (await ask(next, signal))
      end(signal, () => {
        if (!answered) return setProblem(missing)
        setChoice(next)
        setAnswer(answered)
      })
    } catch {
      end(signal, () => setProblem(text.unreachable))
    }
  }
  const search = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const query = String(new FormData(event.currentTarget).get('query')).trim()
    if (query === '') return
    await run(async (signal) => (await import('./ask.ts')).find(query, signal), text.nothingFound(query))
  }

  return (
    <section
      aria-label={text.tryIt}
      className={clsx(
        'min-w-0 rounded-card border border-line bg-surface shadow-raised',
        !chosen && 'lg:grid lg:grid-cols-[1fr_1.15fr] lg:divide-x lg:divide-line',
      )}
    >
      <div className="flex min-w-0 flex-col">
        {demoKey && !chosen && (
          <div className="border-b border-line p-3">
            <ChoiceButtons
              label={text.choose}
              className="grid grid-cols-2 sm:grid-cols-3"
              options={choices.map((one) => ({
                name: one.label,
                chosen: one.path === choice.path,
                choose: () => run(() => one),
              }))}
            />
            <search>
              <form onSubmit={search} className="mt-2 flex gap-2" aria-label={text.search}>
                <input
                  name="query"
                  aria-label={text.search}
                  placeholder={text.searchHint}
                  maxLength={80}
                  autoComplete="off"
                  className={controlClass}
                />
                <Button type="submit">{text.find}</Button>
              </form>
            </search>
            {problem && (
              <p role="alert" className="mt-2 text-danger">
                {problem}
              </p>
            )}
          </div>
        )}
        <div className={clsx('flex flex-1 flex-col px-3 pt-3', !chosen && 'lg:pb-3')}>
          <CallCode
            call={choice}
            apiKey={demoKey ? DEMO_KEY : 'YOUR_API_KEY'}
            languages={!chosen}
            action={
              demoKey && (
                <Button
                  look="primary"
                  size="small"
                  className={clsx(!chosen && 'max-sm:w-full')}
                  busy={waiting}
                  onClick={() => run(() => choice)}
                >
                  {text.run}
                </Button>
              )
            }
          />
        </div>
      </div>
      <div className="min-w-0 px-3 pb-3">
        <Suspense>
          <RestAnswer
            answer={answer}
            recorded={demoKey ? text.recorded : text.recordedOnly}
            {...(demoKey && { note: text.demoCost })}
          />
        </Suspense>
      </div>
    </section>
  )
}
