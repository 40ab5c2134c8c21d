import { clsx } from 'clsx'

interface LogoProps {
  name: string
  /** Addresses of the shop's pictures; without one, the build's mark is drawn. */
  picture?: { light: string; dark: string | null } | undefined
  className?: string
  /** The mark alone on narrow screens. */
  tight?: boolean
}

/** The shop's mark and name. */
export function Logo({ name, picture, className, tight = false }: LogoProps) {
  return (
    <span className={clsx('inline-flex items-center gap-2 text-prose font-strong tracking-tight', className)}>
      {picture ? <ShopMark {...picture} /> : <Mark />}
      <span className={clsx(tight && 'max-[26rem]:sr-only')}>{name}</span>
    </span>
  )
}

/** An F made of meter bars, one of them in the accent color. */
export function Mark() {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" className="size-5">
      <path d="M3 3h4v18H3zM10 3h11v4H10z" fill="currentColor" />
      <path d="M10 10h7v4h-7z" className="fill-accent" />
    </svg>
  )
}

/**
 * `lazy`, because React would otherwise preload both. Without a picture for dark surfaces, the one for light surfaces is
 * shown on both.
 */
export function ShopMark({ light, dark }: { light: string; dark: string | null }) {
  return (
    <>
      <img
        src={light}
        alt=""
        loading="lazy"
        className={clsx('h-5 w-auto max-w-32 object-contain', dark && 'for-light')}
      />
      {dark && <img src={dark} alt="" loading="lazy" className="for-dark h-5 w-auto max-w-32 object-contain" />}
    </>
  )
}
