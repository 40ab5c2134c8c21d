import { Badge } from '../../ui/badge.tsx'
import { POPULAR } from './annual-price.ts'

/** For a plan that `isMostPopular`. */
export const PopularBadge = () => <Badge tone="accent">{POPULAR}</Badge>
