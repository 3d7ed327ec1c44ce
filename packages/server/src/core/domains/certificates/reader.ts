// What the listeners read of certificates: the chain with its key, and the challenge that is pending.
import { Secret } from '../../../lib/secret.ts'
import { findChallenge, findShown } from '../../../store/domains/certificates.ts'
import type { Platform, Vault } from '../../base/platform.ts'
import type { RowPlace, RowSource } from '../../base/row-source.ts'
import { keyIds, placeOfTlsKey } from './private-keys.ts'

interface StoredCertificate {
  /** PEM, the leaf first. */
  chain: string
  key: Secret
}

/** By the name that it was issued for. `undefined` if none is stored. */
export type CertificateReader = (name: string) => Promise<StoredCertificate | undefined>

export const certificateReader =
  (source: RowSource, { keyring }: Pick<Vault, 'keyring'>): CertificateReader =>
  async name => {
    const place: RowPlace = { topic: 'certificate', key: name, part: 'shown' }
    const [row] = await source.rows(place, db => findShown(db, name))
    if (!row?.chain) return undefined
    const key = keyring.open(row, placeOfTlsKey({ id: keyIds.certificate(name) }))
    return { chain: row.chain, key: new Secret(key) }
  }

export interface PendingChallenge {
  token: string
  answer: string
}

export type ChallengeReader = (host: string) => Promise<PendingChallenge | undefined>

export const challengeReader =
  ({ store }: Pick<Platform, 'store'>): ChallengeReader =>
  async host => {
    const row = (await findChallenge(store.db, host)).rows[0]
    if (!row?.challenge_token || row.challenge_answer === null) return undefined
    return { token: row.challenge_token, answer: row.challenge_answer }
  }
