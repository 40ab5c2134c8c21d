import { existsSync } from 'node:fs'
import { chromium, type LaunchOptions } from '@playwright/test'
import { packagedChromium } from './packaged-chromium.ts'

const installed = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]
const quiet = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
  '--no-first-run',
  '--disable-gpu',
  '--disable-dev-shm-usage',
]

/** CHROMIUM_PATH, else an installed Chromium or Chrome, else the one from npm. */
export async function launchOptions(): Promise<LaunchOptions> {
  const found = process.env.CHROMIUM_PATH ?? installed.find((path) => existsSync(path))
  if (found) return { executablePath: found, args: quiet }
  const { executablePath, fontconfig } = await packagedChromium()
  return { executablePath, args: quiet, env: { ...process.env, FONTCONFIG_FILE: fontconfig } }
}

export const launch = async () => chromium.launch(await launchOptions())
