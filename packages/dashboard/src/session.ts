// Who is signed in: the token in local storage, and the account that the API says it belongs to.
import type { Account } from '@svc/contract'
import { ApiError, createClient } from '@svc/contract/client'
import { takeAccessToken } from './arrival.ts'
import { notify } from './components/toasts.tsx'
import { config } from './config.ts'
import { forgetResources } from './resource.ts'
import { createStore } from './store.ts'

const key = 'svc.token'

type Session =
  | { state: 'checking' }
  /** `why` if the session ended without a sign-out on this page. */
  | { state: 'signed out'; why?: string }
  | { state: 'signed in'; token: string; account: Account }
  /** A link wants to sign in another account than the present one. */
  | { state: 'asking'; present: Account; arriving: Account }
  | { state: 'unreachable'; message: string }

export const session = createStore<Session>({ state: 'checking' })

const accountOf = (token: string) => createClient({ baseUrl: config().api_url, token })('GET /me')

/** A token from the URL, until the user or the API decides whether it is used. */
let offered: string | undefined

/**
 * Settles who is signed in. A token from the URL signs in at once, unless another account is signed in here: a link
 * from anywhere must not swap the account without a question.
 */
export async function openSession(): Promise<void> {
  offered = takeAccessToken() ?? offered
  const stored = localStorage.getItem(key)
  try {
    const arriving = offered && (await accountBehind(offered))
    if (offered && !arriving) {
      offered = undefined
      notify({ tone: 'error', text: 'That sign-in link is not valid any more.' })
    }
    const present = stored && stored !== offered ? await accountBehind(stored) : undefined
    if (offered && arriving && present && present.id !== arriving.id)
      session.set({ state: 'asking', present, arriving })
    else if (offered && arriving) signInWith(offered, arriving)
    else if (stored && present) adopt(stored, present)
    else if (stored) endRefusedSession(stored)
    else endSession(session.get().state === 'signed in' ? endedInOtherTab : undefined)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    session.set({ state: 'unreachable', message: error.message })
  }
}

/** Returns the account of a token. `undefined` if the token is not valid any more. */
async function accountBehind(token: string): Promise<Account | undefined> {
  try {
    return await accountOf(token)
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return undefined
    throw error
  }
}

/** Called when the user has decided whether to switch to the account of the link. */
export function answerOffer(isAccepted: boolean): void {
  const current = session.get()
  if (current.state !== 'asking') return
  if (isAccepted && offered) signInWith(offered, current.arriving)
  else {
    offered = undefined
    void openSession()
  }
}

function signInWith(token: string, account: Account): void {
  const isOther = ![null, token].includes(localStorage.getItem(key))
  offered = undefined
  adopt(token, account)
  if (isOther) notify({ tone: 'ok', text: `Signed in as ${account.gitforge_login}.` })
}

function adopt(token: string, account: Account): void {
  if (localStorage.getItem(key) !== token) forgetResources()
  localStorage.setItem(key, token)
  session.set({ state: 'signed in', token, account })
}

export const isPlatformAdmin = (current: Session): boolean =>
  current.state === 'signed in' && current.account.platform_admin === true

/** The login of the signed-in account. Only pages that need a sign-in use it. */
export function useLogin(): string {
  const current = session.use()
  return current.state === 'signed in' ? current.account.gitforge_login : ''
}

/** Signs in with a token that the API just gave out. `land` may go to another page before the present one knows. */
export async function startSession(token: string, land?: () => void): Promise<Account> {
  const account = await accountOf(token)
  if (localStorage.getItem(key) !== token) forgetResources()
  land?.()
  adopt(token, account)
  return account
}

/** Loads the account again after a change to it. */
export async function refreshAccount(): Promise<void> {
  const current = session.get()
  if (current.state !== 'signed in') return
  const account = await accountOf(current.token)
  if (session.get() === current) session.set({ ...current, account })
}

/** The sign-in page says why. */
export function endSession(why?: string): void {
  localStorage.removeItem(key)
  forgetResources()
  session.set({ state: 'signed out', ...(why && { why }) })
}

/** The API refused the token. Does nothing if another one is in use by now. */
export function endRefusedSession(token: string): void {
  const stored = localStorage.getItem(key)
  if (stored && stored !== token) return
  // A request that was under way is refused after the session has ended. The reason that is shown stays.
  if (session.get().state !== 'signed out') endSession(endedElsewhere)
}

/** The API does not say which of these is the case. */
const endedElsewhere =
  'You were signed out: this session has expired, or it was ended on another device. Sign in again to go on.'
const endedInOtherTab = 'You signed out in another tab.'

/** Forgets the token here at once, and ends it at the API if it is a session of the dashboard's own. */
export function signOut(): void {
  const current = session.get()
  if (current.state === 'signed in')
    createClient({ baseUrl: config().api_url, token: current.token })('POST /auth/signout').catch(() => {
      // The API cannot be reached. The token stays valid until it is revoked on the tokens page.
    })
  endSession()
}

/** Signs in or out when another tab does. */
export function followOtherTabs(): void {
  addEventListener('storage', event => {
    if (event.key === key || event.key === null) void openSession()
  })
}
