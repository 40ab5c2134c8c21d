import { answerParts } from '../../features/runner/answer-parts.ts'
import { answerText } from '../../features/runner/answer-text.ts'
import type { Answer } from '../../features/runner/send-call.ts'
import { runnerText } from '../../features/runner/text.ts'
import { controls } from './form-fields.ts'
import { tryText as text } from './text.ts'

/** The browser cannot render more of a response without stalling. */
const MOST_CHARACTERS = 200_000

/** An error as the API describes it (RFC 9457). */
interface Problem {
  type?: unknown
  detail?: unknown
  param?: unknown
  docs?: unknown
}

/** Replaces the sample with the response: status, time, cost and receipt, what went wrong, and the body. */
export function showResponse(form: HTMLFormElement, answer: Answer): void {
  const { status, receipt, body } = answer
  const badge = element('span', `docs-status ${status < 400 ? 'docs-good' : 'docs-bad'}`)
  badge.textContent = `${status} ${runnerText.statuses[status] ?? ''}`.trim()
  const facts = element('p', 'docs-facts')
  facts.append(badge, ...answerParts(answer).map((part) => element('span', '', part)))
  if (receipt) facts.append(element('code', '', receipt))
  const problem = status >= 400 ? (body as Problem | null) : null
  show(facts, ...(problem ? [problemLine(problem)] : []), bodyBlock(body))
  for (const control of controls(form)) control.ariaInvalid = String(control.name === problem?.param)
}

/** Replaces the sample with a sentence: there is no response. */
export const showFailure = (sentence: string): void => show(element('p', 'docs-problem', sentence))

function show(...parts: Node[]): void {
  const live = document.querySelector<HTMLElement>('[data-live]')!
  live.replaceChildren(...parts)
  document.querySelector<HTMLElement>('.docs-sample')!.hidden = true
}

function problemLine({ type, detail, docs }: Problem): HTMLElement {
  const line = element('p', 'docs-problem')
  line.append(element('code', '', String(type ?? '')), ` ${typeof detail === 'string' ? detail : ''} `)
  if (typeof docs === 'string' && docs.startsWith('/docs/')) {
    const link = element('a', '', text.aboutError)
    link.href = docs
    line.append(link)
  }
  return line
}

function bodyBlock(body: unknown): HTMLElement {
  const full = answerText(body)
  const block = element('div', 'docs-code')
  const pre = element('pre', '')
  pre.tabIndex = 0
  pre.role = 'region'
  pre.ariaLabel = text.body
  pre.append(
    element('code', '', full.length > MOST_CHARACTERS ? `${full.slice(0, MOST_CHARACTERS)}\n${text.cut}` : full),
  )
  block.append(pre)
  return block
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className: string,
  words = '',
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  if (className) made.className = className
  made.textContent = words
  return made
}
