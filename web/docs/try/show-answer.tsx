import { flushSync } from 'react-dom'
import { createRoot, type Root } from 'react-dom/client'
import { RestAnswer } from '../../features/answer/rest-answer.tsx'
import type { Answer } from '../../features/answer/send-call.ts'
import { toastStore } from '../../ui/toast/toast-store.ts'
import { notify } from '../notice.ts'

let root: Root | undefined

/** Draws the response as the application draws it. A page loads this with the first press of Run. */
export function showAnswer(place: HTMLElement, answer: Answer): void {
  if (!root) {
    root = createRoot(place)
    toastStore.subscribe(() => notify(toastStore.read()?.title ?? ''))
  }
  flushSync(() => root!.render(<RestAnswer answer={answer} />))
}
