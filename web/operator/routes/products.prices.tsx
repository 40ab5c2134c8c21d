import { createFileRoute } from '@tanstack/react-router'
import { ToolPricesPage } from '../features/products/tool-prices-page.tsx'

export const Route = createFileRoute('/products/prices')({ component: ToolPricesPage })
