import { useSettings } from '../../lib/settings.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyTextButton } from '../../ui/copy/copy-text-button.tsx'
import { copyable, firstCallPath, snippet } from '../snippets/snippets.ts'
import { homeText as text } from './text.ts'

/** Shortened from the demo dataset's response. */
const answer = `{
  "data": [
    { "date": "2026-07-20", "value": 84.38 },
    …
    { "date": "2026-08-18", "value": 86.48 }
  ],
  "meta": { "series_id": "OIL.WTI", "unit": "US dollars per barrel", … }
}`

/** A first call that works when pasted, and its response with price and receipt. */
export function FirstCall() {
  const { publicUrl, demoKey } = useSettings()
  const command = snippet('curl', publicUrl + firstCallPath, demoKey ? 'demo' : 'YOUR_API_KEY')
  return (
    <CodeBlock
      label={text.firstCall}
      action={
        <CopyTextButton look="quiet" size="small" value={copyable('curl', command)} label="Copy" done={text.copied} />
      }
      ground="surface"
      className="shadow-raised"
      code={
        <>
          {command}
          {'\n\n'}
          <span className="text-muted">{'HTTP/1.1 200 OK\n'}</span>
          {demoKey && (
            <>
              <span className="text-accent">x-credits-charged</span>: 0{'\n'}
              <span className="text-muted">{text.ownKey}</span>
              {'\n'}
            </>
          )}
          <span className="text-accent">x-credits-charged</span>: 1{'\n'}
          <span className="text-accent">x-credits-remaining</span>: 999{'\n'}
          <span className="text-accent">x-receipt-id</span>: rcpt_AAZgyKrD3FT…{'\n\n'}
          {answer}
        </>
      }
    />
  )
}
