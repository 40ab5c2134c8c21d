import { clsx } from 'clsx'
import { type FormEvent, lazy, Suspense, useRef, useState } from 'react'
import { copyable } from '../../lib/clipboard.ts'
import { useSettings } from '../../lib/settings.ts'
import { shopSlug } from '../../lib/shop.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyTextButton } from '../../ui/copy/copy-text-button.tsx'
import { controlClass } from '../../ui/form/control-class.ts'
import type { Answer } from '../answer/send-call.ts'
import { httpRequest } from '../snippets/http-request.ts'
import { type Choice, choices } from './choices.ts'
import { recorded } from './recorded.ts'
import { homeText as text } from './text.ts'

/** Rendered by the server; its script comes after that of the first screen. */
const RestAnswer = lazy(() => import('../answer/rest-answer.tsx').then(({ RestAnswer }) => ({ default: RestAnswer })))

const DEMO_KEY = 'demo'
const codes = ['curl', 'javascript', 'python', 'mcp'] as const
type Code = (typeof codes)[number]

/** A call that a visitor chooses and makes: the code for it, the chart, the JSON and what it costs. */
export function LiveCall() {
  const { publicUrl, demoKey } = useSettings()
  const [choice, setChoice] = useState<Choice>(choices[0])
  const [answer, setAnswer] = useState<Answer>(recorded)
  const [waiting, setWaiting] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const [code, chooseCode] = useState<Code>('curl')
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

  const shownCode = codeOf(code, publicUrl, choice, demoKey ? DEMO_KEY : 'YOUR_API_KEY')
  return (
    <section
      aria-label={text.tryIt}
      className="min-w-0 rounded-card border border-line bg-surface shadow-raised lg:grid lg:grid-cols-[1fr_1.15fr] lg:divide-x lg:divide-line"
    >
      <div className="flex min-w-0 flex-col">
        {demoKey && (
          <div className="border-b border-line p-3">
            <Choices
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
        <div className="flex flex-1 flex-col px-3 pt-3 lg:pb-3">
          <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
            <Choices
              label={text.language}
              className="flex flex-wrap"
              options={codes.map((one) => ({
                name: text.codes[one],
                chosen: one === code,
                choose: () => chooseCode(one),
              }))}
            />
            {demoKey && (
              <Button
                look="primary"
                size="small"
                className="max-sm:w-full"
                busy={waiting}
                onClick={() => run(() => choice)}
              >
                {text.run}
              </Button>
            )}
          </div>
          <CodeBlock
            label={text.places[code]}
            action={
              <CopyTextButton
                look="quiet"
                size="small"
                value={copyable(shownCode)}
                label={text.copy}
                done={text.copied}
              />
            }
            code={shownCode}
            className="min-h-25 flex-1"
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

function codeOf(code: Code, publicUrl: string, choice: Choice, key: string): string {
  if (code !== 'mcp') return httpRequest(code, publicUrl + choice.path, key)
  return [
    `claude mcp add --transport http ${shopSlug()} "${publicUrl}/mcp?apikey=${key}"`,
    '',
    `> ${choice.tool} ${JSON.stringify(choice.arguments)}`,
  ].join('\n')
}

interface ChoicesProps {
  /** The group's name for screen readers. */
  label: string
  className: string
  options: { name: string; chosen: boolean; choose: () => void }[]
}

function Choices({ label, className, options }: ChoicesProps) {
  return (
    <fieldset className={clsx('gap-1.5', className)}>
      <legend className="sr-only">{label}</legend>
      {options.map(({ name, chosen, choose }) => (
        <Button
          key={name}
          size="small"
          aria-pressed={chosen}
          className="aria-pressed:border-accent-line aria-pressed:bg-accent-soft aria-pressed:text-accent"
          onClick={choose}
        >
          {name}
        </Button>
      ))}
    </fieldset>
  )
}
