import { copyable, copyText } from '../lib/clipboard.ts'
import { notify } from './notice.ts'
import type { ReaderKeys } from './reader-keys.ts'

const TICK_MS = 2000
const refused = 'Failed to copy to clipboard. Please copy manually.'

/** Copy buttons of code blocks, and "Copy page", which copies the page's Markdown. */
export function startCopying(keys: ReaderKeys): void {
  document.addEventListener('click', async (event) => {
    const target = event.target as Element
    const code = target.closest<HTMLButtonElement>('[data-copy-code]')
    if (code) return finish(code, await copyText(keys.withKey(codeOf(code))), 'Code copied to clipboard')
    const page = target.closest<HTMLButtonElement>('[data-copy-page]')
    if (page) return finish(page, await copyPage(page.dataset.copyPage!), 'Page copied to clipboard as Markdown')
  })
}

/** The text of the block, or of its visible tab. */
function codeOf(button: HTMLElement): string {
  const pre = button.closest('.docs-code')!.querySelector<HTMLElement>('pre:not([data-off])')!
  return copyable((pre.textContent ?? '').trimEnd())
}

async function copyPage(path: string): Promise<boolean> {
  const response = await fetch(path).catch(() => null)
  return response?.ok ? copyText(await response.text()) : false
}

function finish(button: HTMLButtonElement, done: boolean, text: string): void {
  notify(done ? text : refused)
  if (!done) return
  button.dataset.done = ''
  setTimeout(() => delete button.dataset.done, TICK_MS)
}
