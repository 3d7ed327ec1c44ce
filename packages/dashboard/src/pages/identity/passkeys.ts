// Passkeys in this browser. The code for them is loaded when a passkey is first used.
import type { PasskeyAssertion, PasskeyCreation, PasskeyRequest } from '@svc/contract'
import { call } from '../../api.ts'

/** False over HTTP (except on localhost), and in old browsers. */
export const canUsePasskeys = (): boolean => typeof PublicKeyCredential === 'function'

/** Lets the person sign in with one of the passkeys of this device. */
export async function signInWithPasskey() {
  const credential = await choosePasskey(await call('POST /auth/passkey/options'))
  return await call('POST /auth/passkey', { body: { credential } })
}

/** Asks the signed-in person for a passkey, to confirm a change. */
export const confirmWithPasskey = async () => ({
  passkey: await choosePasskey(await call('POST /me/passkeys/challenge')),
})

async function choosePasskey(options: PasskeyRequest): Promise<PasskeyAssertion> {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  return await explained(startAuthentication({ optionsJSON: options }))
}

export async function createPasskey(name: string, options: PasskeyCreation) {
  const { startRegistration } = await import('@simplewebauthn/browser')
  const credential = await explained(startRegistration({ optionsJSON: options }))
  return await call('POST /me/passkeys', { body: { name, credential } })
}

const reasons: Record<string, string> = {
  NotAllowedError: 'No passkey was chosen, or it took too long. Try again.',
  AbortError: 'No passkey was chosen.',
  InvalidStateError: 'This device has a passkey for your account already.',
  SecurityError: `Passkeys do not work at ${location.host}. Open the dashboard at its own domain, over HTTPS.`,
}

/** The messages of browsers are for developers. */
async function explained<T>(asking: Promise<T>): Promise<T> {
  try {
    return await asking
  } catch (cause) {
    const reason = cause instanceof Error ? reasons[cause.name] : undefined
    throw reason ? new Error(reason, { cause }) : cause
  }
}
