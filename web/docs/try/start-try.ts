import { type Call, sendCall } from '../../features/answer/send-call.ts'
import { code } from '../../features/snippets/code.ts'
import type { Language } from '../../features/snippets/languages.ts'
import { copyText } from '../../lib/clipboard.ts'
import { notify } from '../notice.ts'
import { DEMO_KEY, hasDemoKey, type ReaderKeys, STAND_IN } from '../reader-keys.ts'
import { buildCall } from './build-call.ts'
import { controls, readFields, showValues } from './form-fields.ts'
import { keyNote } from './key-note.ts'
import { sharedQuery, sharedValues } from './shared-address.ts'
import { showFailure, showResponse } from './show-response.ts'
import { tryText as text } from './text.ts'

/**
 * Makes the form of a reference page work: the request follows the fields, the page's URL keeps them, and Run
 * sends the call with the reader's key, or else the demo key.
 */
export function startTry(form: HTMLFormElement, keys: ReaderKeys): void {
  const { method = '', path = '', origin = '', tool = '', body } = form.dataset
  const button = document.querySelector<HTMLButtonElement>('[data-run]')!
  const note = document.querySelector<HTMLElement>('[data-key-note]')!
  const isOpen = hasDemoKey()
  let isExample = true
  /** Whether the request is no longer the one that the server sent. */
  let isWritten = false

  const call = (): Call => buildCall(method, path, readFields(form), body)
  const showRequest = () => {
    const made = tryTo(call)
    if (!made) return
    isWritten = true
    for (const pre of document.querySelectorAll<HTMLElement>('#request ~ .docs-code pre'))
      pre.firstElementChild!.replaceChildren(
        ...colored(
          code(
            pre.dataset.language as Language,
            { tool, template: path },
            origin + made.path,
            keys.current()?.shown ?? (isOpen ? DEMO_KEY : STAND_IN),
            made.body,
            { method: made.method, headers: made.headers },
          ),
        ),
      )
  }
  const showKey = () => {
    const key = keys.current()?.value ?? (isOpen ? DEMO_KEY : null)
    button.disabled = key === null
    note.replaceChildren(...keyNote(keys.current()?.name ?? null, isOpen))
  }
  const changed = (example: boolean) => {
    isExample = example
    const address = location.pathname + sharedQuery(location.search, readFields(form), isExample) + location.hash
    history.replaceState(history.state, '', address)
    showRequest()
  }

  const shared = sharedValues(
    location.search,
    readFields(form).map(({ name }) => name),
  )
  if (shared) {
    showValues(form, shared)
    isExample = false
    showRequest()
  }
  showKey()
  keys.watch(() => {
    showKey()
    if (isWritten) showRequest()
  })
  for (const control of controls(form)) control.addEventListener('input', () => changed(false))
  // The fields have their values after this event.
  form.addEventListener('reset', () => setTimeout(() => changed(true)))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void run()
  })
  document.querySelector('[data-share]')?.addEventListener('click', async () => {
    notify((await copyText(location.href)) ? text.linkCopied : text.copyRefused)
  })

  let latest: AbortController | undefined
  /** Only the last press counts: responses to earlier ones are dropped. */
  async function run(): Promise<void> {
    const key = keys.current()?.value ?? DEMO_KEY
    const made = tryTo(call)
    if (!made) return showFailure(text.notJson)
    latest?.abort()
    latest = new AbortController()
    const { signal } = latest
    button.ariaBusy = 'true'
    try {
      const answer = await sendCall(made, key, signal)
      if (!signal.aborted) await showResponse(form, answer)
    } catch {
      if (!signal.aborted) showFailure(text.noResponse)
    } finally {
      if (!signal.aborted) button.ariaBusy = null
    }
  }
}

/** Code with its strings highlighted: the other colors would need a library. */
const colored = (code: string): (string | Node)[] =>
  code.split(/("[^"\n]*"|'[^'\n]*')/).map((part, index) => {
    if (index % 2 === 0) return part
    const string = document.createElement('span')
    string.className = 't-string'
    // An address breaks after a slash or before its query.
    for (const [at, piece] of part.split(/(?<=[^:/]\/)|(?=[?&])/).entries())
      string.append(...(at > 0 ? [document.createElement('wbr')] : []), piece)
    return string
  })

/** Null if a field has invalid JSON. */
function tryTo(call: () => Call): Call | null {
  try {
    return call()
  } catch {
    return null
  }
}
