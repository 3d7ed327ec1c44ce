// The parts that issue certificates.
import type { Acme } from '../../../ports/acme/port.ts'
import type { Dns01 } from '../../../ports/dns01/port.ts'
import type { AuthorityBackoff } from './authority-backoff.ts'

/** Without it, the platform issues no certificates. */
export interface Issuing {
  acme: Acme
  /** For the platform's wildcard certificate. `undefined` if the operator provides that certificate. */
  dns01: Dns01 | undefined
  backoff: AuthorityBackoff
}
