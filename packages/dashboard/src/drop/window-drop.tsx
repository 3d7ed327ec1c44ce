// Takes files that are dropped anywhere on any page of a signed-in account.
import { lazy, Suspense, useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { session } from '../session.ts'
import { createStore } from '../store.ts'
import { collectDrop } from '../upload/collect.ts'
import { currentTarget, offered, offerFiles, type Target } from './offers.ts'
import { Overlay } from './overlay.tsx'

const DropSheet = lazy(async () => ({ default: (await import('./sheet.tsx')).DropSheet }))

/** Whether files are being dragged over the window. */
const dragging = createStore(false)

const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false

/** Calls back with each drop. Files that miss never make the browser leave the page. */
function listenForDrops(onDrop: (transfer: DataTransfer) => void): () => void {
  // Every element that is passed reports an entry and a leave; the window is left when they cancel out.
  let depth = 0
  const move = (by: number) => {
    depth = Math.max(0, depth + by)
    dragging.set(depth > 0)
  }
  const acts: Record<'dragenter' | 'dragover' | 'dragleave' | 'drop', (event: DragEvent) => void> = {
    dragenter: () => move(1),
    dragleave: () => move(-1),
    dragover: event => {
      if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy'
    },
    drop: event => {
      move(-depth)
      if (event.dataTransfer) onDrop(event.dataTransfer)
    },
  }
  const listener = (event: DragEvent) => {
    // A part of the page may take the files itself.
    if (!holdsFiles(event) || event.defaultPrevented) return
    event.preventDefault()
    if (!document.querySelector('dialog[open]')) acts[event.type as keyof typeof acts](event)
    else if (event.dataTransfer) event.dataTransfer.dropEffect = 'none'
  }
  const types = Object.keys(acts) as (keyof typeof acts)[]
  for (const type of types) addEventListener(type, listener)
  return () => {
    for (const type of types) removeEventListener(type, listener)
    dragging.set(false)
  }
}

const invitation = (target: Target): string => {
  if (target.kind === 'project') return `Drop to deploy to ${target.name}`
  return target.kind === 'share' ? 'Drop to share' : 'Drop to deploy a site'
}

export function WindowDrop() {
  const isSignedIn = session.use().state === 'signed in'
  return isSignedIn ? <SignedInDrop /> : null
}

function SignedInDrop() {
  const [path] = useLocation()
  const [target, setTarget] = useState<Target>()
  const isDragging = dragging.use()
  const offer = offered.use()
  useEffect(
    () => listenForDrops(transfer => offerFiles(currentTarget(location.pathname), collectDrop(transfer))),
    [],
  )
  useEffect(() => setTarget(isDragging ? currentTarget(path) : undefined), [isDragging, path])
  return (
    <>
      {target && <Overlay>{invitation(target)}</Overlay>}
      {offer && (
        <Suspense fallback={<Overlay>Reading files…</Overlay>}>
          <DropSheet offer={offer} onClose={() => offered.set(undefined)} />
        </Suspense>
      )}
    </>
  )
}
