// Downloads a file that takes the platform a while to make.
import { useState } from 'react'
import { explain } from '../api.ts'
import { Button } from './button.tsx'
import { notify } from './toasts.tsx'

interface ExportButtonProps {
  /** The label. */
  children: string
  save: () => Promise<void>
  size?: 'large'
}

export function ExportButton({ children, save, size }: ExportButtonProps) {
  const [isBusy, setBusy] = useState(false)
  async function run() {
    setBusy(true)
    try {
      await save()
    } catch (error) {
      notify({ tone: 'error', text: explain(error) })
    }
    setBusy(false)
  }
  return (
    <Button {...(size && { size })} disabled={isBusy} onClick={() => void run()}>
      {isBusy ? 'Preparing…' : children}
    </Button>
  )
}
