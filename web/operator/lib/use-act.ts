import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { ApiError } from '../../lib/http/api-error.ts'
import { queryClient } from '../../lib/http/query-client.ts'
import { type Body, call, type Data, type Line } from './api.ts'

export type ActLine = { [L in Line]: Body<L> extends { act_id: string } ? L : never }[Line]
export type Params = Record<string, string | number>

/**
 * An act of the operator. Its id is made once for a form and renewed after success: pressed twice, or sent again after a
 * failure of the network, it is one act. `needsProof`: the server asked for a second factor; the form stays filled meanwhile.
 * Afterward everything that the console shows is read again.
 */
export function useAct<L extends ActLine>(line: L, params?: Params) {
  const id = useRef(crypto.randomUUID())
  const [needsProof, setNeedsProof] = useState(false)
  const mutation = useMutation({
    mutationFn: (input: Omit<Body<L>, 'act_id'>): Promise<Data<L>> =>
      call(line, { ...(params && { params: params as never }), body: { ...input, act_id: id.current } as never }),
    onSuccess: async () => {
      id.current = crypto.randomUUID()
      await queryClient.invalidateQueries({ queryKey: ['operator'] })
    },
    onError: (error) => setNeedsProof(error instanceof ApiError && error.code === 'second_factor_required'),
  })
  return { ...mutation, needsProof, proved: () => setNeedsProof(false) }
}
