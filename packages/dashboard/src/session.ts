// Who is signed in: the token in local storage, and the account that the API says it belongs to.
import type { Account } from '@svc/contract'
import { ApiError, createClient } from '@svc/contract/client'
import { takeAccessToken } from './arrival.ts'
import { notify } from './components/toasts.tsx'
import { config } from './config.ts'
import { forgetResources } from './resource.ts'
import { createStore } from './store.ts'

const key = 'svc.token'

export type Session =
  | { state: 'checking' }
  | { state: 'signed out' }
  | { state: 'signed in'; token: string; account: Account }
  | { state: 'unreachable'; message: string }

export const session = createStore<Session>({ state: 'checking' })

const accountOf = (token: string) => createClient({ baseUrl: config().api_url, token })('GET /me')

/** A token from the address, until it is known whether it is good. */
let offered: string | undefined

/** Settles who is signed in: a token from the address if it is good, else the stored one. */
export async function openSession(): Promise<void> {
  offered = takeAccessToken() ?? offered
  if (offered) {
    const outcome = await tryToken(offered)
    if (outcome === 'unreachable') return
    offered = undefined
    if (outcome === 'good') return
    notify({ tone: 'error', text: 'That sign-in link is not valid any more.' })
  }
  const stored = localStorage.getItem(key)
  if (stored) await tryToken(stored)
  else session.set({ state: 'signed out' })
}

async function tryToken(token: string): Promise<'good' | 'refused' | 'unreachable'> {
  const before = localStorage.getItem(key)
  try {
    const { gitforge_login } = await startSession(token)
    if (before && before !== token) notify({ tone: 'ok', text: `Signed in as ${gitforge_login}.` })
    return 'good'
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.status === 401) {
      endSession(token)
      return 'refused'
    }
    session.set({ state: 'unreachable', message: error.message })
    return 'unreachable'
  }
}

/** The login of whoever is signed in; pages for the signed in have one. */
export function useLogin(): string {
  const current = session.use()
  return current.state === 'signed in' ? current.account.gitforge_login : ''
}

/** Signs in with a token that the API just gave out. `land` may go to another page before the present one knows. */
export async function startSession(token: string, land?: () => void): Promise<Account> {
  const account = await accountOf(token)
  if (localStorage.getItem(key) !== token) forgetResources()
  localStorage.setItem(key, token)
  land?.()
  session.set({ state: 'signed in', token, account })
  return account
}

/** Forgets a token, if it is still the one in use. */
export function endSession(token?: string): void {
  const stored = localStorage.getItem(key)
  if (token && stored && stored !== token) return
  localStorage.removeItem(key)
  forgetResources()
  session.set({ state: 'signed out' })
}

/** Forgets the token here at once, and ends it at the API if it is a session of the console's own. */
export function signOut(): void {
  const current = session.get()
  if (current.state === 'signed in')
    createClient({ baseUrl: config().api_url, token: current.token })('POST /auth/signout').catch(() => {
      // Not reachable: the token stays good until it is revoked on the tokens page.
    })
  endSession()
}

/** Signing in or out in one tab holds for all of them. */
export function followOtherTabs(): void {
  addEventListener('storage', event => {
    if (event.key === key || event.key === null) void openSession()
  })
}
