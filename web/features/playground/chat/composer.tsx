import {
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { Button } from '../../../ui/button.tsx'
import { ArrowUp } from '../../../ui/icons/answer.ts'
import { playgroundText as text } from '../text.ts'
import type { Places } from '../use-kept-scroll.ts'
import { typedName } from './language/typed-name.ts'
import type { LookUp } from './look-up/look-up.ts'
import { SymbolMatches } from './look-up/symbol-matches.tsx'
import { useMatches } from './look-up/use-look-up.ts'

const minHeightPx = 40
const maxHeightPx = 120

/** Lets other components put text into the composer. */
export interface ComposerHandle {
  fill: (line: string) => void
  insert: (word: string) => void
}

interface ComposerProps {
  ref: Ref<ComposerHandle>
  disabled: boolean
  /** Typing is allowed, sending is not. */
  busy: boolean
  /** Earlier messages, newest last. */
  sent: readonly string[]
  /** Keeps the draft while other tabs are open. */
  places: Places
  /** Finds symbols while a name is typed; null switches that off. */
  lookUp: LookUp | null
  placeholder: string
  onSend: (line: string) => Promise<void>
  /** Escape, when there is nothing to close. */
  onEscape: () => void
  /** Below the text. */
  children: ReactNode
}

/**
 * A textarea that grows from 40 to 120 px. Enter sends, Shift+Enter adds a newline; blank text is not sent. The up arrow
 * recalls earlier messages, the down arrow goes to the symbols that match what is typed.
 */
export function Composer({
  ref,
  disabled,
  busy,
  sent,
  places,
  lookUp,
  placeholder,
  onSend,
  onEscape,
  children,
}: ComposerProps) {
  const [line, setLine] = useState(places.draft)
  /** Counts back from the newest message while earlier ones are recalled. */
  const [recalled, setRecalled] = useState<number | null>(null)
  /** The text that no symbols are searched for: it was closed with Escape, or not typed here. */
  const [closed, setClosed] = useState<string | null>(places.draft)
  const field = useRef<HTMLTextAreaElement>(null)
  const matchList = useRef<HTMLUListElement>(null)
  const blank = line.trim() === ''
  const name = recalled === null && closed !== line ? typedName(line) : null
  const found = useMatches(name?.query ?? null, lookUp)
  // A completely typed symbol needs no suggestion.
  const matches = name && !found.some(({ symbol }) => symbol === name.query.toUpperCase()) ? found : []

  const write = (next: string) => {
    places.draft = next
    setLine(next)
  }
  const fill = (next: string) => {
    write(next)
    // A link runs nothing, not even a free search.
    setClosed(next)
    setRecalled(null)
    field.current?.focus()
  }
  useImperativeHandle(ref, () => ({
    fill,
    insert: (word) => fill(`${line.trimEnd()}${blank ? '' : ' '}${word} `),
  }))

  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is what changes the height
  useLayoutEffect(() => {
    const area = field.current
    if (!area) return
    area.style.height = `${minHeightPx}px`
    area.style.height = `${Math.min(maxHeightPx, Math.max(minHeightPx, area.scrollHeight))}px`
  }, [line])

  const submit = () => {
    if (blank || disabled || busy) return
    write('')
    setRecalled(null)
    void onSend(line)
  }
  const recall = (back: number | null) => {
    setRecalled(back)
    write(back === null ? '' : (sent.at(-1 - back) ?? ''))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const { key, shiftKey } = event
    const take = (action: () => void) => {
      event.preventDefault()
      action()
    }
    if (key === 'Enter' && !shiftKey) take(submit)
    else if (key === 'Escape') {
      if (matches.length > 0) setClosed(line)
      else if (recalled !== null) recall(null)
      else onEscape()
    } else if (key === 'ArrowUp' && (blank || recalled !== null) && (recalled ?? -1) + 1 < sent.length)
      take(() => recall((recalled ?? -1) + 1))
    else if (key === 'ArrowDown' && recalled !== null) take(() => recall(recalled === 0 ? null : recalled - 1))
    else if (key === 'ArrowDown' && matches.length > 0) take(() => matchList.current?.querySelector('button')?.focus())
  }

  return (
    <form
      className="mx-auto w-full max-w-[45rem]"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <SymbolMatches
        ref={matchList}
        matches={matches}
        onChoose={(symbol) => fill(`${line.slice(0, name?.start ?? line.length)}${symbol} `)}
        onLeave={() => field.current?.focus()}
      />
      <div className="flex items-end gap-2 rounded-card border border-line-strong bg-surface p-1.5 outline-accent has-[textarea:disabled]:bg-sunken has-[textarea:focus-visible]:outline-2">
        <textarea
          ref={field}
          aria-label="Message"
          rows={1}
          value={line}
          disabled={disabled}
          placeholder={disabled ? text.placeholderOff : placeholder}
          onChange={(event) => {
            setRecalled(null)
            write(event.target.value)
          }}
          onKeyDown={onKeyDown}
          className="max-h-30 min-h-10 w-full resize-none rounded-control bg-transparent px-2 py-[10px] text-body outline-none placeholder:text-muted disabled:text-muted pointer-coarse:text-prose"
        />
        <Button type="submit" look="primary" disabled={disabled || busy || blank} className="h-10">
          <ArrowUp aria-hidden="true" className="size-4" />
          {text.send}
        </Button>
      </div>
      {children}
    </form>
  )
}
