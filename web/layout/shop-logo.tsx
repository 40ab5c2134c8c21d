import { useSettings } from '../lib/settings.ts'
import { Logo } from '../ui/logo.tsx'

/** The logo of this installation. */
export function ShopLogo({ tight }: { tight?: boolean }) {
  const { name, logo, logoDark } = useSettings().shop
  return <Logo name={name} picture={logo === null ? undefined : { light: logo, dark: logoDark }} tight={tight} />
}
