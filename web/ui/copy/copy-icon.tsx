import { Check, Copy } from '../icons/public.ts'

/** `plain`: the tick has the color of the button's text, on buttons where green would be too faint. */
export function CopyIcon({ copied, plain = false }: { copied: boolean; plain?: boolean }) {
  return copied ? (
    <Check aria-hidden="true" className={plain ? 'size-4' : 'size-4 text-success'} />
  ) : (
    <Copy aria-hidden="true" className="size-4" />
  )
}
