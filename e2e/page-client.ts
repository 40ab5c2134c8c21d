import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'
import type { GoTrueClient } from '@supabase/auth-js'
import { build } from 'vite'

let bundle: Promise<string> | undefined

/** The unmodified auth client as one script for a page. */
const script = (): Promise<string> => {
  bundle ??= build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      lib: {
        entry: fileURLToPath(import.meta.resolve('@supabase/auth-js')),
        formats: ['iife'],
        name: 'AuthJs',
        fileName: 'auth-js',
      },
    },
  }).then((outputs) => {
    const [first] = [outputs].flat()
    if (!first || !('output' in first)) throw new Error('auth-js was not bundled')
    return first.output[0].code
  })
  return bundle
}

declare global {
  interface Window {
    pageClient: GoTrueClient
  }
}

/**
 * Adds another auth client to the page, on the same storage as the product's, like another tab. Tests use
 * `window.pageClient` in the page. It starts nothing by itself.
 */
export async function addClient(page: Page): Promise<void> {
  await page.evaluate(`${await script()}\nglobalThis.AuthJs = AuthJs`)
  await page.evaluate(() => {
    const { AuthClient } = (globalThis as unknown as { AuthJs: { AuthClient: typeof GoTrueClient } }).AuthJs
    window.pageClient = new AuthClient({
      url: `${location.origin}/auth/v1`,
      storageKey: 'supabase.auth.token',
      flowType: 'pkce',
      detectSessionInUrl: false,
      autoRefreshToken: false,
      persistSession: true,
    })
  })
}
