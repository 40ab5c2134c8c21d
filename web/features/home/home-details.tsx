import { useSettings } from '../../lib/settings.ts'
import { Band } from '../../ui/band.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyTextButton } from '../../ui/copy/copy-text-button.tsx'
import { ChargeSteps } from './charge-steps.tsx'
import { Clients } from './clients.tsx'
import { Coverage } from './coverage.tsx'
import { detailsText as text } from './details-text.ts'
import { OverviewPicture } from './overview-picture.tsx'
import { PlanPrices } from './plan-prices.tsx'
import { homeText } from './text.ts'

/** How calls are charged, a picture of Overview, the data, the AI clients, the prices and selling an API. */
export default function HomeDetails() {
  const { shop } = useSettings()
  return (
    <>
      <Band title={text.charged} about={text.chargedAbout} tinted>
        <ChargeSteps />
      </Band>
      {/* The picture has the name of the software in it. */}
      {!shop.named && (
        <Band title={text.overview} about={text.overviewAbout}>
          <OverviewPicture />
        </Band>
      )}
      {shop.demo && (
        <Band title={text.coverage} about={text.coverageAbout} tinted>
          <Coverage />
        </Band>
      )}
      <Band
        title={text.clients}
        about={text.clientsAbout}
        more={{ href: '/docs/mcp-clients', label: text.clientsLink }}
      >
        <Clients />
      </Band>
      <Band
        title={text.costs}
        about={shop.named ? text.costsOfShop : text.costsAbout}
        more={{ href: '/docs/pricing', label: text.pricing }}
        tinted
      >
        <PlanPrices />
      </Band>
      {!shop.named && (
        <Band title={text.sell} about={text.sellAbout} more={{ href: '/sell', label: text.sellLink }}>
          <CodeBlock
            label={text.sellLabel}
            code={text.sellCommand}
            action={
              <CopyTextButton
                look="quiet"
                size="small"
                value={text.sellCommand}
                label={homeText.copy}
                done={homeText.copied}
              />
            }
          />
        </Band>
      )}
      {!shop.named && <hr className="border-line" />}
    </>
  )
}
