import type { BrowserContext } from '@playwright/test'

/** Pages drawn with their own font, as all but a visitor's first one: it is optional, and a busy machine would draw the fallback. */
export async function drawFont(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    localStorage.setItem('finmeter.font', 'fetched')
    addEventListener('load', () => delete document.documentElement.dataset.font)
  })
  await context.route('**/*.css', async (route) => {
    const response = await route.fetch()
    const body = (await response.text()).replaceAll(/font-display:\s*optional/g, 'font-display:block')
    await route.fulfill({ response, body })
  })
}
