import type { Queryable } from '../../db/database.ts'
import { ACCESS_SECONDS, type Minted, mintCredential } from './credentials.ts'

export interface TokenAnswer {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  scope: string
}

/** A new pair of tokens of a grant. */
export const mintTokens = async (tx: Queryable, minted: Minted, scope: string): Promise<TokenAnswer> => ({
  access_token: await mintCredential(tx, 'access', minted),
  token_type: 'Bearer',
  expires_in: ACCESS_SECONDS,
  refresh_token: await mintCredential(tx, 'refresh', minted),
  scope,
})
