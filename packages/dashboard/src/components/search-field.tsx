// What filters a list as it is typed. Escape empties it.
import { Icon } from './icon.tsx'
import styles from './search-field.module.css'

interface SearchFieldProps {
  label: string
  value: string
  onChange: (text: string) => void
  /** The key that leads here. */
  shortcut?: string
}

export function SearchField({ label, value, onChange, shortcut }: SearchFieldProps) {
  return (
    <label className={styles.search}>
      <Icon name="search" />
      <input
        type="search"
        aria-label={label}
        aria-keyshortcuts={shortcut}
        placeholder={label}
        maxLength={100}
        value={value}
        onChange={event => onChange(event.target.value)}
        onKeyDown={event => event.key === 'Escape' && onChange('')}
      />
      {shortcut && <kbd>{shortcut}</kbd>}
    </label>
  )
}
