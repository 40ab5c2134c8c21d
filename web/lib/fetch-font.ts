import fontUrl from '@fontsource-variable/geist/files/geist-latin-wght-normal.woff2?url'

/**
 * Fetches the text font for the next page if this dashboard page went without it (read-early.ts). A page that has it, or
 * could not wait for it, keeps its look: text would jump.
 */
export async function fetchFont(): Promise<void> {
  try {
    const isLater = document.documentElement.dataset.font === 'later'
    if (isLater && !(await fetch(fontUrl, { credentials: 'omit', priority: 'low' })).ok) return
    localStorage.setItem('finmeter.font', 'fetched')
  } catch {
    // Without network or storage, the next page tries again.
  }
}
