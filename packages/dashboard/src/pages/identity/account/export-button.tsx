import { useState } from 'react'
import { explain } from '../../../api.ts'
import { Button } from '../../../components/button.tsx'
import { notify } from '../../../components/toasts.tsx'

export function ExportButton({ save, size }: { save: () => Promise<void>; size?: 'large' }) {
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
      {isBusy ? 'Preparing…' : 'Download my data'}
    </Button>
  )
}
