// Custom domains and the certificates for them.

export interface DomainRow {
  domain: string
  project_id: string
  /** The branch it tracks; null for production. */
  branch: string | null
  /** The branch's deployment that it shows; null while there is none, and for production. */
  deployment_id: string | null
  created_at: number
  /** Since when it is served: proved to be the owner's, or attached while no proof was asked for. Null while it waits. */
  verified_at: number | null
  /** When a domain that waits for proof is checked again. */
  next_look_at: number | null
  /** Another domain of the project, to which this one redirects. */
  redirect_to: string | null
  /** 1 for the domain whose URL is shown as the project's own. */
  is_primary: number
}

export type NewDomainRow = Omit<DomainRow, 'redirect_to' | 'is_primary'>

/** A domain that was detached: for a while its former owner alone may attach it without proof. */
export interface DomainReleaseRow {
  domain: string
  /** An account or an org, which may be gone. */
  owner_id: string
  released_at: number
}

/**
 * `pending`: waits for its DNS or for a limit. `issuing`: a node works on it until `claimed_until`. `valid`: stored, not due
 * for renewal. `failed`: the last attempt failed. In every state, a stored chain is used.
 */
type CertificateState = 'pending' | 'issuing' | 'valid' | 'failed'

export interface CertificateRow {
  /** The domain, `*.<platform's domain>`, or a host below the platform's domain. */
  name: string
  /** Null for the platform's own. */
  domain: string | null
  /** The project whose host it is, of a host below the platform's domain. */
  project_id: string | null
  /** 1 if a visitor asked for it. It is not renewed: the next visitor asks again. */
  on_demand: number
  state: CertificateState
  /** When it is checked again. */
  next_at: number
  /** Identifies the current claim. Only its holder writes to the row. */
  claim: string | null
  claimed_until: number | null
  /** Failures in a row. */
  failures: number
  /** Why it is not issued yet, in words. */
  waiting_for: string | null
  /** What went wrong the last time, in words. */
  error: string | null
  /** The order under way at the authority. */
  order_url: string | null
  /** What is to be answered below /.well-known/acme-challenge/ while a challenge is pending. */
  challenge_token: string | null
  challenge_answer: string | null
  /** PEM, the leaf first. */
  chain: string | null
  issued_at: number | null
  expires_at: number | null
  /** When the authority was last asked when it is to be renewed. */
  renewal_asked_at: number | null
  created_at: number
}

/** Private keys of certificates, of orders under way, and of the account at the authority. */
export interface TlsKeyRow {
  id: string
  domain: string | null
  project_id: string | null
  sealed: string
  key_id: string
}

export interface CertificateOrderRow {
  id: string
  name: string
  /** The registered domain, which the authority counts by. */
  registered: string
  ordered_at: number
  /** 0 for the further names of an order. */
  is_first: number
  /** Null for orders of earlier versions. */
  kind: CertificateKind | null
  /** The owner of the project whose host it is. */
  owner_id: string | null
}

/**
 * `domain`: a custom domain. `wildcard` and `platform`: the platform's own. `project`: the production host of a project.
 * `demand`: a preview, a permanent URL or a share, which is ordered when a visitor asks for it.
 */
export type CertificateKind = 'domain' | 'wildcard' | 'platform' | 'project' | 'demand'
