import { useQuery } from '@tanstack/react-query'
import { formatBytes, formatDate } from '../../lib/format.ts'
import { messageOf } from '../../lib/http/api-error.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { toast } from '../../ui/toast/toast-store.ts'
import { exportsQuery, useRequestExport } from './account-data-queries.ts'
import { accountDataText as text } from './account-data-text.ts'
import { ActionRow } from './action-row.tsx'

/** A link lasts 15 minutes, but the page may stay open for longer and the file for days. */
const linkGoodForMs = 14 * 60_000

/** Requests a data export, waits for it and offers the download. */
export function ExportAction() {
  const { data: exports, isError, isFetching, dataUpdatedAt, refetch } = useQuery(exportsQuery)
  const request = useRequestExport()
  const newest = exports?.[0]
  const ready = exports?.find(({ download_url }) => download_url !== null)
  const pending = newest?.status === 'pending'
  const unknown = isError && !exports
  const problem = request.isError
    ? messageOf(request.error, text.exportFailed)
    : unknown
      ? text.exportsFailed
      : newest?.status === 'failed'
        ? text.exportBroken
        : null
  return (
    <ActionRow
      action={
        <Button
          busy={request.isPending || pending}
          onClick={() => request.mutate(undefined, { onSuccess: () => toast({ title: text.exportAsked }) })}
        >
          {text.export}
        </Button>
      }
    >
      <p className="font-strong">{text.export}</p>
      <p className="text-muted" role="status">
        {pending ? text.exporting : text.exportAbout}
      </p>
      <p role="alert" className="text-danger not-empty:mt-1">
        {problem}
      </p>
      {unknown && (
        <Button className="mt-2" size="small" busy={isFetching} onClick={() => refetch()}>
          {text.retry}
        </Button>
      )}
      {ready?.download_url && ready.expires_at && (
        <p className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1">
          <a
            href={ready.download_url}
            download
            onClick={(event) => {
              if (Date.now() - dataUpdatedAt < linkGoodForMs) return
              event.preventDefault()
              void refetch().then(({ data }) => {
                const fresh = data?.find(({ id }) => id === ready.id)?.download_url
                if (fresh) location.assign(fresh)
              })
            }}
            className={buttonClass({ size: 'small', look: 'primary' })}
          >
            {text.download}
          </a>
          <span className="text-muted">{text.readyUntil(formatBytes(ready.bytes), formatDate(ready.expires_at))}</span>
        </p>
      )}
    </ActionRow>
  )
}
