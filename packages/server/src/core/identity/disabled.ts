// Disabled accounts: they cannot sign in, and none of their tokens works. Their sites stay online.
import { Fault } from '../../lib/fault.ts'
import type { AccountRow } from '../../store/tables.ts'

/** Say it only to a client that has shown a token, the password or a passkey of the account. */
export function requireEnabled(
  { disabled_at }: Pick<AccountRow, 'disabled_at'>,
  code: 'unauthorized' | 'forbidden' = 'forbidden',
): void {
  if (disabled_at !== null)
    throw new Fault(
      code,
      'This account is disabled. Its sites stay online. Ask an admin of this platform to enable it again.',
    )
}
