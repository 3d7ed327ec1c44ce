// Shows what lies over the page: the command palette, the list of shortcuts, the dialog for a new project.
import { type ComponentType, lazy, Suspense, useEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { session } from '../session.ts'
import { listenForShortcuts, overlay } from './shortcuts.ts'

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
  const open = overlay.use()
  const [path, navigate] = useLocation()
  useEffect(() => {
    const stop = listenForShortcuts(navigate)
    return () => {
      stop()
      overlay.set('none')
    }
  }, [navigate])
  // A dialog that leads to another page is closed there. One that was opened on the new page already stays.
  const openedAt = useRef('')
  useEffect(() => {
    if (open !== 'none') openedAt.current = location.pathname
  }, [open])
  useEffect(() => {
    if (path !== openedAt.current) overlay.set('none')
  }, [path])
  const Chosen = overlays[open]
  return Chosen ? (
    <Suspense fallback={null}>
      <Chosen onClose={() => overlay.set('none')} />
    </Suspense>
  ) : null
}
