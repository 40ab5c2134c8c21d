import { initialData } from './initial-data.ts'
import type { Settings } from './settings.ts'

/** The brand that the build draws. */
const OWN_NAME = 'Finmeter'

let known: Settings['shop'] | null = null

/** For pages that came without settings, once these are loaded. */
export function rememberShop(shop: Settings['shop']): void {
  known = shop
}

/** How this installation names itself; null before the settings are known. Components read `useSettings().shop`. */
export const shopNow = (): Settings['shop'] | null => initialData()?.settings.shop ?? known

export const shopName = (): string => shopNow()?.name ?? OWN_NAME

/** The name in configuration and file names. */
export const shopSlug = (): string => shopNow()?.slug ?? 'finmeter'
