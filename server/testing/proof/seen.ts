/** What a call may have been charged, as its client knows. */
export interface Charge {
  accountId: number
  /** Credits; the same where the answer was received. */
  least: number
  most: number
}

/** A call whose outcome its client does not know: it was charged so, or not at all. */
export interface Lost extends Charge {
  tool: string
}

export interface SeenStream extends Lost {
  /** As the stream named it. */
  receipt: string
  /** The server lived, and the account can pay: the stream was recorded. */
  mustBeRecorded: boolean
}

/** A non-GET operation of the upstream with an idempotency key. */
export interface SeenOrder {
  accountId: number
  /** As the client sent it. */
  key: string
  answered: boolean
  /** Attempts before the first answer that may have reached the upstream. */
  uncertain: number
}

/** A hold that its service never settles, and that is charged in full at its end. */
export interface NeverSettled {
  accountId: number
  hold: string
  credits: number
}

/** Counts of what the clients saw. */
export interface Seen {
  /** Requests sent, repeats included. */
  sent: number
  /** Of these, tool calls over MCP. */
  sentOverMcp: number
  /** Of these, calls of an upstream's operations, streams included. */
  sentToUpstream: number
  /** Of these, requests to /v1/meter. */
  sentToMeterDoor: number
  /** 200, with a charge. */
  charged: number
  /** 200, for an idempotency key that was already charged. */
  replayed: number
  /** 402 and 403. */
  refused: number
  /** 503: nothing may be charged. */
  unavailable: number
  /** 502 and 504: the upstream failed, and nothing may be charged. */
  upstreamFailed: number
  /** 409: the first call with the key is under way, or its server died in it. */
  underWay: number
  /** No complete answer arrived. */
  broken: number
  /** Streams that were read to their last byte, that the customer left, and that broke off. */
  streamsRead: number
  streamsLeft: number
  streamsCut: number
  /** Calls authorized by a service, and how they ended. */
  settled: number
  released: number
  neverSettled: number
  /** Anything else. */
  unexpected: string[]
  /** Receipt of each charged answer. */
  receipts: Map<string, Charge>
  lost: Lost[]
  streams: SeenStream[]
  orders: SeenOrder[]
  chargedAtEnd: NeverSettled[]
  /** Idempotency keys whose answers named more than one receipt. */
  keysChargedTwice: string[]
  /** Idempotency keys of which a retry got another answer than the first. */
  otherAnswers: string[]
}

export const newSeen = (): Seen => ({
  ...{ sent: 0, sentOverMcp: 0, sentToUpstream: 0, sentToMeterDoor: 0 },
  ...{ charged: 0, replayed: 0, refused: 0, unavailable: 0, upstreamFailed: 0, underWay: 0, broken: 0 },
  ...{ streamsRead: 0, streamsLeft: 0, streamsCut: 0, settled: 0, released: 0, neverSettled: 0 },
  ...{ unexpected: [], receipts: new Map(), lost: [], streams: [], orders: [], chargedAtEnd: [] },
  ...{ keysChargedTwice: [], otherAnswers: [] },
})

/** Notes an answer that does not belong to a proof; some are enough. */
export function unexpected({ unexpected: list }: Seen, text: string): void {
  if (list.length < 20) list.push(text)
}
