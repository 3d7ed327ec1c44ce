// A modal dialog. It uses the browser's dialog element, which keeps the focus inside and closes on Escape.
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { IconButton } from './button.tsx'
import styles from './dialog.module.css'

interface DialogProps {
  title: string
  onClose: () => void
  /** A press outside does not close the dialog, because its content cannot be shown again. */
  sticky?: boolean
  children: ReactNode
}

/** The dialog is open as long as it is rendered. */
export function Dialog({ title, onClose, sticky = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const hasTyped = useRef(false)
  const titleId = useId()
  useEffect(() => {
    const element = dialog.current
    const opener = document.activeElement
    element?.showModal()
    element?.querySelector<HTMLElement>('[data-autofocus]')?.focus()
    return () => {
      element?.close()
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-labelledby={titleId}
      onCancel={event => {
        event.preventDefault()
        onClose()
      }}
      onInput={() => {
        hasTyped.current = true
      }}
      // A press outside closes the dialog, unless that would discard what the user typed or chose.
      onMouseDown={event => {
        const isOutside = event.target === dialog.current
        if (isOutside && !sticky && !hasTyped.current) onClose()
      }}
    >
      <div className={styles.body}>
        <div className={styles.header}>
          <h2 id={titleId} className={styles.title}>
            {title}
          </h2>
          <IconButton size="small" icon="close" label="Close" onClick={onClose} />
        </div>
        {children}
      </div>
    </dialog>
  )
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>
}
