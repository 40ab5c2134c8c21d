import { figuresRoutes } from '#contract/operator/figures-routes.ts'
import type { OperatorContext } from './context.ts'

/** Whether this operator may read finance: revenue on other pages is left out for everybody else. */
export const readsMoney = ({ operator }: Pick<OperatorContext, 'operator'>): boolean =>
  figuresRoutes.getRevenue.roles.some((role) => role === operator.role)
