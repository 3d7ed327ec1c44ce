// A certificate with its key, as the HTTPS listener needs it.
import type { Secret } from '../../lib/secret.ts'

export interface StoredCertificate {
  /** PEM, the leaf first. */
  chain: string
  key: Secret
}

/** By the name that it was issued for; undefined where none is stored. */
export type CertificateReader = (name: string) => Promise<StoredCertificate | undefined>
