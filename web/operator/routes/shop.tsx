import { createFileRoute } from '@tanstack/react-router'
import { ShopPage } from '../features/shop/shop-page.tsx'

export const Route = createFileRoute('/shop')({ component: ShopPage })
