// The start of the dashboard: its settings, then its session.
import { loadConfig } from './config.ts'
import { openSession } from './session.ts'
import { createStore } from './store.ts'

export const starting = createStore<'starting' | 'started' | 'failed'>('starting')

export async function start(): Promise<void> {
  starting.set('starting')
  try {
    await loadConfig()
    await openSession()
    starting.set('started')
  } catch {
    // Whatever it was, the server did not answer as it should; the screen offers to try again.
    starting.set('failed')
  }
}
