import {
  Bot,
  Braces,
  CircleHelp,
  Coins,
  Database,
  FileText,
  KeyRound,
  Plug,
  Rocket,
  Rows3,
  Server,
  Sheet,
  ShieldCheck,
  Store,
  Tag,
  TriangleAlert,
  Waypoints,
  Webhook,
} from '../../ui/icons/docs.ts'
import type { Icon } from '../../ui/icons/icon.tsx'

/** The icon of each link on the landing page, by its path. */
export const docsIcons: Record<string, Icon> = {
  '/docs/quick-start': Rocket,
  '/docs/reference': Braces,
  '/docs/authentication': KeyRound,
  '/docs/getting-started': Waypoints,
  '/docs/pricing': Tag,
  '/docs/faq': CircleHelp,
  '/sell': Store,
  '/docs/credits-and-limits': Coins,
  '/docs/mcp-clients': Plug,
  '/docs/mcp-sign-in': ShieldCheck,
  '/docs/formats-and-paging': Rows3,
  '/docs/spreadsheets': Sheet,
  '/docs/errors': TriangleAlert,
  '/docs/webhooks': Webhook,
  '/docs/self-hosting': Server,
  '/docs/own-data': Database,
  '/llms-full.txt': Bot,
}

/** For a page without an icon of its own. */
export const plainIcon = FileText
