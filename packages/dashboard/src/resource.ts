// Caches answers of the API for all pages. An answer is refreshed when a page opens, when the tab becomes visible, and when
// an event says that what it shows has changed.
import { useCallback, useEffect } from 'react'
import { onChange, type Watch } from './changes.ts'
import { createStore, type Store } from './store.ts'

interface Entry {
  data?: unknown
  error?: unknown
  loading: boolean
  /** Grows with every read and write, so that a slow answer never overwrites a newer state. */
  version: number
  loadedAt: number
}

const staleAfterMs = 5_000
const entries = new Map<string, Store<Entry>>()
/** Answers that will be loaded once more when the present load has ended. */
const waiting = new Set<string>()
/** Answers that changed during their first load. What it brings may be older than the change. */
const outdated = new Set<string>()

function entry(key: string): Store<Entry> {
  const known = entries.get(key)
  if (known) return known
  const store = createStore<Entry>({ loading: false, version: 0, loadedAt: 0 })
  entries.set(key, store)
  return store
}

async function refreshEntry(key: string, load: () => Promise<unknown>): Promise<void> {
  const store = entry(key)
  const version = store.get().version + 1
  store.set({ ...store.get(), loading: true, version })
  const settle = (outcome: { data: unknown } | { error: unknown }) => {
    if (store.get().version !== version) return
    if (outdated.delete(key)) return refreshEntry(key, load)
    const { data } = store.get()
    store.set({ data, ...outcome, loading: false, version, loadedAt: Date.now() })
  }
  await load().then(
    data => settle({ data }),
    error => settle({ error }),
  )
}

/** Loads an answer after a change. Changes during a load lead to one more load after it. */
async function refreshAgain(key: string, load: () => Promise<unknown>): Promise<void> {
  const store = entry(key)
  if (waiting.has(key)) return
  while (store.get().loading) {
    waiting.add(key)
    await new Promise<void>(resolve => {
      const stop = store.subscribe(() => {
        stop()
        resolve()
      })
    })
  }
  waiting.delete(key)
  await refreshEntry(key, load)
}

/** Changes a cached answer at once. The result of a read that is under way is dropped. */
export function writeResource<T>(key: string, change: (data: T) => T): void {
  const store = entry(key)
  const { data, version, loading, loadedAt } = store.get()
  if (data === undefined) {
    if (loading) outdated.add(key)
    return
  }
  store.set({ data: change(data as T), loading: false, version: version + 1, loadedAt })
}

export function forgetResource(key: string): void {
  outdated.delete(key)
  entries.delete(key)
}

export function forgetResources(): void {
  outdated.clear()
  entries.clear()
}

/** An answer that another part of the page loads. */
export const useLoadedResource = <T>(key: string): T | undefined => entry(key).use().data as T | undefined

export interface Resource<T> {
  data: T | undefined
  error: unknown
  loading: boolean
  refresh: () => Promise<void>
}

/**
 * Loads and watches one answer. `load` must depend on nothing but what `key` names. `watch` says which changes make it
 * stale.
 */
export function useResource<T>(key: string, load: () => Promise<T>, watch?: Watch): Resource<T> {
  const { data, error, loading } = entry(key).use()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for everything that load depends on
  const refresh = useCallback(() => refreshEntry(key, load), [key])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the same key has the same load and watch
  useEffect(() => {
    void refresh()
    const look = () => {
      if (document.visibilityState !== 'visible') return
      const { error, loadedAt } = entry(key).get()
      if (error !== undefined || Date.now() - loadedAt > staleAfterMs) void refresh()
    }
    document.addEventListener('visibilitychange', look)
    addEventListener('online', look)
    const unwatch = watch && onChange(watch, () => void refreshAgain(key, load))
    return () => {
      unwatch?.()
      document.removeEventListener('visibilitychange', look)
      removeEventListener('online', look)
    }
  }, [key, refresh])

  return { data: data as T | undefined, error, loading, refresh }
}
