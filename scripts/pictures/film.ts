import type { Page } from '@playwright/test'
import { animatedWebp, type Frame } from './animated-webp.ts'

/** How long a picture stays at least. */
const LEAST_MS = 80

/** Draws the mouse, which screenshots leave out, on every page from now on. */
export const showMouse = (page: Page): Promise<unknown> => page.addInitScript(mouse)

const mouse = `addEventListener('DOMContentLoaded', () => {
  const dot = document.createElement('div')
  dot.style.cssText = 'position:fixed;z-index:9999;width:18px;height:18px;margin:-9px;border-radius:50%;background:rgb(14 116 144/55%);border:2px solid #fff;pointer-events:none;left:60%;top:60%;transition:left .35s,top .35s'
  document.documentElement.append(dot)
  addEventListener('mousemove', ({ clientX, clientY }) => {
    dot.style.left = clientX + 'px'
    dot.style.top = clientY + 'px'
  })
})`

/** Takes pictures of a page while `act` uses it, and makes one animated WebP of them. `width` and `height` are the page's. */
export async function film(page: Page, width: number, height: number, act: () => Promise<void>): Promise<Buffer> {
  const session = await page.context().newCDPSession(page)
  const shots: { png: string; atSeconds: number }[] = []
  session.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
    shots.push({ png: data, atSeconds: metadata.timestamp ?? Date.now() / 1000 })
    void session.send('Page.screencastFrameAck', { sessionId }).catch(() => {})
  })
  await session.send('Page.startScreencast', { format: 'png' })
  await act()
  await session.send('Page.stopScreencast')
  const endSeconds = Date.now() / 1000
  const frames: Frame[] = []
  for (const [at, { png, atSeconds }] of shots.entries()) {
    const durationMs = ((shots[at + 1]?.atSeconds ?? endSeconds) - atSeconds) * 1000
    const last = frames.at(-1)
    // The browser takes more pictures of a movement than anyone sees.
    if (last && last.durationMs < LEAST_MS) last.durationMs += durationMs
    else frames.push({ webp: await toWebp(page, png), durationMs })
  }
  return animatedWebp(frames, width, height)
}

async function toWebp(page: Page, png: string): Promise<Buffer> {
  const base64 = await page.evaluate(async (data) => {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
    const picture = await createImageBitmap(new Blob([bytes]))
    const canvas = document.createElement('canvas')
    canvas.width = picture.width
    canvas.height = picture.height
    canvas.getContext('2d')!.drawImage(picture, 0, 0)
    return canvas.toDataURL('image/webp', 0.6).split(',')[1]!
  }, png)
  return Buffer.from(base64, 'base64')
}
