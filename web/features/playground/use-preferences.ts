import { useCallback, useState } from 'react'
import { personalStorage } from '../../lib/personal-storage.ts'

export const openings = ['chart', 'table', 'json'] as const

export interface Preferences {
  /** The initial view of a result, if it has this view. */
  openAs: (typeof openings)[number]
  /** Whether typing a name searches for symbols. */
  suggestSymbols: boolean
}

const name = 'playground-settings'
const standard: Preferences = { openAs: 'chart', suggestSymbols: true }

/** The user's choices on the Settings tab, kept in this browser until sign-out. */
export function usePreferences(userId: string | undefined) {
  const [preferences, set] = useState(() => (userId === undefined ? standard : readPreferences(userId)))
  const choose = useCallback(
    (change: Partial<Preferences>) =>
      set((before) => {
        const next = { ...before, ...change }
        if (userId !== undefined) personalStorage.write(userId, name, next)
        return next
      }),
    [userId],
  )
  return { preferences, choose }
}

function readPreferences(userId: string): Preferences {
  const { openAs, suggestSymbols } = (personalStorage.read(userId, name) ?? {}) as Partial<Preferences>
  return {
    openAs: openings.find((one) => one === openAs) ?? standard.openAs,
    suggestSymbols: typeof suggestSymbols === 'boolean' ? suggestSymbols : standard.suggestSymbols,
  }
}
