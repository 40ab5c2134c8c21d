import { enterpriseFeatures } from './enterprise-text.ts'
import { pricingText as text } from './text.ts'

export default function EnterpriseFeatures() {
  return (
    <section aria-labelledby="enterprise">
      <h2 id="enterprise" className="text-title font-strong">
        {text.enterprise.featuresTitle}
      </h2>
      <dl className="mt-4 grid gap-x-8 gap-y-6 sm:grid-cols-2 lg:grid-cols-4">
        {enterpriseFeatures.map(({ title, about }) => (
          <div key={title}>
            <dt className="font-strong">{title}</dt>
            <dd className="mt-1 text-pretty text-muted">{about}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
