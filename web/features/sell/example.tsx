import { clsx } from 'clsx'
import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { formatMoney } from '#contract/currency.ts'
import { Button } from '../../ui/button.tsx'
import { selectClass } from '../../ui/form/control-class.ts'
import { RangeField } from '../../ui/form/range-field.tsx'
import { addCommand } from './add-command.ts'
import { Command } from './command.tsx'
import { BOUGHT_CREDITS, CENTS_PER_CREDIT, revenueCents } from './example-calls.ts'
import { chargedCalls, type ExampleState, isRunning } from './example-state.ts'
import { CallSteps } from './example-steps.tsx'
import { exampleText as text } from './example-text.ts'
import { sample } from './sample.ts'
import { useExample } from './use-example.ts'

const MOST_CREDITS = 100
const SHOWN_OPERATIONS = 4
const MONTHLY_CALLS = 100_000

/** From a visitor's file to revenue, in four steps that follow from each other. A file may be dropped anywhere on it. */
export default function Example() {
  const example = useExample()
  const { state } = example
  const [over, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const [file] = event.dataTransfer.files
    if (file) void example.open(file)
  }
  return (
    <section
      aria-label={text.label}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={(event) => event.currentTarget.contains(event.relatedTarget as Node | null) || setOver(false)}
      onDrop={drop}
      className={clsx(
        'rounded-card border bg-surface shadow-raised transition-colors duration-150',
        over ? 'border-accent' : 'border-line',
      )}
    >
      <ol className="grid divide-y divide-line sm:grid-cols-2 lg:grid-cols-[1.15fr_1fr_1.2fr_0.85fr] lg:divide-x lg:divide-y-0">
        <Step title={text.file.title} number={1}>
          <FileStep state={state} over={over} open={example.open} useSample={example.useSample} />
        </Step>
        <Step title={text.endpoint.title} number={2}>
          <EndpointStep state={state} choose={example.choose} price={example.price} />
        </Step>
        <Step
          title={text.call.title}
          number={3}
          action={
            <Button size="small" busy={isRunning(state)} onClick={example.call}>
              {text.call.again}
            </Button>
          }
        >
          <CallSteps state={state} />
        </Step>
        <Step title={text.revenue.title} number={4}>
          <Revenue state={state} />
        </Step>
      </ol>
      <div className="border-t border-line px-4 py-3 sm:py-4">
        <Command label={text.command} code={addCommand(state)} />
        <p className="mt-2 text-small text-muted">{text.about}</p>
      </div>
    </section>
  )
}

interface StepProps {
  title: string
  number: number
  action?: ReactNode
  children: ReactNode
}

function Step({ title, number, action, children }: StepProps) {
  return (
    <li className="flex min-w-0 flex-col px-4 py-3 sm:py-4">
      <div className="mb-2 flex min-h-8 items-center gap-2 sm:mb-3">
        <span
          aria-hidden="true"
          className="grid size-6 shrink-0 place-items-center rounded-full bg-accent-soft text-small font-strong text-accent figures"
        >
          {number}
        </span>
        <h2 className="mr-auto font-strong">{title}</h2>
        {action}
      </div>
      {children}
    </li>
  )
}

interface FileStepProps {
  state: ExampleState
  over: boolean
  open: (file: File) => void
  useSample: () => void
}

