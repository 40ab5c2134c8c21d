import { utcTime } from '../../lib/format.ts'

/** Until when the sums of a page are complete. */
export const Until = ({ until }: { until: string | null }) => (
  <p className="text-small text-muted">
    {until
      ? `Complete until ${utcTime(until)} UTC. Sums of both ledgers, of money and of credits; nothing is estimated.`
      : 'Nothing is counted yet: figures appear within a minute after the first credits or payments.'}
  </p>
)
