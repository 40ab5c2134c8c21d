import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CustomerFilter } from '#contract/operator/customers.ts'
import { Button } from '../../../ui/button.tsx'
import { Download } from '../../../ui/icons/public.ts'
import { ProofDialog } from '../../layout/proof-dialog.tsx'
import { sessionQuery } from '../../lib/api.ts'

/** Downloads the list as CSV: data of people, so for owners, with a recent second factor. */
export function CsvButton({ filter }: { filter: CustomerFilter }) {
  const session = useQuery(sessionQuery)
  const [asks, setAsks] = useState(false)
  if (session.data?.role !== 'owner') return null
  const download = () =>
    location.assign(`/operator/api/customers-csv?${new URLSearchParams(filter as Record<string, string>)}`)
  const press = async () => {
    const factor = (await session.refetch()).data?.second_factor
    if (factor === 'fresh' || factor === 'not_needed') download()
    else setAsks(true)
  }
  const proved = () => {
    setAsks(false)
    download()
  }
  return (
    <>
      <Button size="small" onClick={() => void press()}>
        <Download aria-hidden="true" className="size-4" />
        Download CSV
      </Button>
      {asks && <ProofDialog onClose={() => setAsks(false)} onProved={proved} />}
    </>
  )
}
