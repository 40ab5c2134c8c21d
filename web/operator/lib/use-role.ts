import { useQuery } from '@tanstack/react-query'
import type { OperatorRole } from '#contract/operator/route.ts'
import { sessionQuery } from './api.ts'

/** Whether this operator has one of the roles. The server checks it again: others merely see no button. */
export function useRole(...roles: OperatorRole[]): boolean {
  const role = useQuery(sessionQuery).data?.role
  return role !== undefined && roles.includes(role)
}
