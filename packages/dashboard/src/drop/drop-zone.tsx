// The area to drop a site on, with two file pickers. Drops anywhere else on the page go to the same target.
import { useRef } from 'react'
import { Button } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { collectFiles } from '../upload/collect.ts'
import styles from './drop-zone.module.css'
import { offerFiles, type Target, usePageTarget } from './offers.ts'

interface DropZoneProps {
  target: Target
  /** Whether to show one line instead of a large frame. */
  compact?: boolean
}

interface PickerProps {
  label: string
  folder: boolean
  target: Target
  size?: 'small' | 'normal'
}

/** A button that opens the browser's own dialog for files or for a folder. */
export function Picker({ label, folder, target, size = 'small' }: PickerProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button size={size} onClick={() => input.current?.click()}>
        {label}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        webkitdirectory={folder}
        aria-label={label}
        onChange={event => {
          const { files } = event.target
          if (files && files.length > 0) offerFiles(target, Promise.resolve(collectFiles(files)))
          // The same folder can be chosen again after it has changed.
          event.target.value = ''
        }}
      />
    </>
  )
}

export function DropZone({ target, compact = false }: DropZoneProps) {
  usePageTarget(target)
  return (
    <div className={`${styles.zone} ${compact ? styles.compact : ''}`}>
      <span className={styles.icon}>
        <Icon name="upload" size={compact ? 18 : 22} />
      </span>
      <p className={styles.words}>
        <strong>Drop a folder, files or a .zip here</strong>
        <span>
          A built site with its index.html at the top, or a server app. Nothing goes online before you see
          what it is.
        </span>
      </p>
      <div className={styles.pickers}>
        <Picker label="Choose folder" folder target={target} />
        <Picker label="Choose files" folder={false} target={target} />
      </div>
    </div>
  )
}
