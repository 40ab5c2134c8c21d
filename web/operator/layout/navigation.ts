import type { LinkProps } from '@tanstack/react-router'

interface Place {
  to: NonNullable<LinkProps['to']>
  label: string
}

/** The console's pages, in groups, in the order of the sidebar. */
export const navigation: readonly { name: string; places: readonly Place[] }[] = [
  {
    name: 'Delivery and health',
    places: [
      { to: '/delivery', label: 'Deliveries' },
      { to: '/health', label: 'Health' },
    ],
  },
  {
    name: 'Installation',
    places: [
      { to: '/operators', label: 'Operators' },
      { to: '/audit', label: 'Audit log' },
    ],
  },
]
