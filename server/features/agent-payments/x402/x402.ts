import type { Logger } from 'pino'
import { AppError } from '../../../http/errors.ts'
import { sorted } from '../../tools/request-hash.ts'
import type { PaymentMethod, Quote, Receipt, Settlement } from '../method.ts'
import { createFacilitator } from './facilitator.ts'
import type { Libraries } from './load-libraries.ts'
import { createLook } from './look.ts'
import { readPayment, type X402Credential } from './read-payment.ts'
import { type PaymentConfig, readToken, SETTLE_SECONDS, TOKEN_DECIMALS, termsOf, X402_VERSION } from './terms.ts'

const VERIFY_MS = 10_000
const SETTLE_MS = 25_000
const RPC_MS = 10_000
/** Of an ordinary wallet. Those of contracts are longer, and only the chain can check them. */
const SIGNATURE_CHARACTERS = 2 + 2 * 65

/** Takes USDC or another token with signed transfers (EIP-3009) by the scheme `exact` of x402. Throws an Error where the token is unknown. */
export function createX402(
  config: PaymentConfig,
  libraries: Libraries,
  log: Logger,
  settleMs = SETTLE_MS,
): PaymentMethod<X402Credential> {
  const network = config.X402_NETWORK!
  const token = config.X402_TOKEN ? readToken(config.X402_TOKEN) : usdcOf(network, libraries)
  const facilitator = createFacilitator(config.X402_FACILITATOR!, config.X402_FACILITATOR_TOKEN)
  const chain = libraries.createPublicClient({
    transport: libraries.http(config.X402_RPC_URL!, { timeout: RPC_MS, retryCount: 1 }),
  })
  const chainId = Number(network.slice('eip155:'.length))
  const look = createLook(libraries, chain, chainId)
  const terms = (quote: Quote) => termsOf(config, token, quote)

  const isSigned = async ({ payload: { payload } }: X402Credential): Promise<boolean> => {
    const { from, to, value, validAfter, validBefore, nonce } = payload.authorization
    const signer = await libraries
      .recoverTypedDataAddress({
        domain: { name: token.name, version: token.version, chainId, verifyingContract: token.address },
        types: libraries.authorizationTypes,
        primaryType: 'TransferWithAuthorization',
        message: {
          from,
          to,
          value: BigInt(value),
          validAfter: BigInt(validAfter),
          validBefore: BigInt(validBefore),
          nonce,
        },
        signature: payload.signature as `0x${string}`,
      })
      .catch(() => '')
    return signer.toLowerCase() === from.toLowerCase()
  }

  return {
    id: 'x402',
    offer: (quote, error) => ({
      x402Version: X402_VERSION,
      ...(error !== undefined && { error }),
      resource: { ...quote.resource, mimeType: 'application/json' },
      accepts: [terms(quote)],
      extensions: {},
    }),
    read: readPayment,
    refuses(credential, quote) {
      const { amount, asset, payTo, maxTimeoutSeconds } = terms(quote)
      const now = Date.now()
      if (credential.accepted !== JSON.stringify(sorted(terms(quote)))) return 'unknown_terms'
      if (credential.resourceUrl !== quote.resource.url) return 'wrong_resource'
      if (credential.payTo !== payTo.toLowerCase()) return 'invalid_exact_evm_payload_recipient_mismatch'
      if (credential.amount !== amount || credential.asset !== asset.toLowerCase())
        return 'invalid_exact_evm_payload_authorization_value_mismatch'
      if (credential.validAfter.getTime() > now) return 'invalid_exact_evm_payload_authorization_valid_after'
      const before = credential.validBefore.getTime()
      if (before < now + quote.timeoutMs + SETTLE_SECONDS * 1000 || before > now + (maxTimeoutSeconds + 60) * 1000)
        return 'invalid_exact_evm_payload_authorization_valid_before'
      return null
    },
    async verify(credential, quote) {
      const { signature } = credential.payload.payload
      if (signature.length === SIGNATURE_CHARACTERS && !(await isSigned(credential)))
        return 'invalid_exact_evm_payload_signature'
      const { isValid, invalidReason, payer } = await facilitator
        .verify(credential.payload, terms(quote), VERIFY_MS)
        .catch((error: Error) => {
          log.warn({ error: error.message }, 'a payment could not be verified')
          throw notVerified()
        })
      if (!isValid) return reasonOf(invalidReason)
      return payer === undefined || payer.toLowerCase() === credential.payer ? null : 'wrong_payer'
    },
    async settle(credential, quote) {
      const leftMs = credential.validBefore.getTime() - Date.now() - 1_000
      if (leftMs < 1_000) return { kind: 'failed', reason: 'expired_before_settlement' }
      const settled = await facilitator
        .settle(credential.payload, terms(quote), Math.min(settleMs, leftMs))
        .catch((error: Error) => {
          log.warn({ error: error.message }, 'a settlement was not answered')
          return null
        })
      if (!settled) return { kind: 'unknown', reason: 'not_answered' }
      const { success, transaction, network: where, errorReason } = settled
      if (success && where === network && /^0x[0-9a-fA-F]{64}$/.test(transaction))
        return { kind: 'settled', reference: transaction.toLowerCase() }
      return decide({ success, transaction, reason: reasonOf(errorReason) }, () =>
        look({ ...credential, claimedAt: new Date(Date.now() - settleMs) }),
      )
    },
    look,
    receipt: ({ success, reference, network: where, payer, reason }: Receipt) => ({
      success,
      transaction: reference,
      network: where,
      payer,
      ...(reason !== undefined && { errorReason: reason }),
    }),
  }
}

/**
 * What a refusal of the facilitator means. "Nonce already used" may be the payment itself, sent by somebody else, so the chain is asked.
 * What may still be under way is unknown.
 */
async function decide(
  { success, transaction, reason }: { success: boolean; transaction: string; reason: string },
  look: () => Promise<Settlement>,
): Promise<Settlement> {
  if (success) return { kind: 'unknown', reason: 'unclear_answer' }
  const seen = await look()
  if (seen.kind !== 'unknown') return seen
  // A node may be behind the one that saw the nonce used.
  const isProven = seen.reason === 'unused' && /^(invalid_|insufficient_)/.test(reason) && !reason.includes('nonce')
  return isProven && (transaction === '' || /failed|revert/.test(reason))
    ? { kind: 'failed', reason }
    : { kind: 'unknown', reason }
}

const notVerified = () =>
  new AppError(
    'billing_unavailable',
    'Payments cannot be verified at the moment. Nothing was charged. Send the same request again.',
    { retryAfterSeconds: 5 },
  )

/** A name, never a text that repeats what was sent. */
const reasonOf = (reason: string | undefined): string =>
  reason !== undefined && /^[a-z0-9_]{1,100}$/.test(reason) ? reason : 'refused'

function usdcOf(network: string, { getDefaultAsset }: Libraries) {
  const { asset, name, version, decimals } = getDefaultAsset(network)
  if (decimals !== TOKEN_DECIMALS)
    throw new Error(`X402_TOKEN: the token of ${network} has ${decimals} decimals, not 6.`)
  return { address: asset, name, version }
}
