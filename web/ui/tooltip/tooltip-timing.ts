export const openDelayMs = 700
/** After one closes, the next opens immediately within this time. */
export const skipDelayMs = 300
/** Time to move the pointer from the control to its tooltip. */
const closeDelayMs = 100

interface Timing<T> {
  /** The pointer rests on a target. */
  enter: (target: T) => void
  /** The keyboard focuses a target: opens without delay. */
  focus: (target: T) => void
  /** The pointer left. */
  leave: () => void
  /** A target lost the focus: one that the pointer rests on elsewhere still opens. */
  blur: (target: T) => void
  /** Escape, a press or scrolling: closes now. */
  dismiss: () => void
}

/** Tooltip timing. `show` gets the target, or null to hide. */
export function tooltipTiming<T>(show: (target: T | null) => void): Timing<T> {
  let current: T | null = null
  let closedAt = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined

  const open = (target: T) => {
    current = target
    show(target)
  }
  const close = () => {
    clearTimeout(timer)
    if (current === null) return
    current = null
    closedAt = Date.now()
    show(null)
  }
  const leave = () => {
    clearTimeout(timer)
    timer = setTimeout(close, closeDelayMs)
  }
  return {
    enter: (target) => {
      clearTimeout(timer)
      if (target === current) return
      const atOnce = current !== null || Date.now() - closedAt < skipDelayMs
      if (atOnce) open(target)
      else timer = setTimeout(() => open(target), openDelayMs)
    },
    focus: (target) => {
      clearTimeout(timer)
      if (target !== current) open(target)
    },
    leave,
    blur: (target) => {
      if (target === current) leave()
    },
    dismiss: close,
  }
}
