const VISIBLE_MS = 5000

let hiding: ReturnType<typeof setTimeout> | undefined

/** Shows a message at the bottom of the page and announces it to screen readers. */
export function notify(text: string): void {
  const notice = document.getElementById('notice')!
  notice.textContent = text
  clearTimeout(hiding)
  hiding = setTimeout(() => {
    notice.textContent = ''
  }, VISIBLE_MS)
}
