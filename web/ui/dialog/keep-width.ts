/** Call before a modal dialog hides the page's scroll bar. Reserves its width, so that the page does not move. */
export function keepWidth(): void {
  const root = document.documentElement
  const width = innerWidth - root.clientWidth
  // With another dialog open, the scroll bar is hidden already.
  if (!document.querySelector('dialog[open]')) root.style.setProperty('--scrollbar-width', `${width}px`)
}
