// Short messages about what was just done. Screen readers announce them, and they disappear by themselves, but not while
// the pointer or the focus is on them.
import { useEffect, useRef } from 'react'
import { createStore } from '../store.ts'
import { Button, IconButton } from './button.tsx'
import { Icon } from './icon.tsx'
import styles from './toasts.module.css'

interface Toast {
  tone: 'ok' | 'error'
  text: string
  action?: { label: string; run: () => void }
}

type Shown = Toast & { id: number }

const toasts = createStore<readonly Shown[]>([])
let lastId = 0
const lifetimeMs = { ok: 6_000, error: 12_000, action: 10_000 }
/** How soon a toast looks again whether the pointer has left. */
const lookAgainMs = 1_000
const mostShown = 3

export function notify(toast: Toast): void {
  lastId += 1
  const shown = toasts.get()
  // The oldest makes room. A toast with an action goes last: its button was promised for its whole lifetime.
  const leaving = shown.length < mostShown ? undefined : (shown.find(({ action }) => !action) ?? shown[0])
  toasts.set([...shown.filter(other => other !== leaving), { ...toast, id: lastId }])
}

const dismiss = (id: number) => toasts.set(toasts.get().filter(toast => toast.id !== id))

function ToastCard({ toast }: { toast: Shown }) {
  const { id, tone, text, action } = toast
  const card = useRef<HTMLLIElement>(null)
  const lifetime = Math.max(lifetimeMs[tone], action ? lifetimeMs.action : 0)
  useEffect(() => {
    const leave = () => {
      // All toasts wait, so that none moves away below the pointer.
      const isInUse = card.current?.parentElement?.matches(':hover, :focus-within')
      if (isInUse) timer = setTimeout(leave, lookAgainMs)
      else dismiss(id)
    }
    let timer = setTimeout(leave, lifetime)
    return () => clearTimeout(timer)
  }, [id, lifetime])
  return (
    <li ref={card} className={styles.toast}>
      <span className={styles[tone]}>
        <Icon name={tone === 'ok' ? 'check' : 'alert'} />
      </span>
      <p className={styles.text}>{text}</p>
      {action && (
        <Button
          size="small"
          onClick={() => {
            dismiss(id)
            action.run()
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton size="small" icon="close" label="Dismiss" onClick={() => dismiss(id)} />
    </li>
  )
}

export function Toasts() {
  return (
    <ul className={styles.toasts} aria-live="polite" aria-label="Notifications">
      {toasts.use().map(toast => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </ul>
  )
}
