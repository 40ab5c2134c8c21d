import type { LinkProps } from '@tanstack/react-router'
import type { OperatorRole } from '#contract/operator/route.ts'

interface Place {
  to: NonNullable<LinkProps['to']>
  label: string
  /** After g, it opens the page. */
  key?: string
}

interface Group {
  name: string
  /** The roles that may open its pages; missing: every role. */
  roles?: readonly OperatorRole[]
  places: readonly Place[]
}

/** The console's pages, in groups, in the order of the sidebar. */
const navigation: readonly Group[] = [
  {
    name: 'Business',
    places: [
      { to: '/', label: 'Today', key: 't' },
      { to: '/customers', label: 'Customers', key: 'c' },
      { to: '/products', label: 'Products', key: 'p' },
    ],
  },
  {
    name: 'Supply',
    places: [
      { to: '/supply/upstreams', label: 'Upstreams', key: 's' },
      { to: '/supply/datasets', label: 'Datasets' },
      { to: '/shop', label: 'Shop' },
    ],
  },
  {
    name: 'Monitoring',
    places: [
      { to: '/delivery', label: 'Deliveries', key: 'd' },
      { to: '/payments', label: 'Agent payments' },
      { to: '/health', label: 'Health', key: 'h' },
    ],
  },
  {
    name: 'Finance',
    roles: ['owner', 'finance'],
    places: [
      { to: '/finance/revenue', label: 'Revenue', key: 'f' },
      { to: '/finance/credits', label: 'Credits' },
      { to: '/finance/refunds', label: 'Refunds' },
      { to: '/finance/taxes', label: 'Taxes' },
      { to: '/finance/journal', label: 'Journal' },
    ],
  },
  {
    name: 'Installation',
    places: [
      { to: '/operators', label: 'Operators' },
      { to: '/audit', label: 'Audit log', key: 'a' },
    ],
  },
]

/** The groups whose pages this role may open. */
export const groupsOf = (role: OperatorRole): readonly Group[] =>
  navigation.filter(({ roles }) => !roles || roles.includes(role))
