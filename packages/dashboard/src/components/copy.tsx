// A copy button, and texts with a copy button.
import { type ReactNode, useEffect, useState } from 'react'
import { IconButton } from './button.tsx'
import styles from './copy.module.css'

const shownMs = 1_500

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), shownMs)
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <span className={copied ? styles.copied : undefined}>
      <IconButton
        size="small"
        icon={copied ? 'check' : 'copy'}
        label={label}
        onClick={() => void copy(text).then(() => setCopied(true))}
      />
      <span className="visually-hidden" aria-live="polite">
        {copied ? 'Copied' : ''}
      </span>
    </span>
  )
}

async function copy(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  // Browsers offer the clipboard API only over HTTPS and on localhost. The old command works everywhere.
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'visually-hidden'
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

/** A text with a copy button. */
export function CopyField({ text, label }: { text: string; label: string }) {
  return (
    <div className={styles.field}>
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </div>
  )
}

/** A value with a copy button beside it. */
export function Copyable({ text, label, children }: { text: string; label: string; children: ReactNode }) {
  return (
    <span className={styles.copyable}>
      <span>{children}</span>
      <CopyButton text={text} label={label} />
    </span>
  )
}

export function Command({ children }: { children: string }) {
  return (
    <div className={styles.field}>
      <code>
        <span className={styles.prompt} aria-hidden="true">
          ${' '}
        </span>
        {children}
      </code>
      <CopyButton text={children} label={`Copy “${children}”`} />
    </div>
  )
}
