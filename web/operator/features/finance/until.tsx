import { utcTime } from '../../lib/format.ts'

/** Until when the sums of a page are complete. */
export const Until = ({ until }: { until: string | null }) => (
  <p className="text-small text-muted">
    {until
      ? `Complete until ${utcTime(until)} UTC. Summed from the ledgers of money and credits; nothing is estimated.`
      : 'Nothing is counted yet. Figures appear within a minute of the first credits or payments.'}
  </p>
)
