// A button that opens a small panel. The arrow keys, Home and End move between its entries. The panel closes on Escape, on a
// click elsewhere and when the focus leaves.
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Icon } from './icon.tsx'
import styles from './menu.module.css'

interface MenuProps {
  label: string
  button?: ReactNode
  /** The edge of the button that the panel is aligned with. */
  edge?: 'start' | 'end'
  children: ReactNode
}

/** Where a key leads from an entry. From the button, the entry before the first one, Arrow Up leads to the last entry. */
const places: Record<string, (at: number, count: number) => number> = {
  ArrowDown: at => at + 1,
  ArrowUp: (at, count) => (at <= 0 ? count - 1 : at - 1),
  Home: () => 0,
  End: (_, count) => count - 1,
}

export function Menu({ label, button, edge = 'end', children }: MenuProps) {
  const [open, setOpen] = useState(false)
  const toggle = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDivElement>(null)

  function close() {
    // The entry with the focus disappears.
    if (panel.current?.contains(document.activeElement)) toggle.current?.focus()
    setOpen(false)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape' && open) {
      setOpen(false)
      toggle.current?.focus()
    }
    const place = places[event.key]
    if (!place || !(open || event.key.startsWith('Arrow'))) return
    event.preventDefault()
    if (!open) flushSync(() => setOpen(true))
    const entries = [...(panel.current?.querySelectorAll<HTMLElement>('a, button') ?? [])]
    const at = entries.indexOf(document.activeElement as HTMLElement)
    entries[place(at, entries.length) % entries.length]?.focus()
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys bubble up here from the controls inside
    <div
      className={styles.menu}
      onBlur={event => !event.currentTarget.contains(event.relatedTarget) && setOpen(false)}
      onKeyDown={onKeyDown}
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
          ref={panel}
          className={styles.panel}
          data-edge={edge}
          onMouseDown={event => event.preventDefault()}
          onClick={close}
        >
          {children}
        </div>
      )}
    </div>
  )
}
