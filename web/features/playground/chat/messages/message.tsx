import { clsx } from 'clsx'
import { lazy, memo, Suspense } from 'react'
import { formatClock } from '../../../../lib/format.ts'
import { visible } from '../../../../lib/visible.ts'
import { Button } from '../../../../ui/button.tsx'
import { CopyButton } from '../../../../ui/copy/copy-button.tsx'
import { CopyIcon } from '../../../../ui/copy/copy-icon.tsx'
import { useCopy } from '../../../../ui/copy/use-copy.ts'
import { Info } from '../../../../ui/icons/answer.ts'
import { CircleCheck, CircleX, Link2, User } from '../../../../ui/icons/dashboard.ts'
import { Bot, Server, TriangleAlert } from '../../../../ui/icons/docs.ts'
import { Skeleton } from '../../../../ui/skeleton.tsx'
import { tooltip } from '../../../../ui/tooltip/tooltip.ts'
import { shareLink } from '../../share-link.ts'
import { playgroundText as text } from '../../text.ts'
import type { Preferences } from '../../use-preferences.ts'
import { SuggestionChips } from '../suggestions/suggestion-chips.tsx'
import type { Suggestion } from '../suggestions/suggestions.ts'
import { CallFacts } from './call-facts.tsx'
import type { ChatMessage, MessageType } from './messages.ts'

const AnswerView = lazy(() => import('../../../answer/answer-view.tsx').then((made) => ({ default: made.AnswerView })))

const looks: Record<MessageType, { icon: typeof User; word: string; color: string }> = {
  user: { icon: User, word: 'You', color: 'text-accent' },
  system: { icon: Server, word: 'System', color: 'text-muted' },
  success: { icon: CircleCheck, word: 'Success', color: 'text-success' },
  error: { icon: CircleX, word: 'Error', color: 'text-danger' },
  warning: { icon: TriangleAlert, word: 'Warning', color: 'text-warning' },
  info: { icon: Info, word: 'Info', color: 'text-accent' },
  assistant: { icon: Bot, word: 'Assistant', color: 'text-ink' },
}

export interface MessageActions {
  priceOf: (suggestion: Suggestion) => string | null
  onChoose: (suggestion: Suggestion) => void
  onShowEntry: (id: string) => void
}

interface MessageProps extends MessageActions {
  message: ChatMessage
  /** It says more of what went wrong above it. */
  follows?: boolean
  openAs: Preferences['openAs']
}

/**
 * One message: the user's on the right in a bubble, all others on the left. Texts have a readable width; tables and charts
 * may be wider. Memoized: messages never change. Off-screen messages skip layout.
 */
export const Message = memo(function Message({ message, follows = false, openAs, ...actions }: MessageProps) {
  const { id, type, content, timestamp, data, call, suggestions } = message
  const { icon: Icon, word, color } = looks[type]
  const own = type === 'user'
  return (
    <article
      data-type={type}
      data-message={id}
      className={clsx(
        'group/message mx-auto w-full max-w-[60rem] p-0.5 [contain-intrinsic-size:auto_4rem] [content-visibility:auto]',
        follows && '-mt-3',
      )}
    >
      <div className={clsx('mx-auto flex max-w-[45rem] items-start gap-x-2', own && 'flex-row-reverse')}>
        <header className={clsx('flex h-5 flex-none items-center', own && 'mt-2', color)}>
          <Icon aria-hidden="true" className={clsx('size-4', follows && 'invisible')} />
          <span className="sr-only">{word}</span>
        </header>
        <div className={clsx('min-w-0', own ? 'max-w-[85%]' : 'flex flex-1 flex-wrap gap-x-3')}>
          <p
            className={clsx(
              'break-words whitespace-pre-wrap',
              own && 'rounded-card rounded-tr-[4px] border border-accent-line bg-accent-soft px-3 py-2',
              (type === 'system' || (type === 'success' && call)) && 'text-muted',
              type === 'error' && (follows ? 'text-muted' : 'text-danger'),
              type === 'warning' && follows && 'text-muted',
            )}
          >
            {visible(content)}
          </p>
          {call && <CallFacts call={call} refused={type === 'error'} onShowEntry={actions.onShowEntry} />}
        </div>
        <MessageTools type={type} content={content} timestamp={timestamp} />
      </div>
      {data !== undefined && !isOnlyText(type, data) && (
        <div className="mx-auto mt-2 max-w-[45rem] sm:pl-6">
          <Suspense fallback={<Skeleton className="h-52" />}>
            <AnswerView data={data} openAs={openAs} />
          </Suspense>
        </div>
      )}
      {suggestions && (
        <SuggestionChips
          label={text.suggestions}
          suggestions={suggestions}
          priceOf={actions.priceOf}
          onChoose={actions.onChoose}
          className="mx-auto mt-2 max-w-[45rem] pl-6"
        />
      )}
    </article>
  )
})

/** An error without data: the message is its text. */
const isOnlyText = (type: MessageType, data: unknown) =>
  type === 'error' && (data as { structuredContent?: unknown } | null)?.structuredContent === undefined

/** Time, copying and linking. Shown with the pointer or the focus on the message, and always on touch screens. */
function MessageTools({ type, content, timestamp }: Pick<ChatMessage, 'type' | 'content' | 'timestamp'>) {
  return (
    <div
      className={clsx(
        'flex h-5 flex-none items-center text-small text-muted opacity-0 transition-opacity duration-150 group-focus-within/message:opacity-100 group-hover/message:opacity-100 pointer-coarse:h-11 pointer-coarse:opacity-100',
        type === 'user' && 'mt-2',
      )}
    >
      <time dateTime={timestamp.toISOString()} className="figures max-sm:sr-only">
        {formatClock(timestamp, 'second')}
      </time>
      {type !== 'system' && <CopyButton value={content} label={text.copyMessage} done={text.copied} />}
      {type === 'user' && <LinkButton ask={content} />}
    </div>
  )
}

function LinkButton({ ask }: { ask: string }) {
  const { copied, copy } = useCopy()
  return (
    <Button
      look="quiet"
      size="icon"
      aria-label={text.copyLink}
      onClick={() => void copy(shareLink(location.origin, { ask }), text.linkCopied)}
      {...tooltip(text.copyLinkAbout)}
    >
      {copied ? <CopyIcon copied /> : <Link2 aria-hidden="true" className="size-4" />}
    </Button>
  )
}
