import { useEffect, useState } from 'react'
import { useSession } from './auth/session.ts'
import { personalStorage } from './personal-storage.ts'

/**
 * The current value; while it is not known, the last one of this visit or of this user's one before, else `atFirst`. Lets a page take its
 * final shape before its data arrives, and keep it while data is requested again.
 */
export function useRemembered(name: string, known: boolean | undefined, atFirst: boolean): boolean {
  const userId = useSession().user?.id
  const [last, setLast] = useState(() => (userId === undefined ? null : personalStorage.read(userId, name)))
  useEffect(() => {
    if (userId !== undefined && known !== undefined) personalStorage.write(userId, name, known)
  }, [userId, name, known])
  if (known !== undefined && known !== last) setLast(known)
  return known ?? (typeof last === 'boolean' ? last : atFirst)
}
