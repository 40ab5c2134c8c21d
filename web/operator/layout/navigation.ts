import type { LinkProps } from '@tanstack/react-router'

interface Place {
  to: NonNullable<LinkProps['to']>
  label: string
}

/** The console's pages, in groups, in the order of the sidebar. */
export const navigation: readonly { name: string; places: readonly Place[] }[] = [
  {
    name: 'Supply, Shop',
    places: [
      { to: '/supply/upstreams', label: 'Upstreams' },
      { to: '/supply/datasets', label: 'Datasets' },
      { to: '/shop', label: 'Shop' },
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
