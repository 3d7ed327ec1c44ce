// What was dropped or chosen and waits for the user's decision, and where it would go.
import { limits } from '@svc/contract/limits'
import { useEffect } from 'react'
import { createStore } from '../store.ts'
import type { Collection } from '../upload/collect.ts'

/** Where files go: to a project, to a project that is still to be chosen or made, or to a temporary share. */
export type Target =
  | { kind: 'project'; name: string }
  | { kind: 'new'; org?: string | undefined }
  | { kind: 'share'; days: number }

export interface Offer {
  target: Target
  collecting: Promise<Collection>
}

export const offered = createStore<Offer | undefined>(undefined)

/** Shows the user what the files would deploy. */
export function offerFiles(target: Target, collecting: Promise<Collection>): void {
  // The sheet shows a failure. Until it has loaded, the failure would count as unhandled.
  collecting.catch(() => undefined)
  offered.set({ target, collecting })
}

/** The target that the current page has chosen. */
const pageTarget = createStore<Target | undefined>(undefined)

/** Makes a target the one for drops anywhere on the page, as long as the component is shown. */
export function usePageTarget(target: Target): void {
  const key = JSON.stringify(target)
  useEffect(() => {
    pageTarget.set(JSON.parse(key) as Target)
    return () => pageTarget.set(undefined)
  }, [key])
}

export const currentTarget = (path: string): Target => pageTarget.get() ?? targetOfPath(path)

/** The target of a page that has not chosen one. */
export function targetOfPath(path: string): Target {
  const [, area, name] = path.split('/')
  if (area === 'projects' && name) return { kind: 'project', name: decodeURIComponent(name) }
  if (area === 'orgs' && name && path !== '/orgs/new') return { kind: 'new', org: decodeURIComponent(name) }
  if (area === 'shares') return { kind: 'share', days: limits.shareDays.default }
  return { kind: 'new' }
}
