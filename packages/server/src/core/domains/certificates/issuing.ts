// What certificates are issued with.
import type { Acme } from '../../../ports/acme/port.ts'
import type { Dns01 } from '../../../ports/dns01/port.ts'
import type { AuthorityBackoff } from './authority-backoff.ts'

/** A platform without it issues no certificates. */
export interface Issuing {
  acme: Acme
  /** For the platform's own wildcard. `undefined` if it comes from elsewhere. */
  dns01: Dns01 | undefined
  backoff: AuthorityBackoff
}
