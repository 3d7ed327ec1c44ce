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

/** The challenge of the platform works for ten minutes. */
const offerMs = 9 * 60_000

/**
 * Lets the browser offer a passkey in the login field (an input with `autocomplete="username webauthn"`), until the signal
 * fires. Returns the answer of the API, or `undefined` if no passkey was chosen.
 */
export async function offerPasskeys(signal: AbortSignal) {
  if (!canUsePasskeys() || !(await PublicKeyCredential.isConditionalMediationAvailable?.())) return undefined
  const { startAuthentication, WebAuthnAbortService } = await import('@simplewebauthn/browser')
  signal.addEventListener('abort', () => WebAuthnAbortService.cancelCeremony())
  while (!signal.aborted) {
    // Nobody asked for this, so nobody is told if it fails.
    const optionsJSON = await call('POST /auth/passkey/options').catch(() => undefined)
    if (signal.aborted || !optionsJSON) return undefined
    let isOver = false
    const timer = setTimeout(() => {
      isOver = true
      WebAuthnAbortService.cancelCeremony()
    }, offerMs)
    const credential = await startAuthentication({ optionsJSON, useBrowserAutofill: true })
      // The offer is over, or the person chose another way to sign in.
      .catch(() => undefined)
      .finally(() => clearTimeout(timer))
    if (credential) return await call('POST /auth/passkey', { body: { credential } })
    if (!isOver) return undefined
  }
  return undefined
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
