// A look at the certificate that a domain really shows.
export interface ShownCertificate {
  issuer: string
  subject: string
  validFrom: number
  validTo: number
  /** What is wrong with it: its chain, its name, its time. `undefined` if all is well. */
  problem: string | undefined
}

/** Where nothing answers: why. */
export type TlsProbe = (domain: string) => Promise<ShownCertificate | { unreachable: string }>
