import type { Answer } from '../../features/answer/send-call.ts'
import { controls } from './form-fields.ts'

const place = (name: 'live' | 'failure') => document.querySelector<HTMLElement>(`[data-${name}]`)!

/** Replaces the sample with the response, and marks the field that an error names. */
export async function showResponse(form: HTMLFormElement, answer: Answer): Promise<void> {
  const { showAnswer } = await import('./show-answer.tsx')
  replaceSample('')
  showAnswer(place('live'), answer)
  place('live').scrollIntoView({ block: 'nearest' })
  const param = answer.status >= 400 ? (answer.body as { param?: unknown } | null)?.param : undefined
  for (const control of controls(form)) control.ariaInvalid = String(control.name === param)
}

/** Replaces the sample with a sentence: there is no response. */
export const showFailure = (sentence: string): void => replaceSample(sentence)

function replaceSample(failure: string): void {
  place('failure').textContent = failure
  place('live').hidden = failure !== ''
  document.querySelector<HTMLElement>('.docs-sample')!.hidden = true
}
