import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { ApiError } from '../../lib/http/api-error.ts'
import { type Body, call, type Data, type Line } from './api.ts'

/**
 * A request that is no act, such as a check, and needs a recent second factor as acts do. `needsProof`: the server asked for it;
 * `proved` sends the same request again.
 */
export function useFresh<L extends Line>(line: L, params?: Record<string, string | number>) {
  const last = useRef<{ body: Body<L>; onSuccess?: (data: Data<L>) => void }>(undefined)
  const [needsProof, setNeedsProof] = useState(false)
  const mutation = useMutation({
    mutationFn: (body: Body<L>): Promise<Data<L>> =>
      call(line, { ...(params && { params: params as never }), ...(body !== undefined && { body }) }),
    onError: (error) => setNeedsProof(error instanceof ApiError && error.code === 'second_factor_required'),
  })
  const send = (body: Body<L>, onSuccess?: (data: Data<L>) => void) => {
    last.current = { body, ...(onSuccess && { onSuccess }) }
    mutation.mutate(body, { onSuccess })
  }
  return {
    data: mutation.data,
    isPending: mutation.isPending,
    error: needsProof ? null : mutation.error,
    needsProof,
    send,
    dismiss: () => setNeedsProof(false),
    proved: () => {
      setNeedsProof(false)
      if (last.current) send(last.current.body, last.current.onSuccess)
    },
  }
}
