// WebAuthn: challenges, and the check of what an authenticator answers. The library checks the signatures. It is loaded
// with the first answer, because it takes 30 MB of memory.
import type { NewCredential, PasskeyAssertion, PasskeyRequest } from '@svc/contract'
import { minuteMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import { newSecret, sha256 } from '../../lib/ids.ts'
import { insertPasskeyChallenge, listPasskeys, usePasskeyChallenge } from '../../store/identity/passkeys.ts'
import type { Db } from '../../store/store.ts'
import type { PasskeyChallengeRow, PasskeyRow } from '../../store/tables.ts'
import type { Platform, Rows } from '../base/platform.ts'

export type PasskeyParts = Rows & Pick<Platform, 'urls'>

/** What a challenge is for. One for a sign-in confirms nothing, and the other way round. */
type Purpose = Omit<PasskeyChallengeRow, 'hash' | 'expires_at'>

export const challengeMs = 10 * minuteMs
/** EdDSA, ES256 and RS256, which all authenticators know at least one of. */
export const algorithms = [-8, -7, -257]

/** The host of the dashboard. A browser uses a passkey on the host that it was made for, and on no other. */
export const relyingParty = ({ urls }: Pick<Platform, 'urls'>): { id: string; origin: string } => {
  const { hostname, origin } = new URL(urls.dashboard)
  return { id: hostname, origin }
}

/** Those that were made for the present host of the dashboard. */
export async function usablePasskeys(
  platform: Pick<Platform, 'urls'>,
  db: Db,
  accountId: string,
): Promise<PasskeyRow[]> {
  const { id } = relyingParty(platform)
  return (await listPasskeys(db, accountId)).filter(({ rp_id }) => rp_id === id)
}

export async function newChallenge({ store, clock }: Rows, purpose: Purpose): Promise<string> {
  const challenge = newSecret()
  const expiresAt = clock.now() + challengeMs
  await insertPasskeyChallenge(store.db, { ...purpose, hash: sha256(challenge), expires_at: expiresAt })
  return challenge
}

/** Options for `navigator.credentials.get`. Without passkeys, the person chooses one of those that the device has. */
export async function requestOptions(
  platform: PasskeyParts,
  purpose: Purpose,
  passkeys: readonly PasskeyRow[] = [],
): Promise<PasskeyRequest> {
  return {
    challenge: await newChallenge(platform, purpose),
    rpId: relyingParty(platform).id,
    timeout: challengeMs,
    userVerification: 'required',
    allowCredentials: passkeys.map(descriptorOf),
  }
}

export const descriptorOf = ({ credential_id, transports }: PasskeyRow) => ({
  id: credential_id,
  type: 'public-key' as const,
  transports: JSON.parse(transports) as string[],
})

const expectations = (platform: PasskeyParts, purpose: Purpose) => ({
  expectedChallenge: (challenge: string) =>
    usePasskeyChallenge(platform.store.db, { ...purpose, hash: sha256(challenge) }, platform.clock.now()),
  expectedOrigin: relyingParty(platform).origin,
  expectedRPID: relyingParty(platform).id,
  requireUserVerification: true,
})

/** Checks the signature of a passkey. Returns its new counter, or `undefined` if anything is wrong. */
export async function verifyAssertion(
  platform: PasskeyParts,
  purpose: Purpose,
  passkey: PasskeyRow,
  { id, rawId, type, response }: PasskeyAssertion,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const { userHandle, ...signed } = response
  const owner = Buffer.from(passkey.account_id).toString('base64url')
  if (userHandle && userHandle !== owner) return undefined
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    ...expectations(platform, purpose),
    response: { id, rawId, type, response: signed, clientExtensionResults: {} },
    credential: {
      id: passkey.credential_id,
      publicKey: Buffer.from(passkey.public_key, 'base64url'),
      counter: passkey.counter,
    },
  }).catch(notVerified)
  return verified ? authenticationInfo.newCounter : undefined
}

/** The library throws for every kind of wrong answer. */
const notVerified = (error: unknown): { verified: false; authenticationInfo?: never } => {
  if (!(error instanceof Error)) throw error
  return { verified: false }
}

interface Registered {
  credentialId: string
  publicKey: string
  counter: number
}

/** Checks a new passkey. Throws if anything is wrong. */
export async function verifyRegistration(
  platform: PasskeyParts,
  purpose: Purpose,
  { id, rawId, type, response }: NewCredential,
): Promise<Registered> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const { clientDataJSON, attestationObject } = response
  try {
    await refuseCertificates(attestationObject)
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      ...expectations(platform, purpose),
      response: {
        id,
        rawId,
        type,
        response: { clientDataJSON, attestationObject },
        clientExtensionResults: {},
      },
      supportedAlgorithmIDs: algorithms,
    })
    if (!verified) throw new Error('the signature is wrong')
    const { credential } = registrationInfo
    const publicKey = Buffer.from(credential.publicKey).toString('base64url')
    return { credentialId: credential.id, publicKey, counter: credential.counter }
  } catch (cause) {
    throw new Fault('forbidden', 'The passkey could not be checked, or took too long. Try again.', { cause })
  }
}

/**
 * The options ask for no attestation, so browsers send no certificates. The library would follow the URLs in a
 * certificate, and a hostile client must not choose them.
 */
async function refuseCertificates(attestationObject: string): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  const decoded = decodeAttestationObject(Buffer.from(attestationObject, 'base64url'))
  const format = decoded.get('fmt')
  if (format === 'none') return
  if (format !== 'packed' || decoded.get('attStmt').size !== 2)
    throw new Error(`an attestation of the format ${String(format).slice(0, 40)}`)
}
