// Waits until a running app has restarted with a change, or has failed to.
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, type SparseClient } from '@svc/contract/client'
import { Failure } from './failure.ts'
import { clean } from './output.ts'

const pollMs = 500
/** An app has 30 seconds to start; it may wait for others before that. */
const atMostMs = 90_000

/** `not known` if the app's state cannot be read, or if an older platform does not report it. */
type Restarted = 'done' | 'not known'

/** Waits for the restart. Fails with the app's last lines if the app does not start. */
export async function awaitRestart(call: SparseClient, name: string, undo: string): Promise<Restarted> {
  let wasUnderWay = false
  for (const until = performance.now() + atMostMs; performance.now() < until; await sleep(pollMs)) {
    const app = await call('GET /projects/:name', { params: { name } }).then(({ app }) => app, unknown)
    if (app?.restart?.state === 'failed') throw failed(app.restart.error, kept, undo)
    if (app?.state === 'crashed') throw failed(app.error, 'The app does not run now.', undo)
    const isUnderWay = app?.state === 'starting' || Boolean(app?.restart)
    if (!isUnderWay) return wasUnderWay && app?.state === 'running' ? 'done' : 'not known'
    wasUnderWay = true
  }
  return 'not known'
}

const kept =
  'The one from before keeps running, with the variables that it was started with. The next start would fail, too.'

function failed(error: string | null | undefined, state: string, undo: string): Failure {
  const lastLines = error?.split('\n').map(clean).join('\n')
  return new Failure([`The new instance did not start. ${state}`, lastLines, undo].filter(Boolean).join('\n'))
}

/** Ignores an error while waiting, because the change itself was made. */
function unknown(error: unknown): undefined {
  if (!(error instanceof ApiError)) throw error
  return undefined
}
