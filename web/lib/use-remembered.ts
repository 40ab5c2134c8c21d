import { useEffect, useState } from 'react'
import { useSession } from './auth/session.ts'
import { personalStorage } from './personal-storage.ts'

/**
 * The current value; until it is known, the one from this user's last visit, or `atFirst`. Lets a page take its final
 * shape before its data arrives.
 */
export function useRemembered(name: string, known: boolean | undefined, atFirst: boolean): boolean {
  const userId = useSession().user?.id
  const [last] = useState(() => (userId === undefined ? null : personalStorage.read(userId, name)))
  useEffect(() => {
    if (userId !== undefined && known !== undefined) personalStorage.write(userId, name, known)
  }, [userId, name, known])
  return known ?? (typeof last === 'boolean' ? last : atFirst)
}
