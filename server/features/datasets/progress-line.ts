import type { WriteStream } from 'node:tty'

const REDRAW_MS = 100
const WIDTH = 30

/** A progress bar on a terminal, redrawn in place; silent elsewhere. */
export function progressLine(out: WriteStream): {
  show: (bytes: number, ofBytes: number | null) => void
  end: () => void
} {
  let drawnAtMs = 0
  let drawn = false
  return {
    show(bytes, ofBytes) {
      if (!out.isTTY || performance.now() - drawnAtMs < REDRAW_MS) return
      drawnAtMs = performance.now()
      drawn = true
      out.write(`\r${progressText(bytes, ofBytes)}`)
    },
    end() {
      if (drawn) out.write('\n')
    },
  }
}

/** `[######----] 61 %  12.3 of 20.1 MB`, or only the bytes if the total is unknown. */
export function progressText(bytes: number, ofBytes: number | null): string {
  const megabytes = (value: number) => (value / 1e6).toFixed(1)
  if (!ofBytes) return `${megabytes(bytes)} MB`
  const part = Math.min(1, bytes / ofBytes)
  const full = Math.round(part * WIDTH)
  return `[${'#'.repeat(full)}${'-'.repeat(WIDTH - full)}] ${Math.floor(part * 100)} %  ${megabytes(bytes)} of ${megabytes(ofBytes)} MB`
}

/** `12 of 37  2003`, redrawn in place on a terminal; silent elsewhere. */
export function progressOfRequests(out: WriteStream): {
  show: (done: number, planned: number, part: string) => void
  end: () => void
} {
  let drawn = false
  return {
    show(done, planned, part) {
      if (!out.isTTY) return
      drawn = true
      out.write(`\r${done + 1} of ${planned}  ${part}`.padEnd(60))
    },
    end() {
      if (drawn) out.write('\n')
    },
  }
}
