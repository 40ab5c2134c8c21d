import type { Config } from '../../config/config.ts'
import { AppError } from '../../http/errors.ts'

/** What an endpoint may say about buying: nothing, the price, also the page, also how a program pays. */
type Purchase = Config['MCP_PURCHASE']

const withoutPurchase: Partial<Record<AppError['code'], string>> = {
  insufficient_credits:
    'This account has no credits left for this call. Nothing was charged. The owner can manage credits in the dashboard.',
  key_budget_exceeded:
    'This API key has used up its own credit budget. Nothing was charged. The owner can manage it in the dashboard.',
}

/** A refusal as an endpoint may word it. Some directories list no server whose answers lead to a purchase. */
export function wordRefusal(error: AppError, purchase: Purchase): AppError {
  const text = withoutPurchase[error.code]
  if (text === undefined || purchase === 'link' || purchase === 'protocol') return error
  const { help, ...detail } = error.detail
  return new AppError(error.code, purchase === 'off' ? text : error.message.replace(`: ${help}`, '.'), detail)
}
