export type Theme = 'system' | 'light' | 'dark'

/** Read by the inline script of index.html before the first paint. */
const storageKey = 'finmeter.theme'

export function readTheme(): Theme {
  const theme = document.documentElement.dataset.theme
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

/** Applies a theme and stores it; 'system' follows the device. */
export function setTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  try {
    if (theme === 'system') localStorage.removeItem(storageKey)
    else localStorage.setItem(storageKey, theme)
  } catch {
    // Storage may be blocked; the choice then lasts for this page.
  }
}
