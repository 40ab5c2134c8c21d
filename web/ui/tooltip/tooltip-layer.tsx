import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { tooltipTiming } from './tooltip-timing.ts'

const gapPx = 6
const edgePx = 8

const targetOf = (event: Event) =>
  event.target instanceof Element ? event.target.closest<HTMLElement>('[data-tooltip]') : null

/** Shows the tooltip of the control under the pointer or with keyboard focus. One for the whole page. */
export function TooltipLayer() {
  const [target, setTarget] = useState<HTMLElement | null>(null)
  const ref = useRef<HTMLDivElement>(null)

  useEffect(() => {
    const timing = tooltipTiming<HTMLElement>(setTarget)
    const abort = new AbortController()
    const on = (type: string, listener: (event: Event) => void) =>
      document.addEventListener(type, listener, { signal: abort.signal, capture: true, passive: true })
    on('pointerover', (event) => {
      if ((event as PointerEvent).pointerType === 'touch' || ref.current?.contains(event.target as Node)) return
      const found = targetOf(event)
      if (found) timing.enter(found)
      else timing.leave()
    })
    on('focusin', (event) => {
      const found = targetOf(event)
      if (found?.matches(':focus-visible')) timing.focus(found)
    })
    on('focusout', (event) => {
      const found = targetOf(event)
      if (found) timing.blur(found)
    })
    on('pointerdown', timing.dismiss)
    on('scroll', timing.dismiss)
    on('keydown', (event) => (event as KeyboardEvent).key === 'Escape' && timing.dismiss())
    return () => {
      abort.abort()
      timing.dismiss()
    }
  }, [])

  useLayoutEffect(() => {
    const tip = ref.current
    if (!target?.isConnected || !tip) return
    tip.showPopover()
    place(tip, target)
    const described = target.getAttribute('aria-describedby')
    target.setAttribute('aria-describedby', 'tooltip')
    return () => {
      if (described === null) target.removeAttribute('aria-describedby')
      else target.setAttribute('aria-describedby', described)
    }
  }, [target])

  if (!target) return null
  return (
    // A popover is above everything, modal dialogs included.
    <div
      ref={ref}
      id="tooltip"
      role="tooltip"
      popover="manual"
      className="tooltip max-w-64 animate-fade-in rounded-control bg-ink px-2.5 py-1.5 text-small text-surface shadow-raised"
    >
      {target.dataset.tooltip}
    </div>
  )
}

/** Next to the target on its side, inside the window; below it if there is no room above. */
function place(tip: HTMLElement, target: HTMLElement): void {
  const { width, height } = tip.getBoundingClientRect()
  const box = target.getBoundingClientRect()
  const clamp = (value: number, size: number, room: number) => Math.min(Math.max(edgePx, value), room - size - edgePx)
  const right = target.dataset.tooltipSide === 'right' && box.right + gapPx + width + edgePx <= innerWidth
  const above = box.top - gapPx - height
  const left = right ? box.right + gapPx : clamp(box.left + box.width / 2 - width / 2, width, innerWidth)
  const top = right ? box.top + box.height / 2 - height / 2 : above >= edgePx ? above : box.bottom + gapPx
  tip.style.left = `${left}px`
  tip.style.top = `${clamp(top, height, innerHeight)}px`
}
