// A button that opens a small panel; it closes on Escape, on a click elsewhere and when the focus leaves.
import { type ReactNode, useRef, useState } from 'react'
import { Icon } from './icon.tsx'
import styles from './menu.module.css'

interface MenuProps {
  label: string
  button?: ReactNode
  /** The edge of the button that the panel is aligned with. */
  edge?: 'start' | 'end'
  children: ReactNode
}

export function Menu({ label, button, edge = 'end', children }: MenuProps) {
  const [open, setOpen] = useState(false)
  const toggle = useRef<HTMLButtonElement>(null)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys bubble up here from the controls inside
    <div
      className={styles.menu}
      onBlur={event => !event.currentTarget.contains(event.relatedTarget) && setOpen(false)}
      onKeyDown={event => {
        if (event.key !== 'Escape' || !open) return
        setOpen(false)
        toggle.current?.focus()
      }}
    >
      <button
        ref={toggle}
        type="button"
        className={styles.button}
        aria-expanded={open}
        aria-label={label}
        onClick={() => setOpen(!open)}
      >
        {button}
        <Icon name="chevronDown" size={14} />
      </button>
      {open && (
        // A press on the panel must not blur the button: Safari focuses nothing, and the panel would close.
        // biome-ignore lint/a11y/noStaticElementInteractions: it only keeps the focus where it is
        // biome-ignore lint/a11y/useKeyWithClickEvents: whatever was chosen inside, by click or key, closes it
        <div
          className={styles.panel}
          data-edge={edge}
          onMouseDown={event => event.preventDefault()}
          onClick={() => setOpen(false)}
        >
          {children}
        </div>
      )}
    </div>
  )
}
