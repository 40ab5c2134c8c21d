import type { Manifest } from '../manifest.ts'
import type { UpstreamFailure } from './failure.ts'

/** Pairs of account and operation that are remembered for one upstream; then the oldest is forgotten. */
const MOST_REMEMBERED = 10_000
/** An upstream that asks for a longer rest is asked again after this, so that a wrong header does not close it for hours. */
const MOST_REST_S = 60

/** How a call went: its failure, or null when it says nothing of the upstream. */
export type Outcome = 'good' | Failure | null
type Failure = Partial<Pick<UpstreamFailure, 'refused' | 'retryAfterS'>>

/** Who rests until a call that tries it has succeeded. */
interface Resting {
  rests: boolean
  untilMs: number
}
interface Own extends Resting {
  failedAtMs: number[]
  succeededAtMs: number
  tries: boolean
}
interface Operation extends Resting {
  accounts: Map<string, Own>
}

/**
 * Which calls of an upstream rest. An account whose calls of an operation failed `errors` times within `within_s` seconds rests alone, for
 * that operation. All accounts rest when two or more have failed so often together and none that does not rest has succeeded, and from
 * every operation when a second account, too, was told that it may not call (`refused`). `now` and `most` are set by tests.
 */
export function createFailingAccounts(
  { errors, within_s, rest_s }: Manifest['limits']['breaker'],
  { now = performance.now.bind(performance), most = MOST_REMEMBERED } = {},
) {
  const operations = new Map<string, Operation>()
  let remembered = 0
  const all = { untilMs: Number.NEGATIVE_INFINITY }
  let lastRefused: { account: string; atMs: number } | undefined

  const rest = (one: Resting, seconds: number): void => {
    one.rests = true
    one.untilMs = now() + seconds * 1_000
  }

  const forgetOldest = (): void => {
    const [id, { accounts }] = operations.entries().next().value!
    accounts.delete(accounts.keys().next().value!)
    if (accounts.size === 0) operations.delete(id)
    remembered--
  }

  const remember = (account: string, id: string): [Operation, Own] => {
    if (remembered >= most) forgetOldest()
    const operation = operations.get(id) ?? { accounts: new Map(), rests: false, untilMs: 0 }
    operations.set(id, operation)
    const own: Own = {
      failedAtMs: [],
      succeededAtMs: Number.NEGATIVE_INFINITY,
      rests: false,
      untilMs: 0,
      tries: false,
    }
    operation.accounts.set(account, own)
    remembered++
    return [operation, own]
  }

  const isGood = ({ rests, succeededAtMs }: Own, sinceMs: number): boolean => !rests && succeededAtMs > sinceMs

  const isOut = ({ accounts }: Operation): boolean => {
    const sinceMs = now() - within_s * 1_000
    let failures = 0
    let failing = 0
    for (const own of accounts.values()) {
      if (isGood(own, sinceMs)) return false
      const recent = own.failedAtMs.filter((atMs) => atMs > sinceMs).length
      failures += recent
      if (recent > 0) failing++
    }
    return failing > 1 && failures >= errors
  }

  /** The upstream told an account, or the operator, that it may not call. */
  const refused = (account: string, restS: number): void => {
    const atMs = now()
    const sinceMs = atMs - within_s * 1_000
    const before = lastRefused
    lastRefused = { account, atMs }
    for (const { accounts } of operations.values()) {
      const own = accounts.get(account)
      if (own) own.succeededAtMs = Number.NEGATIVE_INFINITY
    }
    if (before === undefined || before.account === account || before.atMs <= sinceMs) return
    for (const { accounts } of operations.values())
      for (const own of accounts.values()) if (isGood(own, sinceMs)) return
    all.untilMs = atMs + restS * 1_000
  }

  const failed = (operation: Operation, own: Own, account: string, failure: Failure, tried: boolean): void => {
    const asked = failure.refused ? failure.retryAfterS : undefined
    const restS = asked === undefined ? rest_s : Math.min(asked, MOST_REST_S)
    if (asked === undefined && !tried) {
      const sinceMs = now() - within_s * 1_000
      own.failedAtMs = [...own.failedAtMs.filter((atMs) => atMs > sinceMs), now()].slice(-errors)
    }
    if (asked !== undefined || tried || own.failedAtMs.length >= errors) rest(own, restS)
    if (failure.refused) refused(account, restS)
    if (!operation.rests && isOut(operation)) rest(operation, rest_s)
  }

  return {
    operations,
    all,
    now,
    remember,
    failed,
    refused: (account: string, retryAfterS = rest_s) => refused(account, Math.min(retryAfterS, MOST_REST_S)),
  }
}
export type FailingAccounts = ReturnType<typeof createFailingAccounts>
