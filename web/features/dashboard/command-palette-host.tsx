import { useEffect, useState } from 'react'

type PaletteModule = typeof import('./command-palette.tsx')

export const openPaletteEvent = 'finmeter:commands'

/** Opens the palette on Ctrl K, ⌘ K or a button's event; the first one loads its code. */
export function CommandPaletteHost() {
  const [palette, setPalette] = useState<{ Palette: PaletteModule['CommandPalette'] } | null>(null)
  const [open, setOpen] = useState(false)
  useEffect(() => {
    const abort = new AbortController()
    const show = () => {
      setOpen(true)
      void import('./command-palette.tsx').then(({ CommandPalette }) => setPalette({ Palette: CommandPalette }))
    }
    addEventListener(openPaletteEvent, show, { signal: abort.signal })
    addEventListener(
      'keydown',
      (event) => {
        if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey)
          return
        event.preventDefault()
        show()
      },
      { signal: abort.signal },
    )
    return () => abort.abort()
  }, [])
  return palette && open ? <palette.Palette onClose={() => setOpen(false)} /> : null
}
