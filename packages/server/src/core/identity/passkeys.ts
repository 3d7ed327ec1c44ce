// Passkeys of an account. A passkey signs in alone: it is something that the person has, and the device asks for a fingerprint,
// a face or a PIN.
import {
  limits,
  type NewCredential,
  type Passkey,
  type PasskeyAssertion,
  type PasskeyCreation,
} from '@svc/contract'
import { Fault } from '../../lib/fault.ts'
import { newId } from '../../lib/ids.ts'
import { findAccountById, lockAccount } from '../../store/identity/accounts.ts'
import { githubUserOf } from '../../store/identity/github-users.ts'
import {
  deletePasskey,
  findPasskey,
  insertPasskey,
  listPasskeys,
  notePasskeyUse,
  renamePasskey,
} from '../../store/identity/passkeys.ts'
import type { Tx } from '../../store/store.ts'
import type { AccountRow, PasskeyRow } from '../../store/tables.ts'
import { audit } from '../base/audit.ts'
import type { Caller } from '../base/caller.ts'
import type { Platform, Vault } from '../base/platform.ts'
import { isoTime, isoTimeOrNull } from '../base/times.ts'
import { type Confirmation, whenConfirmed } from './confirmation.ts'
import { noteSecurityEvent } from './security-events.ts'
import { type SignedIn, startSession } from './sessions.ts'
import {
  algorithms,
  challengeMs,
  descriptorOf,
  newChallenge,
  type PasskeyParts,
  relyingParty,
  requestOptions,
  usablePasskeys,
  verifyAssertion,
  verifyRegistration,
} from './webauthn.ts'

const signInPurpose = { purpose: 'sign-in', account_id: null } as const

export const startPasskeySignIn = (platform: PasskeyParts) => requestOptions(platform, signInPurpose)

export async function signInWithPasskey(
  platform: PasskeyParts & Vault,
  credential: PasskeyAssertion,
): Promise<SignedIn> {
  const passkey = await findPasskey(platform.store.db, credential.id)
  if (!passkey) throw unknownPasskey()
  const counter = await verifyAssertion(platform, signInPurpose, passkey, credential)
  if (counter === undefined) throw failedSignIn()
  return await platform.store.transact(async tx => {
    await lockAccount(tx, passkey.account_id)
    const account = await findAccountById(tx, passkey.account_id)
    const noted = await notePasskeyUse(tx, passkey, { counter, at: platform.clock.now() })
    if (!account || !noted) throw failedSignIn()
    return await startSession(platform, tx, account)
  })
}

const unknownPasskey = (): Fault =>
  new Fault(
    'unauthorized',
    'This passkey is not known here any more. Sign in with your password, and remove the passkey from your device.',
  )
const failedSignIn = (): Fault =>
  new Fault('unauthorized', 'The passkey could not be checked, or took too long. Try again.')

export async function passkeysOf(platform: PasskeyParts, accountId: string): Promise<Passkey[]> {
  return (await listPasskeys(platform.store.db, accountId)).map(row => describe(platform, row))
}

const describe = (platform: Pick<Platform, 'urls'>, row: PasskeyRow): Passkey => ({
  id: row.id,
  name: row.name,
  created_at: isoTime(row.created_at),
  last_used_at: isoTimeOrNull(row.last_used_at),
  domain: row.rp_id,
  usable: row.rp_id === relyingParty(platform).id,
})

const addPurpose = (accountId: string) => ({ purpose: 'add', account_id: accountId }) as const

export async function startPasskey(
  platform: PasskeyParts & Pick<Platform, 'domain'>,
  caller: Caller,
  input: Confirmation,
): Promise<PasskeyCreation> {
  const { account, passkeys } = await whenConfirmed(platform, caller, input, async (tx, account) => ({
    account,
    passkeys: await listPasskeys(tx, account.id),
  }))
  requireRoom(passkeys)
  return {
    challenge: await newChallenge(platform, addPurpose(account.id)),
    rp: { id: relyingParty(platform).id, name: `svc (${platform.domain})` },
    user: {
      id: Buffer.from(account.id).toString('base64url'),
      name: account.login,
      displayName: account.login,
    },
    pubKeyCredParams: algorithms.map(alg => ({ type: 'public-key', alg })),
    timeout: challengeMs,
    attestation: 'none',
    excludeCredentials: passkeys.map(descriptorOf),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
  }
}

function requireRoom(passkeys: readonly PasskeyRow[]): void {
  if (passkeys.length >= limits.passkeys)
    throw new Fault('forbidden', `An account has at most ${limits.passkeys} passkeys. Remove one first.`)
}

/** The challenge shows that the owner has confirmed it, so this asks for no password. */
export async function addPasskey(
  platform: PasskeyParts,
  caller: Caller,
  { name, credential }: { name: string; credential: NewCredential },
): Promise<Passkey> {
  const { id: accountId, login } = caller.account
  const made = await verifyRegistration(platform, addPurpose(accountId), credential)
  const row: PasskeyRow = {
    id: newId('psk'),
    account_id: accountId,
    credential_id: made.credentialId,
    public_key: made.publicKey,
    counter: made.counter,
    transports: JSON.stringify(credential.response.transports ?? []),
    name,
    rp_id: relyingParty(platform).id,
    created_at: platform.clock.now(),
    last_used_at: null,
  }
  await platform.store.transact(async tx => {
    await lockAccount(tx, accountId)
    requireRoom(await listPasskeys(tx, accountId))
    if (!(await insertPasskey(tx, row))) throw new Fault('name_taken', 'This passkey was added already.')
    await noteSecurityEvent(platform, tx, {
      action: 'account.passkey-add',
      account: { id: accountId, login },
      by: caller,
      details: { name },
    })
  })
  return describe(platform, row)
}

/** A name opens nothing, so this asks for no password. */
export async function changePasskeyName(
  platform: PasskeyParts,
  caller: Caller,
  id: string,
  name: string,
): Promise<Passkey> {
  const { id: accountId, login } = caller.account
  return await platform.store.transact(async tx => {
    const row = await renamePasskey(tx, { id, accountId, name })
    if (!row) throw noSuchPasskey()
    const details = { name }
    await audit(platform, tx, caller, { action: 'account.passkey-rename', accountId, target: login, details })
    return describe(platform, row)
  })
}

const noSuchPasskey = (): Fault => new Fault('not_found', 'There is no such passkey of yours.')

export async function removePasskey(
  platform: PasskeyParts,
  caller: Caller,
  id: string,
  input: Confirmation,
): Promise<void> {
  await whenConfirmed(platform, caller, input, async (tx, account) => {
    const passkey = (await listPasskeys(tx, account.id)).find(row => row.id === id)
    if (!passkey) throw noSuchPasskey()
    await deletePasskey(tx, id)
    await requireWayIn(platform, tx, account)
    await noteSecurityEvent(platform, tx, {
      action: 'account.passkey-remove',
      account,
      by: caller,
      details: { name: passkey.name },
    })
  })
}

/** Called after a passkey was deleted. An error takes the deletion back. */
async function requireWayIn(platform: PasskeyParts, tx: Tx, account: AccountRow): Promise<void> {
  if (account.password_hash !== null || (await githubUserOf(tx, account.id))) return
  if ((await usablePasskeys(platform, tx, account.id)).length > 0) return
  throw new Fault(
    'forbidden',
    `This is the only way to sign in to your account. Add another passkey first, or ask the operator for a password: svcd users passwd ${account.login}`,
  )
}
