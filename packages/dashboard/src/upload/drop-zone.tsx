// The area to drop a site on, with two file pickers. While files are dragged, the whole window accepts them.
import { useEffect, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { type Collection, collectDrop, collectFiles } from './collect.ts'
import styles from './drop-zone.module.css'

interface DropZoneProps {
  onFiles: (collecting: Promise<Collection>) => void
  /** Whether to show one line instead of a large frame. */
  compact?: boolean
  /** The files of a drop are being read. */
  reading?: boolean
}

const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false

/** Whether files are dragged over the window, and what was dropped. Drops that miss never leave the page. */
function useWindowDrop(onDrop: (transfer: DataTransfer) => void): boolean {
  const [over, setOver] = useState(false)
  const receive = useRef(onDrop)
  receive.current = onDrop
  useEffect(() => {
    // Every element that is passed reports an entry and a leave; the window is left when they cancel out.
    let depth = 0
    const listen = (
      type: 'dragenter' | 'dragover' | 'dragleave' | 'drop',
      act: (event: DragEvent) => void,
    ) => {
      const listener = (event: DragEvent) => {
        if (!holdsFiles(event) || document.querySelector('dialog[open]')) return
        event.preventDefault()
        act(event)
      }
      addEventListener(type, listener)
      return () => removeEventListener(type, listener)
    }
    const stops = [
      listen('dragenter', () => setOver(++depth > 0)),
      listen('dragleave', () => setOver(--depth > 0)),
      listen('dragover', event => {
        if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy'
      }),
      listen('drop', event => {
        depth = 0
        setOver(false)
        if (event.dataTransfer) receive.current(event.dataTransfer)
      }),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [])
  return over
}

interface PickerProps {
  label: string
  folder: boolean
  onFiles: DropZoneProps['onFiles']
}

function Picker({ label, folder, onFiles }: PickerProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button size="small" onClick={() => input.current?.click()}>
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
          if (files && files.length > 0) onFiles(Promise.resolve(collectFiles(files)))
          // The same folder can be chosen again after it has changed.
          event.target.value = ''
        }}
      />
    </>
  )
}

function invitation(over: boolean, reading: boolean): string {
  if (reading) return 'Reading files…'
  return over ? 'Let go to deploy' : 'Drop a folder or files here'
}

export function DropZone({ onFiles, compact = false, reading = false }: DropZoneProps) {
  const over = useWindowDrop(transfer => onFiles(collectDrop(transfer)))
  return (
    <div className={`${styles.zone} ${compact ? styles.compact : ''} ${over ? styles.over : ''}`}>
      <span className={styles.icon}>
        <Icon name="upload" size={compact ? 18 : 22} />
      </span>
      <p className={styles.words}>
        <strong role="status">{invitation(over, reading)}</strong>
        <span>The built site, with its index.html at the top.</span>
      </p>
      <div className={styles.pickers}>
        <Picker label="Choose folder" folder onFiles={onFiles} />
        <Picker label="Choose files" folder={false} onFiles={onFiles} />
      </div>
    </div>
  )
}
