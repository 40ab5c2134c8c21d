import { notFound } from '@tanstack/react-router'
import { loadSettings } from './settings.ts'

/** For pages about the software and its demonstration, which a named shop does not advertise. */
export async function onlyUnnamed(): Promise<void> {
  if ((await loadSettings()).shop.named) throw notFound()
}
