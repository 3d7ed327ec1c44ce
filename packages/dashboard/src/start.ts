// Starts the dashboard: loads its settings, then the session.
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
    // The server did not answer as expected. The screen offers to try again.
    starting.set('failed')
  }
}
