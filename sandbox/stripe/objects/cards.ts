import { cardError, invalid, noSuch } from '../api/errors.ts'
import type { Fields, PaymentMethod } from './bodies.ts'
import type { Session } from './session.ts'

/** `outcome` of a payment: 'ok', a decline code, or a behavior such as 'dispute' or 'settles_later'. */
interface TestCard {
  outcome: string
  brand: string
  last4: string
  /** The bank declines when the card is saved. */
  refusesSaving?: boolean
}

const card = (outcome: string, last4: string, brand = 'visa'): TestCard => ({ outcome, brand, last4 })

/** Stripe's own test payment methods. */
export const testCards: Record<string, TestCard> = {
  pm_card_visa: card('ok', '4242'),
  pm_card_us: card('ok', '4242'),
  pm_card_mastercard: card('ok', '4444', 'mastercard'),
  pm_card_amex: card('ok', '0005', 'amex'),
  pm_card_chargeCustomerFail: card('generic_decline', '0341'),
  pm_card_visa_chargeDeclined: { ...card('generic_decline', '0002'), refusesSaving: true },
  pm_card_chargeDeclined: { ...card('generic_decline', '0002'), refusesSaving: true },
  pm_card_chargeDeclinedInsufficientFunds: { ...card('insufficient_funds', '9995'), refusesSaving: true },
  pm_card_visa_chargeDeclinedInsufficientFunds: { ...card('insufficient_funds', '9995'), refusesSaving: true },
  pm_card_chargeDeclinedExpiredCard: { ...card('expired_card', '0069'), refusesSaving: true },
  pm_card_authenticationRequired: card('authentication_required', '3184'),
  pm_card_createDispute: card('dispute', '0259'),
  pm_card_refundFail: card('refund_fails', '5126'),
  pm_card_pendingRefund: card('refund_pends', '7726'),
  pm_usBankAccount_success: card('settles_later', '6789', 'bank'),
  pm_usBankAccount_insufficientFunds: card('fails_later', '2227', 'bank'),
}

const declines: Record<string, Fields> = {
  generic_decline: { code: 'card_declined', message: 'Your card was declined.' },
  insufficient_funds: { code: 'card_declined', message: 'Your card has insufficient funds.' },
  expired_card: { code: 'expired_card', message: 'Your card has expired.' },
  authentication_required: {
    code: 'authentication_required',
    message: 'Your card was declined. This transaction requires authentication.',
  },
}

/** The error fields of an outcome that is declined; null for one that pays. */
export function declineOf(outcome: string): Fields | null {
  const decline = declines[outcome]
  return decline ? { ...decline, decline_code: outcome } : null
}

/** The stored method with this id, or a new one made from a test name such as pm_card_visa. */
export async function paymentMethod(tx: Session, id: string, param = 'payment_method'): Promise<PaymentMethod> {
  const test = Object.hasOwn(testCards, id) ? testCards[id] : undefined
  if (!test) return tx.get<PaymentMethod>('payment_method', id, param)
  const bank = test.brand === 'bank'
  const details = bank
    ? {
        us_bank_account: {
          bank_name: 'SANDBOX BANK',
          last4: test.last4,
          fingerprint: `bank${test.last4}`,
          account_type: 'checking',
          account_holder_type: 'individual',
        },
      }
    : { card: cardDetails(test, tx.now) }
  return tx.create<PaymentMethod>('payment_method', 'pm', {
    type: bank ? 'us_bank_account' : 'card',
    allow_redisplay: 'unspecified',
    customer: null,
    ...details,
    _outcome: test.outcome,
    _refusesSaving: test.refusesSaving ?? false,
  })
}

function cardDetails(test: TestCard, now: number): Fields {
  return {
    brand: test.brand,
    display_brand: test.brand,
    last4: test.last4,
    fingerprint: `sbxcard${test.brand}${test.last4}`,
    exp_month: 12,
    exp_year: new Date(now * 1000).getUTCFullYear() + 3,
    country: 'US',
    funding: 'credit',
    regulated_status: 'unregulated',
  }
}

/** Saves a method to a customer. Some cards are declined at this point. */
export async function attach(tx: Session, method: PaymentMethod, customer: string): Promise<PaymentMethod> {
  if (method.customer === customer) return method
  if (method.customer) throw invalid('The payment method you provided has already been attached to a customer.')
  const decline = method._refusesSaving ? declineOf(method._outcome) : null
  if (decline) throw cardError(decline, {}, false)
  await tx.customer(customer)
  method.customer = customer
  await tx.save(method, 'payment_method.attached')
  return method
}

/** The first of these methods that is still saved to a customer. */
export async function preferredMethod(
  tx: Session,
  ...ids: (string | null | undefined)[]
): Promise<PaymentMethod | null> {
  for (const id of ids) {
    const method = id ? await tx.maybe<PaymentMethod>(id, 'payment_method') : null
    if (method?.customer) return method
  }
  return null
}

/** Answers 404 for a method that is saved to another customer. */
export function assertOwned(method: PaymentMethod, customer: string | null): void {
  if (method.customer && method.customer !== customer) throw noSuch('PaymentMethod', method.id, 'payment_method')
}
