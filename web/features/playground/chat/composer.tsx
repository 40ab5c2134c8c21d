import { ArrowUp } from 'lucide-react'
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { playgroundText as text } from '../text.ts'

const minHeightPx = 40
const maxHeightPx = 120

/** A textarea that grows from 40 to 120 px. Enter sends, Shift+Enter adds a newline; blank text is not sent. */
export function Composer({
  disabled,
  busy,
  onSend,
}: {
  disabled: boolean
  /** Typing is allowed, sending is not. */
  busy: boolean
  onSend: (line: string) => Promise<void>
}) {
  const [line, setLine] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  const blank = line.trim() === ''

  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is what changes the height
  useLayoutEffect(() => {
    const area = field.current
    if (!area) return
    area.style.height = `${minHeightPx}px`
    area.style.height = `${Math.min(maxHeightPx, Math.max(minHeightPx, area.scrollHeight))}px`
  }, [line])

  const submit = () => {
    if (blank || disabled || busy) return
    setLine('')
    void onSend(line)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }

  return (
    <form
      className="flex items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <textarea
        ref={field}
        aria-label="Message"
        rows={1}
        value={line}
        disabled={disabled}
        placeholder={disabled ? text.placeholderOff : text.placeholder}
        onChange={(event) => setLine(event.target.value)}
        onKeyDown={onKeyDown}
        className="max-h-30 min-h-10 w-full resize-none rounded-control border border-line-strong bg-surface px-3 py-[9px] text-body placeholder:text-muted disabled:bg-sunken disabled:text-muted pointer-coarse:text-prose"
      />
      <Button type="submit" look="primary" disabled={disabled || busy || blank} className="h-10">
        <ArrowUp aria-hidden="true" className="size-4" />
        {text.send}
      </Button>
    </form>
  )
}
