import { toast } from '../../../ui/toast/toast-store.ts'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { useAct } from '../../lib/use-act.ts'
import type { Draft } from './draft.ts'
import type { Shop } from './queries.ts'

/** What customers will notice, before it is served. */
export function ApplyDialog({ shop, draft, onClose }: { shop: Shop; draft: Draft; onClose: () => void }) {
  const act = useAct('POST /shop')
  const { settings } = draft
  const prefix = String(settings.key_prefix)
  const newSender = settings.sender !== undefined && settings.sender !== shop.settings.sender
  const said = [
    `All pages, documents and emails show ${String(settings.name)} within two seconds.`,
    prefix !== (shop.settings.key_prefix ?? 'fm_') && `New keys start with ${prefix}. Existing keys stay valid.`,
    newSender &&
      `${String(settings.sender)} gets an email with a code. Until you enter the code, emails come from ${shop.sender.used}.`,
    'You can undo it at any time.',
  ]
  return (
    <ActDialog
      title="Apply settings"
      about={said.filter(Boolean).join(' ')}
      submitLabel="Apply settings"
      busyLabel="Applying"
      act={act}
      onClose={onClose}
      onSubmit={(reason) =>
        act.mutate(
          { ...draft, version: shop.version, reason },
          {
            onSuccess({ shop: next }) {
              toast({ title: `Version ${next.version} is published` })
              onClose()
            },
          },
        )
      }
    />
  )
}
