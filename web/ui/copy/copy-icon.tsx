import { Check, Copy } from 'lucide-react'

export function CopyIcon({ copied }: { copied: boolean }) {
  return copied ? (
    <Check aria-hidden="true" className="size-4 text-success" />
  ) : (
    <Copy aria-hidden="true" className="size-4" />
  )
}
