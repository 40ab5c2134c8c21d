import { useRef, useState } from 'react'
import { maskKey } from '../../lib/mask.ts'
import { useFragment } from '../../lib/use-fragment.ts'
import { buttonClass } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { isWholeKey } from '../keys/queries.ts'
import { type ClientId, installs } from './install.ts'
import { mcpText } from './text.ts'

/** Configuration for one AI client at a time. The key is masked on the screen and copied in full. */
export function InstallTabs({ publicUrl, apiKey, revealed }: { publicUrl: string; apiKey: string; revealed: boolean }) {
  const [chosen, choose] = useState<ClientId>('claude')
  const whole = isWholeKey(apiKey)
  const real = installs(publicUrl, whole ? apiKey : 'YOUR_API_KEY', whole)
  const install = real.find((one) => one.id === chosen) ?? real[0]
  const box = useRef<HTMLDivElement>(null)
  useFragment('connect-', (id) => {
    const client = real.find((one) => one.id === id)
    if (!client) return
    choose(client.id)
    box.current?.closest('details')?.setAttribute('open', '')
    box.current?.querySelector<HTMLElement>(`[data-tab="${id}"]`)?.focus()
  })
  if (!install) return null
  const shown = (text: string) =>
    revealed ? text : text.replaceAll(encodeURIComponent(apiKey), maskKey(apiKey)).replaceAll(apiKey, maskKey(apiKey))
  return (
    <div ref={box}>
      <Tabs
        label="AI client"
        value={install.id}
        options={real.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={choose}
      >
        <p className="mt-2 text-muted">{install.where}</p>
        {install.blocks.map(({ label, text }, index) => (
          <CodeBlock
            key={label}
            className="mt-2"
            label={label}
            code={shown(text)}
            wrap
            action={
              <span className="flex items-center gap-1">
                {install.link && index === 0 && (
                  <a href={install.link.href} className={buttonClass({ look: 'quiet', size: 'small' })}>
                    {install.link.label}
                  </a>
                )}
                <CopyButton
                  value={text}
                  label={index === 0 ? `Copy the configuration for ${install.name}` : `Copy: ${label}`}
                  done={mcpText.copiedBlock}
                />
              </span>
            }
          />
        ))}
      </Tabs>
    </div>
  )
}
