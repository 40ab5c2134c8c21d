import { useQuery } from '@tanstack/react-query'
import type { ApiKey } from '#contract/keys.ts'
import { fieldMessageOf } from '../../lib/http/api-error.ts'
import { Button } from '../../ui/button.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { toast } from '../../ui/toast/toast-store.ts'
import { holdNewKey, useNewKey } from '../keys/new-key.ts'
import { isWholeKey, keysQuery, useCreateKey } from '../keys/queries.ts'
import { useMayManage } from '../workspaces/queries.ts'
import { sheetsText as text } from './text.ts'

const MONTHLY_BUDGET = 1_000

const readsOnly = ({ scopes }: ApiKey) => scopes?.length === 1 && scopes[0] === 'read'

/** The first key that can only read, with its value if this user may see it. */
export function useSheetKey() {
  const { data: keys, isPending } = useQuery(keysQuery)
  const created = useNewKey()
  const key = keys?.find((one) => readsOnly(one) && one.id === created?.id) ?? keys?.find(readsOnly)
  const value = key && (created?.id === key.id ? created.value : isWholeKey(key.unkey) ? key.unkey : null)
  return { isPending, key, value: value ?? null }
}

/** Names the key that the formulas contain, or creates it. */
export function SheetKey() {
  const { isPending, key, value } = useSheetKey()
  const mayManage = useMayManage()
  const create = useCreateKey()
  if (isPending)
    return (
      <Loading label="Loading API keys...">
        <Skeleton className="h-9 w-52" />
      </Loading>
    )
  if (key && value) return <p>{text.keyUsed(key.name)}</p>
  const onCreate = () =>
    create.mutate(
      { name: text.keyName, scopes: ['read'], monthlyBudget: MONTHLY_BUDGET },
      {
        onSuccess: (made) => {
          holdNewKey(made)
          toast({ title: text.keyCreated })
        },
      },
    )
  return (
    <>
      {key && <p className="mb-3">{text.keyHidden(key.name)}</p>}
      {mayManage ? (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <Button look="primary" busy={create.isPending} onClick={onCreate}>
            {text.createKey}
          </Button>
          <span className="text-muted">{text.keyLimit}</span>
        </div>
      ) : (
        <p className="text-muted">{text.managersOnly}</p>
      )}
      {create.isError && (
        <p role="alert" className="mt-2 text-danger">
          {fieldMessageOf(create.error, 'name', text.keyFailed)}
        </p>
      )}
    </>
  )
}
