// Short messages about what was just done. Screen readers announce them, and they disappear by themselves.
import { useEffect } from 'react'
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
const lifetimeMs = { ok: 6_000, error: 12_000 }

export function notify(toast: Toast): void {
  lastId += 1
  toasts.set([...toasts.get().slice(-2), { ...toast, id: lastId }])
}

const dismiss = (id: number) => toasts.set(toasts.get().filter(toast => toast.id !== id))

function ToastCard({ toast }: { toast: Shown }) {
  const { id, tone, text, action } = toast
  useEffect(() => {
    const timer = setTimeout(() => dismiss(id), lifetimeMs[tone])
    return () => clearTimeout(timer)
  }, [id, tone])
  return (
    <li className={styles.toast}>
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
