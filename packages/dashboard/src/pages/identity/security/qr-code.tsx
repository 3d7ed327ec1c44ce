// Draws a QR code. The encoder is loaded when the first one is shown.
import { useEffect, useState } from 'react'
import styles from './qr-code.module.css'

/** Modules of white around the code, as the standard asks for. */
const border = 4

export function QrCode({ text, label }: { text: string; label: string }) {
  const [modules, setModules] = useState<boolean[][]>()
  useEffect(() => {
    let isShown = true
    import('qr').then(
      ({ encodeQR }) => isShown && setModules(encodeQR(text, 'raw', { border })),
      // The same text is below, to be typed.
      () => undefined,
    )
    return () => {
      isShown = false
    }
  }, [text])
  const size = modules?.length ?? 1
  const squares = (modules ?? []).flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])),
  )
  return (
    <svg
      className={styles.code}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <path d={squares.join('')} />
    </svg>
  )
}
