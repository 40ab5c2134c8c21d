import { AppError } from '../../http/errors.ts'
import { isNamed, type Shop } from './shop.ts'

/** Where only people can help, a named shop says whom to write to. */
export const suspendedError = (shop: Pick<Shop, 'version' | 'support'>): AppError =>
  new AppError('account_suspended', isNamed(shop) ? `This account is suspended. Write to ${shop.support}.` : undefined)
