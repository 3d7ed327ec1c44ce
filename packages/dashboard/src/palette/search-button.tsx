import { Icon } from '../components/icon.tsx'
import styles from './search-button.module.css'
import { openOverlay, paletteKey } from './shortcuts.ts'

/** Opens the command palette, for people who do not know the key. */
export function SearchButton() {
  return (
    <button
      type="button"
      className={styles.button}
      aria-keyshortcuts="Control+K Meta+K"
      onClick={() => openOverlay('palette')}
    >
      <Icon name="search" />
      <span className={styles.words}>Search</span>
      <span className={styles.key} aria-hidden="true">
        {paletteKey()}
      </span>
    </button>
  )
}
