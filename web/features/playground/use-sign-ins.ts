import { useCallback } from 'react'
import { ApiError } from '../../lib/http/api-error.ts'
import type { Say } from './chat/messages/use-messages.ts'
import { playgroundApi } from './playground-api.ts'
import type { SetState } from './playground-state.ts'
import { playgroundText as text } from './text.ts'

/** Whether an error means that the server requires sign-in; if so, says so in the chat and offers it. */
export type HandleSignIn = (error: unknown, name: string) => Promise<boolean>

export function useSignIns(set: SetState, say: Say): HandleSignIn {
  return useCallback(
    async (error, name) => {
      if (!(error instanceof ApiError) || error.code !== 'sign_in_required') return false
      const url = await playgroundApi.signInUrl(name)
      if (url === null || !/^https?:/.test(url)) return false
      set(({ signIns }) => ({ signIns: [...signIns.filter((one) => one.name !== name), { name, url }] }))
      say('warning', text.signInRequired(name))
      return true
    },
    [set, say],
  )
}
