import { useMutation } from '@tanstack/react-query'
import type { DeviceRequest } from '#contract/oauth-routes.ts'
import { formatMoment } from '../../lib/format.ts'
import { api } from '../../lib/http/api.ts'
import { usePageHeading } from '../../ui/page-header.tsx'
import { type AccessChoice, AccessForm } from '../consent/access-form.tsx'

/** Which program asks, from where, and for what. */
export function DeviceDecision({
  code,
  request,
  email,
  onDecided,
}: {
  code: string
  request: DeviceRequest
  email: string | null
  onDecided: (allowed: boolean) => void
}) {
  const heading = usePageHeading('Connect a program')
  const decide = useMutation({
    mutationFn: async (choice: AccessChoice) => {
      if (choice.allow) await api('approveDevice', { body: { code, monthlyCredits: choice.monthlyCredits } })
      else await api('denyDevice', { body: { code } })
      return choice.allow
    },
    onSuccess: onDecided,
  })
  return (
    <AccessForm
      scopes={request.scopes}
      busy={decide.isPending || decide.isSuccess}
      error={decide.error}
      onDecide={decide.mutate}
    >
      <h1 ref={heading} tabIndex={-1} className="text-title font-strong break-words">
        Connect {request.clientName}?
      </h1>
      <p className="mt-2 text-muted">
        It asked at <time dateTime={request.requestedAt}>{formatMoment(request.requestedAt)}</time> from the IP address{' '}
        <strong className="wrap-anywhere text-ink">{request.address}</strong>
        {email && `. You are signed in as ${email}`}. If you did not start this program, choose Deny: somebody may have
        sent you the code to get into your account.
      </p>
    </AccessForm>
  )
}
