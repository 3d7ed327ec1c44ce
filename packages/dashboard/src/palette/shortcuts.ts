// The keyboard shortcuts: what each key does, and the listener that reads them. `?` shows this list.
import { href, type PathWith } from '../paths.ts'
import { createStore } from '../store.ts'

/** What lies over the page. The code of each is loaded when it is first opened. */
type Overlay = 'palette' | 'shortcuts' | 'new project'

/** What is open, and the path of the page over which it was opened: it closes when that page is left. */
export const opened = createStore<{ overlay: Overlay; over: string } | undefined>(undefined)

export function openOverlay(overlay: Overlay): void {
  typedEarly = ''
  opened.set({ overlay, over: location.pathname })
}

/** What was typed after the palette was opened and before its code was there. */
let typedEarly = ''
export function takeTypedEarly(): string {
  const typed = typedEarly
  typedEarly = ''
  return typed
}

export const closeOverlay = (): void => opened.set(undefined)

interface GoTo {
  key: string
  label: string
  /** A page of the open project, or `undefined` if the page belongs to no project. */
  project?: PathWith<'name'>
  path?: PathWith<never>
}

/** After `g`, each of these keys opens a page. */
export const goTo: readonly GoTo[] = [
  { key: 'p', label: 'Projects', path: '/' },
  { key: 'o', label: 'Overview', project: '/projects/:name' },
  { key: 'd', label: 'Deployments', project: '/projects/:name/deployments' },
  { key: 'a', label: 'Analytics', project: '/projects/:name/analytics' },
  { key: 'l', label: 'Logs', project: '/projects/:name/logs' },
  { key: 's', label: 'Settings', project: '/projects/:name/settings' },
  { key: 'e', label: 'Environment', project: '/projects/:name/environment' },
  { key: 'm', label: 'Domains', project: '/projects/:name/domains' },
  { key: 'c', label: 'Crons', project: '/projects/:name/crons' },
  { key: 't', label: 'Access tokens', path: '/tokens' },
]

/** The project whose page is open. */
export const projectAt = (path: string): string | undefined => /^\/projects\/([^/]+)/.exec(path)?.[1]

/** Where a key after `g` leads from the present page. */
export function destination(key: string, path: string): string | undefined {
  const row = goTo.find(each => each.key === key)
  if (row?.project === undefined) return row?.path
  const project = projectAt(path)
  return project === undefined ? undefined : href(row.project, { name: project })
}

/** How long after `g` the next key counts. */
const sequenceMs = 1_500

/** Listens for shortcuts. Returns a function that ends this. */
export function listenForShortcuts(navigate: (path: string) => void): () => void {
  let goAt = Number.NEGATIVE_INFINITY
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return
    if (isPaletteKey(event)) {
      event.preventDefault()
      if (opened.get()?.overlay === 'palette') closeOverlay()
      else if (!isDialogOpen()) openOverlay('palette')
      return
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isDialogOpen()) return
    if (opened.get()?.overlay === 'palette') {
      keepEarly(event)
      return
    }
    if (isTyping(event.target)) return
    const follows = event.timeStamp - goAt < sequenceMs
    goAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
    const to = follows ? destination(event.key, location.pathname) : undefined
    const handler = to === undefined ? single[event.key] : () => navigate(to)
    if (!handler) return
    event.preventDefault()
    handler()
  }
  addEventListener('keydown', onKey)
  return () => removeEventListener('keydown', onKey)
}

function keepEarly(event: KeyboardEvent): void {
  if (event.key === 'Escape') closeOverlay()
  if (event.key !== 'Backspace' && event.key.length > 1) return
  event.preventDefault()
  typedEarly = event.key === 'Backspace' ? typedEarly.slice(0, -1) : typedEarly + event.key
}

const isPaletteKey = ({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === 'k' && ctrlKey !== metaKey && !shiftKey && !altKey

const single: Record<string, (() => void) | undefined> = {
  '?': () => openOverlay('shortcuts'),
  '/': () => {
    const search = document.querySelector<HTMLInputElement>('main input[type=search]')
    if (search) search.focus()
    else openOverlay('palette')
  },
}

const isDialogOpen = (): boolean => document.querySelector('dialog[open]') !== null

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** The key that opens the palette, as this computer's keyboard calls it. */
export const paletteKey = (): string => (/Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K')
