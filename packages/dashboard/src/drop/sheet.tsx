// Shows what was dropped and where it would go, before anything is sent.
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { Dialog, DialogActions } from '../components/dialog.tsx'
import { Notice } from '../components/notice.tsx'
import { DeploySheet } from './deploy-sheet.tsx'
import type { Offer } from './offers.ts'
import { Overlay } from './overlay.tsx'
import { useReading } from './reading.ts'
import { ShareSheet } from './share-sheet.tsx'

interface DropSheetProps {
  offer: Offer
  onClose: () => void
}

export function DropSheet({ offer: { target, collecting }, onClose }: DropSheetProps) {
  const [within, setWithin] = useState<string>()
  const reading = useReading(collecting, within)
  if (reading.state === 'reading') return <Overlay>Reading files…</Overlay>
  if (reading.state === 'refused') return <Refused why={reading.why} onClose={onClose} />
  const props = { plan: reading.plan, within, onWithin: setWithin, onClose }
  if (target.kind === 'share') return <ShareSheet {...props} days={target.days} />
  return <DeploySheet {...props} target={target} />
}

function Refused({ why, onClose }: { why: string; onClose: () => void }) {
  return (
    <Dialog title="This cannot be deployed" onClose={onClose}>
      <Notice tone="error">{why}</Notice>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  )
}
