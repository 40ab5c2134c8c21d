import { useEffect, useState } from 'react'
import { personalStorage } from './personal-storage.ts'
import { useSession } from './session.ts'

/**
 * What is known; until then, what this person's last visit found, or `atFirst`. So that a page takes the shape that it will
 * have, and nothing moves when its data arrive.
 */
export function useRemembered(name: string, known: boolean | undefined, atFirst: boolean): boolean {
  const userId = useSession().user?.id
  const [last] = useState(() => (userId === undefined ? null : personalStorage.read(userId, name)))
  useEffect(() => {
    if (userId !== undefined && known !== undefined) personalStorage.write(userId, name, known)
  }, [userId, name, known])
  return known ?? (typeof last === 'boolean' ? last : atFirst)
}
