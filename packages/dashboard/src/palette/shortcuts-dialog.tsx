// The list of keyboard shortcuts.
import { Dialog } from '../components/dialog.tsx'
import { goTo, paletteKey } from './shortcuts.ts'
import styles from './shortcuts-dialog.module.css'

const everywhere = [
  { keys: paletteKey().split(' '), label: 'Search projects, pages and actions' },
  { keys: ['/'], label: 'Search on this page' },
  { keys: ['↑', '↓'], label: 'Move between the rows of a log' },
  { keys: ['?'], label: 'Show these shortcuts' },
  { keys: ['Esc'], label: 'Close what is open' },
]

interface ShortcutListProps {
  title: string
  rows: readonly { keys: readonly string[]; label: string }[]
}

function ShortcutList({ title, rows }: ShortcutListProps) {
  return (
    <section>
      <h3 className={styles.title}>{title}</h3>
      <dl className={styles.list}>
        {rows.map(({ keys, label }) => (
          <div key={label} className={styles.shortcut}>
            <dt>{label}</dt>
            <dd>
              {keys.map(key => (
                <kbd key={key} className={styles.key}>
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

const toPages = (inProject: boolean) =>
  goTo
    .filter(({ project }) => (project !== undefined) === inProject)
    .map(({ key, label }) => ({ keys: ['g', key], label }))

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <ShortcutList title="Everywhere" rows={[...everywhere, ...toPages(false)]} />
      <ShortcutList title="In a project" rows={toPages(true)} />
    </Dialog>
  )
}
