// Takes a secret that came in the URL fragment and strips it at once, before anything else can see the URL.
const setupKey = 'svc.setup'

type Arrival = { kind: 'access' | 'setup'; token: string }

function take(): Arrival | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (!token) return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  return { kind: location.pathname === '/setup' ? 'setup' : 'access', token }
}

let arrived = take()
let setup = sessionStorage.getItem(setupKey)
if (arrived?.kind === 'setup') keepSetupToken(arrived.token)

function keepSetupToken(token: string): void {
  setup = token
  // A reload of the set-up page must not lose the link that was just stripped.
  sessionStorage.setItem(setupKey, token)
}

/** The access token that this page was opened with, handed out once. */
export function takeAccessToken(): string | undefined {
  const token = arrived?.kind === 'access' ? arrived.token : undefined
  arrived = undefined
  return token
}

export const setupToken = () => setup

export function forgetSetupToken(): void {
  setup = null
  sessionStorage.removeItem(setupKey)
}

/** Calls back when a token is put into the URL of a page that is already open. */
export function onLaterArrival(callback: () => void): void {
  addEventListener('hashchange', () => {
    arrived = take() ?? arrived
    if (arrived?.kind === 'setup') keepSetupToken(arrived.token)
    if (arrived) callback()
  })
}
