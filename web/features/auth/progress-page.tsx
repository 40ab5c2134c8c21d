import { ShopLogo } from '../../layout/shop-logo.tsx'
import { Spinner } from '../../ui/spinner.tsx'

/** A page with a spinner and the current step. */
export function ProgressPage({ text }: { text: string }) {
  return (
    <main className="grid min-h-dvh place-items-center px-4">
      <div role="status" className="flex flex-col items-center gap-4 text-center">
        <ShopLogo />
        <Spinner className="size-6 text-muted" />
        <p className="text-muted">{text}</p>
      </div>
    </main>
  )
}
