// Downloads a file that takes the platform a while to make.

import { useWork } from '../use-work.ts'
import { Button } from './button.tsx'

interface ExportButtonProps {
  /** The label. */
  children: string
  save: () => Promise<void>
  size?: 'large'
}

export function ExportButton({ children, save, size }: ExportButtonProps) {
  const { busy, run } = useWork()
  return (
    <Button {...(size && { size })} disabled={busy} onClick={() => run(save)}>
      {busy ? 'Preparing…' : children}
    </Button>
  )
}