function FileStep({ state: { file, api, problem }, over, open, useSample }: FileStepProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <div
        className={clsx(
          'rounded-control border border-dashed p-3 transition-colors duration-150',
          over ? 'border-accent bg-accent-soft' : 'border-line-strong',
        )}
      >
        <p className="mb-3 text-muted max-sm:hidden">{text.file.drop}</p>
        <div className="flex flex-wrap gap-2">
          <Button size="small" onClick={() => input.current?.click()}>
            {text.file.choose}
          </Button>
          <Button size="small" look="quiet" onClick={useSample}>
            {text.file.sample}
          </Button>
        </div>
        <input
          ref={input}
          type="file"
          hidden
          aria-label={text.file.choose}
          accept=".json,.yaml,.yml"
          onChange={({ target }) => {
            const [given] = target.files ?? []
            if (given) open(given)
            // So that the same file can be chosen again after it has changed.
            target.value = ''
          }}
        />
      </div>
      <div className="mt-3" aria-live="polite">
        {problem ? (
          <p className="text-danger [overflow-wrap:anywhere]">{problem}</p>
        ) : (
          <>
            <p className="truncate">
              <span className="font-strong">{api.title}</span>{' '}
              <span className="text-muted">{file === sample.name ? <SampleLink /> : file}</span>
            </p>
            <ul className="mt-2 space-y-0.5 font-mono text-small text-muted max-sm:hidden">
              {api.operations.slice(0, SHOWN_OPERATIONS).map(({ name }) => (
                <li key={name} className="truncate">
                  {name}
                </li>
              ))}
            </ul>
            <p className="mt-1 text-small text-muted sm:mt-2">
              {text.file.sold(api.operations.length)}
              {api.left > 0 && `, ${text.file.left(api.left)}`}
            </p>
          </>
        )}
      </div>
    </>
  )
}

/** The sample as a file, so that the command below can be tried with it. */
const SampleLink = () => (
  <a
    href={`data:application/json,${encodeURIComponent(JSON.stringify(sample.document))}`}
    download={sample.name}
    className="underline underline-offset-2"
  >
    {sample.name}
  </a>
)

interface EndpointStepProps {
  state: ExampleState
  choose: (chosen: number) => void
  price: (credits: number) => void
}

function EndpointStep({ state: { api, chosen, price: credits }, choose, price }: EndpointStepProps) {
  return (
    <>
      <select
        aria-label={text.endpoint.operation}
        value={chosen}
        onChange={({ target }) => choose(Number(target.value))}
        className={selectClass}
      >
        {api.operations.map(({ name }, index) => (
          <option key={name} value={index}>
            {name}
          </option>
        ))}
      </select>
      <p className="mt-2 truncate text-muted max-sm:hidden">{api.operations[chosen]?.title}</p>
      <div className="mt-3 sm:mt-4">
        <RangeField
          label={text.endpoint.price}
          value={credits}
          min={1}
          max={MOST_CREDITS}
          shown={text.endpoint.credits(credits)}
          onChange={price}
        />
        <p className="mt-1 text-title font-strong figures">{text.endpoint.money(credits * CENTS_PER_CREDIT)}</p>
        <p className="mt-1 text-small text-muted">{text.endpoint.worth}</p>
      </div>
    </>
  )
}

function Revenue({ state }: { state: ExampleState }) {
  const charged = chargedCalls(state)
  const month = formatMoney(state.price * CENTS_PER_CREDIT * MONTHLY_CALLS, 'usd')
  const remaining = charged.at(-1)?.remaining ?? BOUGHT_CREDITS
  return (
    <div className="flex flex-1 justify-between gap-x-8 gap-y-4 sm:flex-col">
      <div>
        <p className="text-display font-strong figures">{formatMoney(revenueCents(charged), 'usd', true)}</p>
        <p className="mt-1 text-muted">{text.revenue.calls(charged.filter(({ status }) => status === 200).length)}</p>
      </div>
      <dl className="space-y-3 sm:space-y-4">
        <div>
          <dt className="text-muted">{text.revenue.remaining}</dt>
          <dd className="figures">
            {text.revenue.left(remaining, BOUGHT_CREDITS)}
            <span aria-hidden="true" className="mt-1.5 block h-1.5 rounded-full bg-sunken">
              <span
                style={{ width: `${(remaining / BOUGHT_CREDITS) * 100}%` }}
                className="block h-full rounded-full bg-accent transition-[width] duration-200"
              />
            </span>
          </dd>
        </div>
        <div>
          <dt className="text-muted">{text.revenue.month}</dt>
          <dd className="text-title font-strong figures">{month}</dd>
          <dd className="mt-1 text-small text-balance text-muted">{text.revenue.share}</dd>
        </div>
      </dl>
    </div>
  )
}
