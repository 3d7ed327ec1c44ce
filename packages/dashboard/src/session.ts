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

let fresh: string | undefined

/** Settles who is signed in: a token from the address if it is good, else the stored one. */
export async function openSession(): Promise<void> {
  fresh = takeAccessToken() ?? fresh
  const offered = fresh
  if (offered && (await settled(offered))) {
    fresh = undefined
    return
  }
  if (session.get().state === 'unreachable') return
  fresh = undefined
  const stored = localStorage.getItem(key)
  if (!stored) session.set({ state: 'signed out' })
  else await settled(stored)
  if (offered) notify({ tone: 'error', text: 'That sign-in link is not valid any more.' })
}

/** Whether the token is good; if it is, its account is signed in. */
async function settled(token: string): Promise<boolean> {
  try {
    const before = localStorage.getItem(key)
    await startSession(token)
    if (before && before !== token) notify({ tone: 'ok', text: `Signed in as ${loginName()}.` })
    return true
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.status === 401) endSession(token)
    else session.set({ state: 'unreachable', message: error.message })
    return false
  }
}

/** Signs in with a token that the API just gave out. */
export async function startSession(token: string): Promise<void> {
  const account = await accountOf(token)
  if (localStorage.getItem(key) !== token) forgetResources()
  localStorage.setItem(key, token)
  session.set({ state: 'signed in', token, account })
}

function loginName(): string {
  const current = session.get()
  return current.state === 'signed in' ? current.account.gitforge_login : ''
}

/** Forgets a token, if it is still the one in use. */
export function endSession(token?: string): void {
  const stored = localStorage.getItem(key)
  if (token && stored && stored !== token) return
  localStorage.removeItem(key)
  forgetResources()
  session.set({ state: 'signed out' })
}

/** Signing in or out in one tab holds for all of them. */
export function followOtherTabs(): void {
  addEventListener('storage', event => {
    if (event.key === key || event.key === null) void openSession()
  })
}
