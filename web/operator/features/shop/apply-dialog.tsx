import { toast } from '../../../ui/toast/toast-store.ts'
import { ActDialog } from '../../layout/act-dialog.tsx'
import type { Draft, Shop } from './draft.ts'

/** What customers will notice, before it is served. */
export function ApplyDialog({ shop, draft, onClose }: { shop: Shop; draft: Draft; onClose: () => void }) {
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
      line="POST /shop"
      title="Apply settings"
      about={said.filter(Boolean).join(' ')}
      busy="Applying"
      input={() => ({ ...draft, version: shop.version })}
      onDone={({ shop: { version } }) => toast({ title: `Version ${version} is published` })}
      onClose={onClose}
    />
  )
}
