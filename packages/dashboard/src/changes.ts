// What pages want to hear of, and who tells them.
import type { LiveEvent } from '@svc/contract'
import { useEffect } from 'react'
import { createStore } from './store.ts'

const rarelyMs = 30_000

/** Whether changes are heard at the moment. */
export const isLive = createStore(false)

/** What a page wants to hear of. */
export interface Watch {
  /** The project that the page shows. Without it, all projects. */
  project?: string
  topics: readonly LiveEvent['topic'][]
}

const watchers = new Set<{ watch: Watch; refresh: () => void }>()

export const concerns = ({ project, topics }: Watch, event: LiveEvent): boolean =>
  topics.includes(event.topic) &&
  (project === undefined || event.project === null || event.project === project)

/** Calls `refresh` after a change, and after changes may have been missed. Returns a function that ends this. */
export function onChange(watch: Watch, refresh: () => void): () => void {
  const watcher = { watch, refresh }
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

/** Refreshes the answers whose watch is meant. */
export function announce(isMeant: (watch: Watch) => boolean): void {
  for (const { watch, refresh } of [...watchers]) if (isMeant(watch)) refresh()
}

/** Polls while something is under way: quickly while the stream is down, else rarely, in case that an event was lost. */
export function usePolling(isMoving: boolean, refresh: () => Promise<void>, intervalMs: number): void {
  const quiet = isLive.use()
  useEffect(() => {
    if (!isMoving) return
    const timer = setInterval(() => void refresh(), quiet ? Math.max(intervalMs, rarelyMs) : intervalMs)
    return () => clearInterval(timer)
  }, [isMoving, refresh, intervalMs, quiet])
}
