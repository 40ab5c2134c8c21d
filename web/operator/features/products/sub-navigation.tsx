import { Link } from '@tanstack/react-router'

const places = [
  { to: '/products', label: 'Products' },
  { to: '/products/prices', label: 'Tool prices' },
  { to: '/products/simulate', label: 'Simulator' },
] as const

/** The pages about what is sold, and at which prices. */
export function SubNavigation() {
  return (
    <nav aria-label="Products" className="flex flex-wrap gap-1">
      {places.map(({ to, label }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ className: 'bg-hover text-ink' }}
          inactiveProps={{ className: 'text-muted hover:text-ink' }}
          className="flex h-7 items-center rounded-control px-2.5 text-small font-strong transition-colors duration-150 pointer-coarse:h-11 pointer-coarse:px-3"
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}

/** From a product to all of them. */
export function BackToProducts() {
  return (
    <p className="mb-2!">
      <Link to="/products" className="text-muted underline-offset-4 hover:text-ink hover:underline">
        ← All products
      </Link>
    </p>
  )
}
