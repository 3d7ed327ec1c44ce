// Shows the page of the current URL, or the sign-in page if the user may not see it.
import { type ComponentType, lazy, Suspense } from 'react'
import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter'
import { Button } from './components/button.tsx'
import { Gate } from './components/gate.tsx'
import { Toasts } from './components/toasts.tsx'
import { ErrorBoundary } from './components/trouble.tsx'
import { config } from './config.ts'
import { WindowDrop } from './drop/window-drop.tsx'
import { nextPath, signInPath, withSearch } from './next.ts'
import { DeletedAccountPage } from './pages/identity/account/deleted-account-page.tsx'
import { SwitchAccountPage } from './pages/identity/sign-in/switch-account-page.tsx'
import { NotFoundPage } from './pages/not-found-page.tsx'
import { Overlays } from './palette/overlays.tsx'
import { type Audience, href } from './paths.ts'
import { routes } from './routes.ts'
import { openSession, session } from './session.ts'
import { start, starting } from './start.ts'

const pages = Object.entries(routes).flatMap(([audience, group]) =>
  Object.entries(group).map(([path, load]) => ({
    path,
    audience: audience as Audience,
    page: lazy(async () => ({ default: await load() })),
  })),
)

function Admit({ page: Page, audience }: { page: ComponentType; audience: Audience }) {
  const [path] = useLocation()
  const search = useSearch()
  const signedIn = session.use().state === 'signed in'
  if (audience === 'all') return <Page />
  if (config().setup_needed) return <Redirect to={href('/setup')} replace />
  if (audience === 'members' && !signedIn)
    return <Redirect to={signInPath(withSearch(path, search))} replace />
  if (audience === 'visitors' && signedIn) return <Redirect to={nextPath(search, location.origin)} replace />
  return <Page />
}

function Pages() {
  const [path] = useLocation()
  const current = session.use()
  // The key resets the state of the page when the page or the account changes.
  const visit = current.state === 'signed in' ? `${current.account.id} ${path}` : path
  return (
    <Suspense fallback={null}>
      <Switch>
        {pages.map(({ path: pattern, page, audience }) => (
          <Route key={pattern} path={pattern}>
            <Admit key={visit} page={page} audience={audience} />
          </Route>
        ))}
        {/* What people type who shorten the URL of a project. */}
        <Route path="/projects">
          <Redirect to={href('/')} replace />
        </Route>
        <Route>
          <NotFoundPage />
        </Route>
      </Switch>
    </Suspense>
  )
}

function Unreachable({ retry }: { retry: () => void }) {
  return (
    <Gate
      title="The platform does not answer"
      lead="Check your connection, or whether the server is running."
    >
      <Button look="primary" size="large" onClick={retry}>
        Try again
      </Button>
    </Gate>
  )
}

function Screen() {
  const started = starting.use()
  const current = session.use()
  const { state } = current
  if (started === 'failed') return <Unreachable retry={() => void start()} />
  if (started === 'starting') return null
  if (state === 'asking') return <SwitchAccountPage />
  if (state === 'unreachable') return <Unreachable retry={() => void openSession()} />
  if (current.state === 'signed in' && current.account.delete_at)
    return <DeletedAccountPage account={current.account} />
  return <Pages />
}

export function App() {
  return (
    <ErrorBoundary>
      <Screen />
      <WindowDrop />
      <Overlays />
      <Toasts />
    </ErrorBoundary>
  )
}
