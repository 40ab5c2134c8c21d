import { useMemo } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { playgroundText as text } from '../text.ts'
import type { Playground } from '../use-playground.ts'
import { ApprovalPanel } from './approval-panel.tsx'
import { Composer } from './composer.tsx'
import { MessageList } from './message-list.tsx'
import { QuestionPanel } from './question-panel.tsx'
import { quickTools } from './quick-tools.ts'

export function ChatTab({ playground }: { playground: Playground }) {
  const { messages, tools, connected, connecting, calling, connect, callTool, send, chatModel, model } = playground
  const quick = useMemo(() => quickTools(tools), [tools])
  return (
    <>
      <MessageList messages={messages} places={playground.places} />
      <div className="border-t border-line p-3 sm:p-4">
        {connected ? (
          <div className="-m-1 mb-2 flex items-center gap-2 overflow-x-auto p-1 sm:flex-wrap">
            <span className="text-small whitespace-nowrap text-muted">{text.toolCount(tools.length)}</span>
            <fieldset className="contents">
              <legend className="sr-only">{text.quickButtons}</legend>
              {quick.map((tool) => (
                <Button
                  key={`${tool.serverName}/${tool.name}`}
                  size="small"
                  busy={calling.includes(tool.name)}
                  onClick={() => void callTool(tool.name, {}, tool.serverName)}
                >
                  {tool.name}
                </Button>
              ))}
            </fieldset>
          </div>
        ) : (
          !connecting && (
            <div className="mb-3 rounded-control border border-line bg-sunken">
              <EmptyState
                title={text.status.disconnected}
                about={text.connectPromptAbout}
                action={
                  <Button look="primary" onClick={() => void connect().catch(() => {})}>
                    {text.connectPrompt}
                  </Button>
                }
              />
            </div>
          )
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
          <div className="mb-3 flex items-center gap-2 text-small text-muted">
            <span role="status" className="inline-flex items-center gap-2">
              <Spinner />
              {text.thinking}
            </span>
            <Button size="small" className="ml-auto" onClick={model.stop}>
              {text.stop}
            </Button>
          </div>
        )}
        <Composer disabled={!connected} busy={model.busy} onSend={send} />
        {connected && chatModel !== null && (
          <p className="mt-2 text-small text-pretty text-muted">{text.modelHint(chatModel)}</p>
        )}
      </div>
    </>
  )
}
