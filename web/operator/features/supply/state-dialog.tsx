import { useNavigate } from '@tanstack/react-router'
import { ActDialog } from '../../layout/act-dialog.tsx'
import type { Upstream } from './queries.ts'

export type Act = { verb: 'pause' | 'resume' | 'remove' | 'undo' } | { verb: 'publish'; version: number }

/** The act that was chosen, with its effect in words. */
export function StateDialog({ act, upstream, onClose }: { act: Act; upstream: Upstream; onClose: () => void }) {
  const navigate = useNavigate()
  const { id, name, operations, published, state } = upstream
  const things = operations === 1 ? '1 operation' : `${operations} operations`
  const common = { params: { id }, onClose }
  if (act.verb === 'publish')
    return (
      <ActDialog
        {...common}
        line="POST /upstreams/{id}/publish"
        title={`Publish version ${act.version}`}
        about={`Customers get version ${act.version} within two seconds${published === null ? '' : ` instead of ${published}`}, with its operations and prices.${state === 'paused' ? ' This also resumes the upstream.' : ''}`}
        submit="Publish"
        busy="Publishing"
        input={() => ({ version: act.version })}
      />
    )
  if (act.verb === 'remove')
    return (
      <ActDialog
        {...common}
        line="POST /upstreams/{id}/remove"
        danger
        title={`Remove ${name}`}
        about={`All its versions are deleted, and its ${things} return 404. Receipts keep the names of its tools. This cannot be undone.`}
        submit="Remove"
        busy="Removing"
        onDone={() => navigate({ to: '/supply/upstreams' })}
      />
    )
  const words = {
    pause: {
      title: `Pause ${name}`,
      about: `Its ${things} return 404 within two seconds, until you resume it. Nothing is charged meanwhile.`,
      submit: 'Pause',
      busy: 'Pausing',
    },
    resume: {
      title: `Resume ${name}`,
      about: `Customers can call its ${things} again within two seconds.`,
      submit: 'Resume',
      busy: 'Resuming',
    },
    undo: {
      title: 'Undo the last version',
      about: `The version before ${published} is published again within two seconds, with its operations and prices.`,
      submit: 'Undo',
      busy: 'Undoing',
    },
  }[act.verb]
  if (act.verb === 'undo')
    return (
      <ActDialog {...common} {...words} line="POST /upstreams/{id}/undo" input={() => ({ version: published ?? 0 })} />
    )
  return <ActDialog {...common} {...words} line={`POST /upstreams/{id}/${act.verb}`} />
}
