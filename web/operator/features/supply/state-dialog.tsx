import { useNavigate } from '@tanstack/react-router'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { useAct } from '../../lib/use-act.ts'
import type { Upstream } from './queries.ts'

export type Act = { verb: 'pause' | 'resume' | 'remove' | 'undo' } | { verb: 'publish'; version: number }

const operationsOf = ({ operations }: Upstream) => (operations === 1 ? '1 operation' : `${operations} operations`)

/** The act that was chosen, with its effect in words. */
export function StateDialog({ act, ...rest }: { act: Act; upstream: Upstream; onClose: () => void }) {
  if (act.verb === 'publish') return <ServeDialog version={act.version} {...rest} />
  if (act.verb === 'remove') return <RemoveDialog {...rest} />
  return <VerbDialog verb={act.verb} {...rest} />
}

function VerbDialog({
  verb,
  upstream,
  onClose,
}: {
  verb: 'pause' | 'resume' | 'undo'
  upstream: Upstream
  onClose: () => void
}) {
  const act = useAct(`POST /upstreams/{id}/${verb}`, { id: upstream.id })
  const words = {
    pause: {
      title: `Pause ${upstream.name}`,
      about: `Its ${operationsOf(upstream)} return 404 within two seconds, until you resume it. Nothing is charged meanwhile.`,
      submitLabel: 'Pause',
      busyLabel: 'Pausing',
    },
    resume: {
      title: `Resume ${upstream.name}`,
      about: `Customers can call its ${operationsOf(upstream)} again within two seconds.`,
      submitLabel: 'Resume',
      busyLabel: 'Resuming',
    },
    undo: {
      title: 'Undo the last version',
      about: `The version before ${upstream.published} is published again within two seconds, with its operations and prices.`,
      submitLabel: 'Undo',
      busyLabel: 'Undoing',
    },
  }[verb]
  return (
    <ActDialog
      {...words}
      act={act}
      onClose={onClose}
      onSubmit={(reason) => act.mutate({ reason }, { onSuccess: onClose })}
    />
  )
}

function ServeDialog({ version, upstream, onClose }: { version: number; upstream: Upstream; onClose: () => void }) {
  const act = useAct('POST /upstreams/{id}/publish', { id: upstream.id })
  return (
    <ActDialog
      title={`Publish version ${version}`}
      about={`Customers get version ${version} within two seconds${upstream.published === null ? '' : ` instead of ${upstream.published}`}, with its operations and prices.${upstream.state === 'paused' ? ' This also resumes the upstream.' : ''}`}
      submitLabel="Publish"
      busyLabel="Publishing"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => act.mutate({ version, reason }, { onSuccess: onClose })}
    />
  )
}

function RemoveDialog({ upstream, onClose }: { upstream: Upstream; onClose: () => void }) {
  const act = useAct('POST /upstreams/{id}/remove', { id: upstream.id })
  const navigate = useNavigate()
  return (
    <ActDialog
      danger
      title={`Remove ${upstream.name}`}
      about={`All its versions are deleted, and its ${operationsOf(upstream)} return 404. Receipts keep the names of its tools. This cannot be undone.`}
      submitLabel="Remove"
      busyLabel="Removing"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => act.mutate({ reason }, { onSuccess: () => navigate({ to: '/supply/upstreams' }) })}
    />
  )
}
