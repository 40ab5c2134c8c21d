import { expect, type Page } from '@playwright/test'
import { signInWithPlan } from './sign-in.ts'

export const path = '/dashboard/playground'
export const log = (page: Page) => page.getByRole('log')
export const message = (page: Page, text: string) => log(page).getByText(text, { exact: true })
export const field = (page: Page) => page.getByRole('textbox', { name: 'Message' })
export const chips = (page: Page, name: string) => page.getByRole('list', { name }).getByRole('button')

/** Signed in on the free plan, with 1,000 credits. */
export async function open(page: Page, baseURL: string, who: string, search = '') {
  await signInWithPlan(page, baseURL, who, `${path}${search}`)
  await connected(page)
}
export const connected = (page: Page) =>
  expect(page.getByRole('status').getByText('Connected', { exact: true })).toBeVisible()
export async function say(page: Page, line: string) {
  await field(page).fill(line)
  await field(page).press('Enter')
}
/** The tools that the page calls from now on. */
export function callsOf(page: Page): string[] {
  const calls: string[] = []
  page.on('request', (request) => {
    const [, tool] = /\/tools\/([^/]+)\/call$/.exec(new URL(request.url()).pathname) ?? []
    if (tool) calls.push(tool)
  })
  return calls
}
