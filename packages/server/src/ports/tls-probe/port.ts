// Reads the certificate that a domain presents in a TLS handshake.
export interface ShownCertificate {
  issuer: string
  subject: string
  validFrom: number
  validTo: number
  /** Why browsers would not accept it: its chain, its name or its time. `undefined` if it is valid. */
  problem: string | undefined
}

/** `unreachable` says why there was no handshake. */
export type TlsProbe = (domain: string) => Promise<ShownCertificate | { unreachable: string }>

/** The certificate (DER) that an address shows to a client that speaks `acme-tls/1` alone. `undefined` if it shows none. */
export type AlpnProbe = (target: { host: string; address: string }) => Promise<Buffer | undefined>
