import { useEffect, useRef, useState } from 'react'
import styles from './sheet.module.css'

const seconds = 3

interface CountdownProps {
  verb: string
  /** A key was pressed. People who use the keyboard need longer than three seconds to look around. */
  onKey: () => void
}

/** Submits the form that it is in after three seconds, and shows how many are left. */
export function Countdown({ verb, onKey }: CountdownProps) {
  const [left, setLeft] = useState(seconds)
  const words = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    if (left === 0) return words.current?.closest('form')?.requestSubmit()
    const timer = setTimeout(() => setLeft(left - 1), 1000)
    return () => clearTimeout(timer)
  }, [left])
  useEffect(() => {
    const dialog = words.current?.closest('dialog')
    dialog?.addEventListener('keydown', onKey)
    return () => dialog?.removeEventListener('keydown', onKey)
  }, [onKey])
  return (
    <p ref={words} className={styles.countdown}>
      <span className={styles.clock} aria-hidden="true" />
      {left === 0 ? `${verb}…` : `${verb} in ${left} s, unless you cancel.`}
    </p>
  )
}
