// Shows what lies over the page: the command palette, the list of shortcuts, the dialog for a new project.
import { type ComponentType, lazy, Suspense, useEffect } from 'react'
import { useLocation } from 'wouter'
import { session } from '../session.ts'
import { closeOverlay, listenForShortcuts, opened } from './shortcuts.ts'

type Overlay = ComponentType<{ onClose: () => void }>

const overlays: Record<string, Overlay | undefined> = {
  palette: lazy(async () => ({ default: (await import('./palette.tsx')).Palette })),
  shortcuts: lazy(async () => ({ default: (await import('./shortcuts-dialog.tsx')).ShortcutsDialog })),
  'new project': lazy(async () => ({
    default: (await import('../pages/projects/new-project-dialog.tsx')).NewProjectDialog as Overlay,
  })),
}

/** Nobody uses shortcuts before signing in. */
export function Overlays() {
  return session.use().state === 'signed in' ? <Opened /> : null
}

function Opened() {
  const open = opened.use()
  const [path, navigate] = useLocation()
  useEffect(() => listenForShortcuts(navigate), [navigate])
  // Going back to the page does not open it again.
  useEffect(() => {
    const { over = path } = opened.get() ?? {}
    if (over !== path) closeOverlay()
  }, [path])
  useEffect(() => closeOverlay, [])
  const Chosen = open?.over === path ? overlays[open.overlay] : undefined
  return Chosen ? (
    <Suspense fallback={null}>
      <Chosen onClose={closeOverlay} />
    </Suspense>
  ) : null
}
