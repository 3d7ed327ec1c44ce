// The command palette: a search field over projects, pages and actions. It follows the ARIA pattern of a combobox whose
// list box is always open: the focus stays in the field, and the arrow keys move the chosen option.
import type { ProjectDetail } from '@svc/contract'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { Icon } from '../components/icon.tsx'
import { formatCount } from '../format.ts'
import { useOrgs } from '../orgs.ts'
import { detailKey } from '../pages/projects/project/detail.ts'
import { useProjectNames } from '../project-names.ts'
import { useLoadedResource } from '../resource.ts'
import { entriesOf } from './entries.ts'
import type { Entry } from './entry.ts'
import styles from './palette.module.css'
import { bestOf } from './rank.ts'
import { projectAt, takeTypedEarly } from './shortcuts.ts'

/** More are not drawn; typing narrows the list. */
const shownAtMost = 50

export function Palette({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState(0)
  const [path, navigate] = useLocation()
  const { data: orgs } = useOrgs()
  const projects = useProjectNames(orgs) ?? []
  const name = projectAt(path)
  const project = useLoadedResource<ProjectDetail>(detailKey(name ?? ''))
  const all = entriesOf({ path, project, projects, orgs: orgs ?? [], navigate })
  const shown = bestOf(all, ({ label, more = [] }) => [label, ...more], typed).slice(0, shownAtMost)
  const optionId = (position: number) => `${id} option ${position}`.replaceAll(' ', '-')

  useEffect(() => {
    const element = dialog.current
    const opener = document.activeElement
    element?.showModal()
    setTyped(takeTypedEarly())
    return () => {
      element?.close()
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  useEffect(() => {
    dialog.current?.querySelector(`[data-position="${chosen}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [chosen])

  function run(entry: Entry | undefined) {
    if (!entry) return
    onClose()
    entry.run()
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    const handler = {
      ArrowDown: () => setChosen((chosen + 1) % Math.max(shown.length, 1)),
      ArrowUp: () => setChosen((chosen + shown.length - 1) % Math.max(shown.length, 1)),
      Enter: () => run(shown[chosen]),
    }[event.key]
    if (!handler) return
    event.preventDefault()
    handler()
  }

  return (
    <dialog
      ref={dialog}
      className={styles.palette}
      aria-label="Command palette"
      onCancel={event => {
        event.preventDefault()
        onClose()
      }}
      onMouseDown={event => event.target === dialog.current && onClose()}
    >
      <div className={styles.body}>
        <input
          role="combobox"
          aria-label="Search projects, pages and actions"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={shown.length > 0 ? optionId(chosen) : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          placeholder="Search projects, pages and actions"
          className={styles.input}
          value={typed}
          onChange={event => {
            setTyped(event.target.value)
            setChosen(0)
          }}
          onKeyDown={onKeyDown}
        />
        <div role="listbox" id={`${id}-list`} aria-label="Results" className={styles.list}>
          {shown.map((entry, position) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
            <div
              key={`${entry.group} ${entry.label}`}
              role="option"
              id={optionId(position)}
              data-position={position}
              aria-selected={position === chosen}
              className={styles.option}
              onMouseMove={() => setChosen(position)}
              onClick={() => run(entry)}
            >
              <Icon name={entry.icon} />
              <span className={styles.label}>{entry.label}</span>
              {entry.note && <span className={styles.note}>{entry.note}</span>}
              <span className={styles.group}>{entry.group}</span>
            </div>
          ))}
        </div>
        <p role="status" className={shown.length > 0 ? 'visually-hidden' : styles.none}>
          {shown.length > 0
            ? formatCount(shown.length, 'result')
            : `Nothing matches “${typed}”.${name ? '' : ' Open a project to act on it.'}`}
        </p>
      </div>
    </dialog>
  )
}
