// A box that shows a growing log. The view stays at its end unless the reader has scrolled away.
import { type ReactNode, type RefObject, useLayoutEffect, useRef } from 'react'
import styles from './log-box.module.css'

/** A reader this near to the bottom counts as being at the bottom. */
const nearPx = 40

interface LogBoxProps {
  label: string
  box?: RefObject<HTMLDivElement | null>
  /** Whether the box is as high as its text, up to a limit. Otherwise it fills the page. */
  fit?: boolean
  children: ReactNode
}

export function LogBox({ label, box, fit, children }: LogBoxProps) {
  const own = useRef<HTMLDivElement>(null)
  const ref = box ?? own
  const isAtEnd = useRef(true)

  useLayoutEffect(() => {
    if (ref.current && isAtEnd.current) ref.current.scrollTop = ref.current.scrollHeight
  })

  function noteScroll() {
    const { current } = ref
    if (current) isAtEnd.current = current.scrollHeight - current.scrollTop - current.clientHeight < nearPx
  }

  return (
    <div
      ref={ref}
      className={styles.box}
      data-fit={fit ? '' : undefined}
      role="log"
      aria-live="off"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it, too
      tabIndex={0}
      onScroll={noteScroll}
    >
      {children}
    </div>
  )
}
