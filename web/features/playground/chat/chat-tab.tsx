import { lazy, Suspense, useCallback, useEffect, useMemo, useRef } from 'react'
import type { ToolResult } from '#contract/playground.ts'
import { Button } from '../../../ui/button.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { ownServer } from '../own-server.ts'
import { playgroundText as text } from '../text.ts'
import type { Playground } from '../use-playground.ts'
import { Composer, type ComposerHandle } from './composer.tsx'
import { MessageList } from './messages/message-list.tsx'
import type { ChatMessage } from './messages/messages.ts'
import { ApprovalPanel } from './model/approval-panel.tsx'
import { QuestionPanel } from './question-panel.tsx'
import { quickTools } from './suggestions/quick-tools.ts'
import { SuggestionChips } from './suggestions/suggestion-chips.tsx'
import { followUps, priceOf, type Suggestion } from './suggestions/suggestions.ts'
import { Welcome } from './suggestions/welcome.tsx'

const NoPlan = lazy(() => import('./no-plan.tsx'))

interface ChatTabProps {
  playground: Playground
  /** A question from a link: filled in, not sent. */
  ask: string | undefined
  /** Shows an entry of the log. */
  onShowEntry: (id: string) => void
  /** Opens a tool's form. */
  onOpenForm: (tool: string) => void
}

export function ChatTab({ playground, ask, onShowEntry, onOpenForm }: ChatTabProps) {
  const { messages, tools, connected, connecting, calling, connect, callTool, send, chatModel, model } = playground
  const { ideas, symbols, places } = playground
  const composer = useRef<ComposerHandle>(null)
  const quick = useMemo(() => quickTools(tools), [tools])
  const sent = useMemo(() => messages.filter(({ type }) => type === 'user').map(({ content }) => content), [messages])
  const price = useCallback(
    (one: Suggestion) =>
      priceOf(one, tools.find(({ name, serverName }) => name === one.tool && serverName === ownServer)?.credits),
    [tools],
  )
  const latest = useRef({ send, onOpenForm })
  latest.current = { send, onOpenForm }
  const choose = useCallback((one: Suggestion) => {
    if (one.form !== undefined) latest.current.onOpenForm(one.form)
    else if (one.tool === undefined) composer.current?.fill(one.line)
    else void latest.current.send(one.line)
  }, [])
  useEffect(() => {
    if (ask !== undefined) composer.current?.fill(ask)
  }, [ask])
  const started = messages.some(({ type }) => type !== 'system')
  return (
    <>
      <MessageList
        messages={messages}
        places={places}
        openAs={playground.preferences.openAs}
        priceOf={price}
        onChoose={choose}
        onShowEntry={onShowEntry}
        welcome={
          connected &&
          !started && (
            <Welcome
              ideas={ideas}
              symbols={playground.lookUp ? symbols : []}
              priceOf={price}
              onChoose={choose}
              onSymbol={(symbol) => composer.current?.insert(symbol)}
            />
          )
        }
      >
        {connected && !model.busy && (
          <SuggestionChips
            label={text.followUps}
            suggestions={nextAfter(messages.at(-1))}
            priceOf={price}
            onChoose={choose}
            className="mx-auto w-full max-w-[45rem] sm:pl-6"
          />
        )}
      </MessageList>
      <div className="border-t border-line px-4 py-3">
        {!connected && !connecting && (
          <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-control border border-line bg-sunken py-2 pr-2 pl-3">
            <p>{text.connectPromptAbout}</p>
            <Button look="primary" onClick={() => void connect().catch(() => {})}>
              {text.connectPrompt}
            </Button>
          </div>
        )}
        {connected && (
          <Suspense>
            <NoPlan />
          </Suspense>
        )}
        {playground.question && (
          <QuestionPanel
            key={`${playground.question.tool} ${playground.question.result.requestState}`}
            question={playground.question}
            onAnswer={(answers) => playground.question && void playground.answer(playground.question, answers)}
          />
        )}
        {model.approval && <ApprovalPanel approval={model.approval} onDecide={model.decide} />}
        {model.busy && !model.approval && (
          <div className="mx-auto mb-3 flex max-w-[45rem] items-center gap-2 text-small text-muted">
            <span role="status" className="inline-flex items-center gap-2">
              <Spinner />
              {text.thinking}
            </span>
            <Button size="small" className="ml-auto" onClick={model.stop}>
              {text.stop}
            </Button>
          </div>
        )}
        <Composer
          ref={composer}
          disabled={!connected}
          busy={model.busy}
          sent={sent}
          places={places}
          lookUp={playground.preferences.suggestSymbols ? playground.lookUp : null}
          placeholder={text.placeholder(ideas.find(({ form }) => form === undefined)?.line)}
          onSend={send}
          onEscape={model.stop}
        >
          {connected && (
            <div className="scroll-hint mt-1 -ml-1 flex items-center gap-1 overflow-x-auto py-1 pl-1 max-sm:-mr-4">
              <span className="mr-1 text-small whitespace-nowrap text-muted">{text.toolCount(tools.length)}</span>
              <fieldset className="contents">
                <legend className="sr-only">{text.quickButtons}</legend>
                {quick.map((tool) => (
                  <Button
                    key={`${tool.serverName}/${tool.name}`}
                    size="small"
                    look="quiet"
                    className="h-7 px-2 font-mono text-small font-normal!"
                    busy={calling.includes(tool.name)}
                    onClick={() => void callTool(tool.name, {}, tool.serverName)}
                  >
                    {tool.name}
                  </Button>
                ))}
              </fieldset>
            </div>
          )}
          {connected && !started && chatModel !== null && (
            <p className="mt-1 text-small text-pretty text-muted">{text.modelHint(chatModel)}</p>
          )}
        </Composer>
      </div>
    </>
  )
}

/** Suggested questions after this message. */
function nextAfter(message: ChatMessage | undefined): Suggestion[] {
  const { type, call, data } = message ?? {}
  // A call without an entry was made in another tab.
  if (!data || !call?.entries.length || call.serverName !== ownServer || (type !== 'success' && type !== 'error'))
    return []
  return followUps(call, data as ToolResult, call.compared)
}
